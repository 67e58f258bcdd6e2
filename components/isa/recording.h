#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "components/isa/lane_mask.h"

namespace lookahead::isa {

/// What each warp of one launch did on another machine: the instructions that it executed in their order, with their
/// lanes and addresses. An SM that executes a kernel with a recording follows it: values decide nothing. Warps are
/// numbered by CTA (CTA number x warps of a CTA + warp).
class Recording {
  public:
    struct Record {
        std::uint32_t pc = 0;         ///< index in Kernel::code
        LaneMask lanes = 0;           ///< that execute it, its guard included
        std::uint64_t addresses = 0;  ///< kNone, or where they are kept
    };
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};

    /// The number of the warp's first record. Each warp has one at least, and its last one is an exit of all lanes.
    std::uint64_t first(std::uint64_t warp) const { return first_[warp]; }
    const Record& operator[](std::uint64_t record) const { return records_[record]; }
    std::uint64_t size() const { return records_.size(); }
    std::uint64_t warps() const { return first_.size(); }

    /// Writes the byte address of each of the record's lanes to `addresses[lane]`.
    void read_addresses(const Record& record, std::uint64_t* addresses) const {
        const bool strided = (record.addresses & kStrided) != 0;
        const bool moves = (record.addresses & kMoves) != 0;
        const std::uint64_t* from = words_.data() + (record.addresses & ~(kStrided | kMoves));
        std::uint64_t number = 0;
        for (LaneMask rest = record.lanes; rest != 0; rest &= rest - 1, ++number) {
            const std::uint64_t address = strided ? from[0] + number * from[1] : from[number];
            addresses[std::countr_zero(rest)] = moves ? moved(address) : address;
        }
    }

    // To make one: begin_warp() for each warp, in any order; add() for each of its records.
    explicit Recording(std::uint64_t warps) : first_(warps, kNone) {}
    bool has(std::uint64_t warp) const { return first_[warp] != kNone; }
    void begin_warp(std::uint64_t warp) { first_[warp] = records_.size(); }
    void add(std::uint32_t pc, LaneMask lanes) { records_.push_back({pc, lanes, kNone}); }
    /// `addresses`: of each of the lanes, by ascending lane; at least one. They move as move() says if `moves`.
    void add(std::uint32_t pc, LaneMask lanes, std::span<const std::uint64_t> addresses, bool moves) {
        const std::uint64_t stride = addresses.size() > 1 ? addresses[1] - addresses[0] : 0;
        bool strided = true;
        for (std::size_t i = 1; i < addresses.size(); ++i) { strided &= addresses[i] - addresses[i - 1] == stride; }
        records_.push_back({pc, lanes, words_.size() | (strided ? kStrided : 0) | (moves ? kMoves : 0)});
        if (strided) {
            words_.insert(words_.end(), {addresses[0], stride});
        } else {
            words_.insert(words_.end(), addresses.begin(), addresses.end());
        }
    }
    /// Instruction n becomes instruction `numbers[n]`.
    void renumber(std::span<const std::uint32_t> numbers) {
        for (Record& record : records_) { record.pc = numbers[record.pc]; }
    }
    /// Part of the memory: addresses from `first` on, up to the next part's, move up by `distance`, modulo 2^64.
    struct Part {
        std::uint64_t first = 0;
        std::uint64_t distance = 0;
    };
    /// Moves the addresses in global memory, which are all in the parts; `parts` has ascending addresses.
    void move(std::vector<Part> parts) { parts_ = std::move(parts); }

  private:
    static constexpr std::uint64_t kStrided = std::uint64_t{1} << 63;
    static constexpr std::uint64_t kMoves = std::uint64_t{1} << 62;

    std::uint64_t moved(std::uint64_t address) const {
        std::size_t part = parts_.size();
        while (part > 0 && address < parts_[part - 1].first) { --part; }
        return address + (part > 0 ? parts_[part - 1].distance : 0);
    }

    std::vector<Part> parts_;
    std::vector<std::uint64_t> first_;  ///< by warp
    std::vector<Record> records_;
    std::vector<std::uint64_t> words_;  ///< base and stride, or the addresses, of each record that has such
};

}  // namespace lookahead::isa
