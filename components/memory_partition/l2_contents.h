#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "components/dram/memory_image.h"
#include "components/memory_partition/address_mapping.h"
#include "components/memory_partition/l2_cache.h"
#include "components/memory_partition/l2_counters.h"
#include "components/protocols/byte_mask.h"
#include "core/state/state_archive.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu {

/// The bytes of a slice's lines and of the channel's DRAM image, which receives a line's dirty bytes when the line is
/// written back. The host's copies take no time here.
class L2Contents {
  public:
    /// `counters` counts evictions and the host's bytes.
    L2Contents(unsigned sets, unsigned ways, const AddressMapping& mapping, MemoryImage& image, L2Counters& counters)
        : mapping_(mapping), image_(image), counters_(counters), lines_(sets, ways) {}

    L2Cache& lines() { return lines_; }
    const L2Cache& lines() const { return lines_; }

    /// Call it when sectors of the line have come from DRAM: fills them from the image, except bytes that are valid.
    void fill(std::uint32_t line, SectorMask sectors);
    /// Call it when a request has written these bytes of the line: marks them as dirty.
    void written(std::uint32_t line, const ByteMask& bytes);
    /// Writes the line's dirty bytes to the image; the line is about to be replaced.
    void write_back(std::uint32_t line);
    /// Sends a write's bytes to the image, which leaves them clean in the line.
    void write_through(std::uint32_t line, const ByteMask& bytes);

    /// The `count` bytes from `local` on must lie in one page. `fill_l2`: also installs lines that are absent.
    void host_write(std::uint64_t local, const std::byte* bytes, unsigned count, bool fill_l2);
    void host_fill(std::uint64_t local, std::byte value, unsigned count, bool fill_l2);
    void host_read(std::uint64_t local, std::byte* bytes, unsigned count);

    /// Reports a fault unless each byte that requests wrote is dirty, was written to DRAM, or was overwritten.
    void audit(Audit& audit, const std::string& name) const;
    void fields(StateArchive& archive) {
        archive& lines_& written_bytes_& overwritten_bytes_& written_back_bytes_& host_bytes_;
    }

  private:
    void for_each_line(std::uint64_t local, unsigned count, auto&& f);
    std::uint32_t find(std::uint64_t line_address) const {
        return lines_.find(lines_.set_of(mapping_.address_in_slice(line_address)), line_address);
    }
    std::uint32_t install_for_host(std::uint64_t line_address);
    void overwritten_by_host(std::uint32_t line, const ByteMask& bytes);
    void overwrite(std::uint64_t local, unsigned count, bool fill_l2, auto f);

    const AddressMapping& mapping_;
    MemoryImage& image_;
    L2Counters& counters_;
    L2Cache lines_;
    // Counts for the audit.
    std::uint64_t written_bytes_ = 0;      ///< bytes written by requests; for an atomic, by each lane
    std::uint64_t overwritten_bytes_ = 0;  ///< those of them that were dirty before
    std::uint64_t written_back_bytes_ = 0;
    std::uint64_t host_bytes_ = 0;  ///< dirty bytes that the host overwrote
};

}  // namespace lookahead::gpu
