#include "experiments/capture/host_pages.h"

#include <algorithm>
#include <cstring>

namespace lookahead {

namespace {
/// The size of a page of the host, the unit in which managed memory moves.
constexpr std::uint64_t kPage = 4096;
}  // namespace

HostPages::Page HostPages::page_of(const Block& block, std::size_t number) {
    const std::uint64_t first = block.address / kPage * kPage;
    const std::uint64_t begin = std::max(first + number * kPage, block.address);
    const std::uint64_t end = std::min(first + (number + 1) * kPage, block.address + block.known.size());
    return {number, begin - block.address, end - begin};
}

std::span<const std::byte> HostPages::now(const Block& block, const Page& page) const {
    return {device_.memory(block.address) + page.begin, page.bytes};
}

bool HostPages::differs(const Block& block, const Page& page) const {
    return std::memcmp(now(block, page).data(), block.known.data() + page.begin, page.bytes) != 0;
}

void HostPages::know(Block& block, const Page& page, std::span<const std::byte> contents) {
    std::ranges::copy(contents, block.known.begin() + static_cast<std::ptrdiff_t>(page.begin));
}

void HostPages::share(Allocator::Block allocation, bool copy) {
    const std::uint64_t pages = (allocation.end() + kPage - 1) / kPage - allocation.address / kPage;
    Block& block = blocks_[allocation.address];
    block.address = allocation.address;
    const std::byte* const begin = device_.memory(allocation.address);
    block.known.assign(begin, begin + allocation.bytes);
    block.written_by_kernel.assign(pages, false);
    if (copy) { record(block, std::vector<bool>(pages, true), CapturedCall::Kind::copy_to_device); }
}

std::vector<Allocator::Block> HostPages::blocks() const {
    std::vector<Allocator::Block> shared;
    for (const auto& [address, block] : blocks_) { shared.push_back({address, block.known.size()}); }
    return shared;
}

std::uint64_t HostPages::record(Block& block, const std::vector<bool>& marked, CapturedCall::Kind kind) {
    std::uint64_t bytes = 0;
    for (std::size_t first = 0; first < marked.size(); ++first) {
        if (!marked[first]) { continue; }
        std::size_t last = first;
        while (last + 1 < marked.size() && marked[last + 1]) { ++last; }
        const Page begin = page_of(block, first), end = page_of(block, last);
        const Page run{first, begin.begin, end.begin + end.bytes - begin.begin};
        // Copies back have the bytes that the kernels left: the host may since have written others of the page.
        if (kind == CapturedCall::Kind::copy_to_device) { know(block, run, now(block, run)); }
        const auto contents = std::span(std::as_const(block).known).subspan(run.begin, run.bytes);
        add_({.kind = kind, .address = block.address + run.begin}, contents);
        bytes += run.bytes;
        first = last;
    }
    return bytes;
}

std::uint64_t HostPages::record_host_writes() {
    std::uint64_t bytes = 0;
    for (auto& [address, block] : blocks_) {
        std::vector<bool> written(block.written_by_kernel.size());
        for (std::size_t page = 0; page < written.size(); ++page) {
            written[page] = differs(block, page_of(block, page));
        }
        bytes += record(block, written, CapturedCall::Kind::copy_to_device);
    }
    return bytes;
}

void HostPages::note_kernel_writes() {
    for (auto& [address, block] : blocks_) {
        for (std::size_t number = 0; number < block.written_by_kernel.size(); ++number) {
            const Page page = page_of(block, number);
            if (!differs(block, page)) { continue; }
            block.written_by_kernel[number] = true;
            know(block, page, now(block, page));
        }
    }
}

std::uint64_t HostPages::record_kernel_writes() {
    std::uint64_t bytes = 0;
    for (auto& [address, block] : blocks_) {
        bytes += record(block, block.written_by_kernel, CapturedCall::Kind::copy_from_device);
        block.written_by_kernel.assign(block.written_by_kernel.size(), false);
    }
    return bytes;
}

void HostPages::accept(DeviceAddress address, std::uint64_t bytes) {
    auto above = blocks_.upper_bound(address);
    if (above == blocks_.begin()) { return; }
    Block& block = std::prev(above)->second;
    if (address - block.address >= block.known.size()) { return; }
    const Page changed{0, address - block.address, std::min(bytes, block.known.size() - (address - block.address))};
    know(block, changed, now(block, changed));
}

}  // namespace lookahead
