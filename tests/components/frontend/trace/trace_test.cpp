#include "components/frontend/trace/trace.h"

#include <doctest/doctest.h>
#include <zstd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "components/frontend/trace/traced_kernel.h"
#include "components/isa/address_space.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"

namespace lookahead::trace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader =
    "-kernel name = add\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (40,1,1)\n-shmem = 16\n-nregs = 12\n"
    "-binary version = 80\n-shmem base_addr = 0x7f0000000000\n-local mem base_addr = 0x7e0000000000\n"
    "-accelsim tracer version = 3\n";

struct Warp {
    unsigned cta, warp;
    std::string lines;
};

std::string text_of(const std::vector<Warp>& warps) {
    std::string text = std::string(kHeader) + "\n";
    for (const Warp& warp : warps) {
        text += "#BEGIN_TB\nthread block = " + std::to_string(warp.cta) + ",0,0\nwarp = " + std::to_string(warp.warp) +
                "\ninsts = 1\n" + warp.lines + "#END_TB\n";
    }
    return text;
}

/// A folder that goes with the test.
struct Folder {
    Folder() : path(fs::temp_directory_path() / ("trace_test-" + std::to_string(::getpid()))) {
        fs::create_directories(path);
    }
    ~Folder() { fs::remove_all(path); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name, std::ios::binary) << text;
        return (path / name).string();
    }
    fs::path path;
};

TracedKernel read(const std::vector<Warp>& warps, AccessedMemory& range) {
    const Folder folder;
    return read_traced_kernel(folder.write("kernel-1.traceg", text_of(warps)), range);
}

/// The addresses of the lanes of a record of warp 0.
std::vector<std::uint64_t> addresses(const TracedKernel& traced, std::uint64_t record) {
    std::uint64_t all[isa::kWarpSize] = {};
    const isa::Recording::Record& found = (*traced.recording)[traced.recording->first(0) + record];
    traced.recording->read_addresses(found, all);
    std::vector<std::uint64_t> lanes;
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
        if ((found.lanes >> lane & 1) != 0) { lanes.push_back(all[lane]); }
    }
    return lanes;
}

TEST_CASE("Addresses are a list, a stride or differences, of the active lanes") {
    AccessedMemory range;
    const TracedKernel traced = read({{0, 0,
                                       "0000 00000015 1 R2 LDG.E 1 R4 4 0 0x1000 0x1010 0x1004 \n"
                                       "0010 00000111 1 R2 LDG.E 1 R4 4 1 0x2000 8 \n"
                                       "0020 0000000f 1 R2 LDG.E 1 R4 4 2 0x3000 4 -8 100 \n"
                                       "0030 00000000 1 R2 LDG.E 1 R4 4 1 0x0 0 \n"}},
                                     range);
    using List = std::vector<std::uint64_t>;
    CHECK(addresses(traced, 0) == List{0x1000, 0x1010, 0x1004});
    CHECK(addresses(traced, 1) == List{0x2000, 0x2008, 0x2010});
    CHECK(addresses(traced, 2) == List{0x3000, 0x3004, 0x2ffc, 0x3060});
    CHECK((*traced.recording)[3].lanes == 0);
    CHECK((*traced.recording)[3].addresses == isa::Recording::kNone);
    CHECK(range.parts() == std::set<std::uint64_t>{0});
    CHECK(range.end() == 0x3064);
}

TEST_CASE("Windows of shared and local memory, and their sizes") {
    AccessedMemory range;
    const TracedKernel traced = read({{0, 0,
                                       "0000 00000001 1 R2 LDS 1 R4 4 0 0x40 \n"
                                       "0010 00000001 1 R2 LD.E 1 R4 4 0 0x7f0000000010 \n"
                                       "0020 00000001 1 R2 LDL 1 R4 4 0 0x7e0000000020 \n"
                                       "0030 00000001 1 R2 LDL.64 1 R4 8 0 0x30 \n"
                                       "0040 00000001 1 R2 LD.E 1 R4 4 0 0x7e0000000008 \n"}},
                                     range);
    CHECK(addresses(traced, 0).front() == 0x40);
    CHECK(addresses(traced, 1).front() == isa::kSharedWindowBase + 0x10);
    CHECK(addresses(traced, 2).front() == 0x20);
    CHECK(addresses(traced, 3).front() == 0x30);  // a wide local access has a part for each word
    CHECK(addresses(traced, 4).front() == 0x34);
    CHECK(addresses(traced, 5).front() == isa::kLocalWindowBase + 8);
    CHECK(traced.kernel.static_shared_bytes == 0x44);
    CHECK(traced.kernel.local_bytes == 0x38);
    CHECK(traced.kernel.allocated_registers == 12);
    CHECK(range.parts().empty());
}

TEST_CASE("A warp ends with an exit of all its lanes") {
    AccessedMemory range;
    const TracedKernel traced =
        read({{1, 0, "0010 ffff0000 0 EXIT 0 0 \n0020 0000ffff 0 EXIT 0 0 \n"}, {0, 1, "0000 000000ff 0 NOP 0 0 \n"}},
             range);
    const isa::Recording& recording = *traced.recording;
    CHECK(recording.warps() == 4);
    for (const std::uint64_t warp : {std::uint64_t{0}, std::uint64_t{3}}) {  // those that the trace lacks
        CHECK(recording[recording.first(warp)].pc == 0);
        CHECK(recording[recording.first(warp)].lanes == isa::kFullMask);
    }
    CHECK(recording[recording.first(2) + 1].lanes == 0xffff);  // the lanes have left: nothing is added
    CHECK(recording[recording.first(1) + 1].pc == 0);
    CHECK(recording.size() == 2 + 2 + 2);
    CHECK(traced.kernel.code[0].operation == isa::Operation::exit);
    CHECK(traced.kernel.code[2].operation == isa::Operation::exit);  // at address 0x10
    CHECK(traced.kernel.instruction_bytes == 16);
}

void append(std::string& to, auto value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string frame(const std::string& text, const std::string& dictionary) {
    std::string packed(ZSTD_compressBound(text.size()), 0);
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    packed.resize(ZSTD_compress_usingDict(context, packed.data(), packed.size(), text.data(), text.size(),
                                          dictionary.data(), dictionary.size(), 3));
    ZSTD_freeCCtx(context);
    return packed;
}

TEST_CASE("A packed trace is the same as its text") {
    const std::vector<Warp> warps = {
        {0, 0, "0000 0000000f 1 R2 LDG.E 1 R4 4 1 0x2000 8 \n0010 ffffffff 0 EXIT 0 0 \n"},
        {1, 0, "0000 000000ff 1 R2 LDG.E 1 R4 4 1 0x4000 4 \n0010 ffffffff 0 EXIT 0 0 \n"}};
    const std::string dictionary = "ffffffff 0 EXIT 0 0 LDG.E 1 R4 4 1 0x";
    std::string bytes = std::string(kHeader) + '\0';
    append(bytes, static_cast<std::uint32_t>(dictionary.size()));
    append(bytes, std::uint32_t{1});
    bytes += dictionary;
    std::string index;
    append(index, static_cast<std::uint32_t>(warps.size()));
    for (const Warp& warp : warps) {
        for (const std::uint32_t place : {warp.cta, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 1U}) { append(index, place); }
        append(index, std::uint32_t{2});
        append(index, std::uint32_t{2});
        append(index, std::uint64_t{bytes.size()});
        append(index, std::uint32_t{0});
        append(bytes, std::uint32_t{2});
        append(bytes, std::uint32_t{2});
        const std::size_t end = warp.lines.find('\n') + 1;
        for (const std::string& chunk : {warp.lines.substr(0, end), warp.lines.substr(end)}) {
            const std::string packed = frame(chunk, dictionary);
            append(bytes, static_cast<std::uint32_t>(packed.size()));
            bytes += packed;
        }
    }
    const auto index_at = static_cast<std::uint64_t>(bytes.size());
    bytes += index;
    append(bytes, index_at);

    const Folder folder;
    AccessedMemory range, range_of_text;
    const TracedKernel packed = read_traced_kernel(folder.write("kernel-1.tracez", bytes), range);
    const TracedKernel text = read(warps, range_of_text);
    REQUIRE(packed.recording->size() == text.recording->size());
    for (std::uint64_t record = 0; record < text.recording->size(); ++record) {
        CHECK((*packed.recording)[record].pc == (*text.recording)[record].pc);
        CHECK((*packed.recording)[record].lanes == (*text.recording)[record].lanes);
    }
    CHECK(addresses(packed, 0) == addresses(text, 0));
    CHECK(range.end() == range_of_text.end());
    for (std::size_t cut = 0; cut < bytes.size(); cut += 7) {
        CHECK_THROWS_AS(read_traced_kernel(folder.write("kernel-2.tracez", bytes.substr(0, cut)), range), InputError);
    }
}

TEST_CASE("Parts of 4 GiB move as a whole and follow one another") {
    const Folder folder;
    folder.write("kernel-1.traceg", text_of({{0, 0, "0000 00000003 1 R2 LDG.E 1 R4 4 0 0x7f0000300010 0x10 \n"}}));
    folder.write("kernel-2.traceg",
                 text_of({{0, 0, "0000 00000003 1 R2 LDG.E 1 R4 4 0 0x7f01fffffffc 0x7f0200000000 \n"}}));
    const Trace trace =
        read_trace(folder.write("kernelslist.g", "MemcpyHtoD,0x7f0000200100,64\nkernel-1.traceg\n\nkernel-2.traceg\n"));
    REQUIRE(trace.steps.size() == 3);
    constexpr std::uint64_t kPart = std::uint64_t{4} << 30;
    CHECK(trace.steps[0].address == isa::kGlobalBase + kPart + 0x200100);
    CHECK(trace.steps[0].bytes == 64);
    CHECK(trace.steps[2].kernel == 1);
    CHECK(trace.memory_bytes == 3 * kPart + 4);
    CHECK(trace.kernels[0].name == "add@1");
    CHECK(trace.kernels[1].name == "add@2");
    const auto addresses_of = [&](unsigned kernel) {
        const isa::Recording& recording = *trace.kernels[kernel].recording;
        std::uint64_t lanes[isa::kWarpSize] = {};
        recording.read_addresses(recording[recording.first(0)], lanes);
        return std::pair(lanes[0] - isa::kGlobalBase, lanes[1] - isa::kGlobalBase);
    };
    CHECK(addresses_of(0) == std::pair(kPart + 0x300010, std::uint64_t{0x10}));
    CHECK(addresses_of(1) == std::pair(3 * kPart - 4, 3 * kPart));
}

}  // namespace
}  // namespace lookahead::trace
