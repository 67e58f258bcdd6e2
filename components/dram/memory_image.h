#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lookahead {
class StateArchive;
}

namespace lookahead::gpu {

/// The contents of a channel's DRAM by local address: pages of 64 KiB that are allocated, filled with zeros, by their
/// first write. Memory that was never written reads as 0. A page to which `fill` wrote only zeros takes no room, though
/// it is part of the state. What one call writes or fills must not cross the end of a page.
class MemoryImage {
  public:
    static constexpr unsigned kPageBits = 16;
    static constexpr std::size_t kPageBytes = std::size_t{1} << kPageBits;

    /// The bytes from `local` to the end of its page, zeros if the page was never written.
    const std::byte* read(std::uint64_t local) const;
    void write(std::uint64_t local, const std::byte* bytes, std::size_t count);
    void fill(std::uint64_t local, std::byte value, std::size_t count);
    /// The address of a byte, for partial writes.
    std::byte* place(std::uint64_t local);

    void fields(StateArchive& archive);

  private:
    static constexpr unsigned kGroupBits = 10;
    static constexpr std::uint64_t kInGroup = (std::uint64_t{1} << kGroupBits) - 1;
    using Page = std::array<std::byte, kPageBytes>;
    struct Group {
        std::array<std::unique_ptr<Page>, std::size_t{1} << kGroupBits> pages;
        std::bitset<std::size_t{1} << kGroupBits> zeroed;  ///< pages without room that were filled with zeros
    };

    Group& group_of(std::uint64_t page);

    std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace lookahead::gpu
