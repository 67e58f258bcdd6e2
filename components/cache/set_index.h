#pragma once

#include <cstdint>

#include "components/protocols/memory.h"

namespace lookahead::gpu {

inline constexpr std::uint32_t kNoWay = ~std::uint32_t{0};

/// The index of the tag in [first, first + ways), the places of one set; kNoWay if it is not there.
inline std::uint32_t find_way(const std::uint64_t* tags, std::uint32_t first, std::uint32_t ways, std::uint64_t tag) {
    for (std::uint32_t place = first; place < first + ways; ++place) {
        if (tags[place] == tag) { return place; }
    }
    return kNoWay;
}

enum class SetIndexing : std::uint8_t { linear, rotated, fermi_hash };

/// The set of a cache that a line belongs to, computed without a division.
class SetIndex {
  public:
    /// `fermi_hash` requires 32 or 64 sets.
    SetIndex(SetIndexing indexing, unsigned sets)
        : indexing_(indexing), sets_(sets), reciprocal_(~std::uint64_t{0} / sets + 1) {}

    unsigned of(std::uint64_t line) const {
        const auto number = static_cast<std::uint32_t>(line / kLineBytes);
        switch (indexing_) {
            case SetIndexing::linear:
                return remainder(number);
            case SetIndexing::rotated:
                return remainder(number + quotient(number));
            case SetIndexing::fermi_hash:
                break;
        }
        return fermi_hash(number);
    }

  private:
    __extension__ using Wide = unsigned __int128;

    /// number % sets by two multiplications: Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019.
    unsigned remainder(std::uint32_t number) const {
        if (sets_ == 1) { return 0; }
        return static_cast<unsigned>((static_cast<Wide>(reciprocal_ * number) * sets_) >> 64);
    }

    std::uint32_t quotient(std::uint32_t number) const {
        return sets_ == 1 ? number : static_cast<std::uint32_t>((static_cast<Wide>(reciprocal_) * number) >> 64);
    }

    /// Fermi's L1 as measured by Nugteren et al., "A Detailed GPU Cache Model Based on Reuse Distance Theory", HPCA
    /// 2014: address bits 7-11 xor bits 13, 14, 15, 17 and 19; with 64 sets bit 12 is the index's sixth bit.
    unsigned fermi_hash(std::uint32_t number) const {
        const unsigned upper = (number >> 6 & 7) | (number >> 10 & 1) << 3 | (number >> 12 & 1) << 4;
        return ((number & 31) ^ upper) | (number & (sets_ - 1) & 32);
    }

    SetIndexing indexing_;
    unsigned sets_;
    std::uint64_t reciprocal_;
};

}  // namespace lookahead::gpu
