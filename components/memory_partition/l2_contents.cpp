#include "components/memory_partition/l2_contents.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "core/lp/audit.h"

namespace lookahead::gpu {

void L2Contents::fill(std::uint32_t line, SectorMask sectors) {
    const ByteMask came = bytes_of(sectors);
    copy_bytes(lines_.data(line), image_.read(lines_.local_address(line)), came & ~lines_.valid(line));
    lines_.valid(line) = lines_.valid(line) | came;
}

void L2Contents::written(std::uint32_t line, const ByteMask& bytes) {
    written_bytes_ += bytes_in(bytes);
    overwritten_bytes_ += bytes_in(bytes & lines_.dirty(line));
    lines_.dirty(line) = lines_.dirty(line) | bytes;
}

void L2Contents::write_back(std::uint32_t line) {
    copy_bytes(image_.place(lines_.local_address(line)), lines_.data(line), lines_.dirty(line));
    written_back_bytes_ += bytes_in(lines_.dirty(line));
}

void L2Contents::write_through(std::uint32_t line, const ByteMask& bytes) {
    const ByteMask dirty = bytes & lines_.dirty(line);
    copy_bytes(image_.place(lines_.local_address(line)), lines_.data(line), dirty);
    written_back_bytes_ += bytes_in(dirty);
    lines_.dirty(line) = lines_.dirty(line) & ~bytes;
}

/// The host has written the bytes to the image too.
void L2Contents::overwritten_by_host(std::uint32_t line, const ByteMask& bytes) {
    host_bytes_ += bytes_in(bytes & lines_.dirty(line));
    lines_.valid(line) = lines_.valid(line) | bytes;
    lines_.dirty(line) = lines_.dirty(line) & ~bytes;
    lines_.drop_copy(line);
}

/// Calls f(line address, first byte in the line, bytes, bytes before) for each line of a piece.
void L2Contents::for_each_line(std::uint64_t local, unsigned count, auto&& f) {
    counters_.host_bytes += count;
    for (unsigned done = 0; done < count;) {
        const auto first = static_cast<unsigned>((local + done) % kLineBytes);
        const unsigned bytes = std::min(kLineBytes - first, count - done);
        f(local + done - first, first, bytes, done);
        done += bytes;
    }
}

/// Returns kNoLine if all lines of the set await fills.
std::uint32_t L2Contents::install_for_host(std::uint64_t line_address) {
    const std::uint32_t line = lines_.victim(lines_.set_of(mapping_.address_in_slice(line_address)));
    if (line != L2Cache::kNoLine) {
        if (lines_.occupied(line)) {
            ++counters_.evictions;
            if (lines_.dirty(line).any()) { write_back(line); }
        }
        lines_.install(line, line_address);
    }
    return line;
}

/// Calls f(place in the slice, bytes, bytes before) for each part of a piece that the host changes and the slice holds.
void L2Contents::overwrite(std::uint64_t local, unsigned count, bool fill_l2, auto f) {
    for_each_line(local, count, [&](std::uint64_t address, unsigned first, unsigned length, unsigned before) {
        std::uint32_t line = find(address);
        if (line == L2Cache::kNoLine && fill_l2) { line = install_for_host(address); }
        if (line != L2Cache::kNoLine) {
            f(lines_.data(line) + first, length, before);
            overwritten_by_host(line, byte_range(first, length));
        }
    });
}

void L2Contents::host_write(std::uint64_t local, const std::byte* bytes, unsigned count, bool fill_l2) {
    image_.write(local, bytes, count);
    overwrite(local, count, fill_l2,
              [&](std::byte* place, unsigned length, unsigned before) { std::memcpy(place, bytes + before, length); });
}

void L2Contents::host_fill(std::uint64_t local, std::byte value, unsigned count, bool fill_l2) {
    image_.fill(local, value, count);
    overwrite(local, count, fill_l2, [&](std::byte* place, unsigned length, unsigned) {
        std::memset(place, static_cast<int>(value), length);
    });
}

void L2Contents::host_read(std::uint64_t local, std::byte* bytes, unsigned count) {
    for_each_line(local, count, [&](std::uint64_t address, unsigned first, unsigned length, unsigned before) {
        std::array<std::byte, kLineBytes> contents;
        std::memcpy(contents.data(), image_.read(address), kLineBytes);
        const std::uint32_t line = find(address);
        if (line != L2Cache::kNoLine) { copy_bytes(contents.data(), lines_.data(line), lines_.dirty(line)); }
        std::memcpy(bytes + before, contents.data() + first, length);
    });
}

/// Every byte that a request wrote is still dirty in the slice, was written to DRAM, or was overwritten in the slice by
/// a later request or by the host.
void L2Contents::audit(Audit& audit, const std::string& name) const {
    audit.account("written bytes", -static_cast<std::int64_t>(written_bytes_));
    const std::uint64_t overwritten = overwritten_bytes_ + host_bytes_;
    const std::uint64_t dirty = lines_.dirty_bytes();
    if (written_bytes_ != overwritten + written_back_bytes_ + dirty) {
        audit.fault(name,
                    fmt::format("{} bytes were written, but {} are dirty, {} went to DRAM and {} were overwritten",
                                written_bytes_, dirty, written_back_bytes_, overwritten));
    }
}

}  // namespace lookahead::gpu
