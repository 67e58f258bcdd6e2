#pragma once

#include <cstdint>
#include <vector>

#include "core/error/error.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The warp registers that hold pre-executed results. A register is in use while it has names (entries of a rename
/// table or of a P-queue), awaits its write-back, or is being collected as an operand; otherwise it is free.
class RegisterPool {
  public:
    static constexpr std::uint16_t kNone = 0xffff;

    /// Makes rows first .. end - 1 the pool, all free; `banks` is a power of two.
    void reset(unsigned first, unsigned end, unsigned banks) {
        first_ = first;
        size_ = end - first;
        banks_ = banks;
        free_count_ = size_;
        registers_.assign(size_, {});
        free_.assign((size_ + 63) / 64, ~std::uint64_t{0});
        if (size_ % 64 != 0) { free_.back() = (std::uint64_t{1} << size_ % 64) - 1; }
        bank_pattern_ = 0;
        for (unsigned bit = 0; bit < 64 && banks <= 64; bit += banks) { bank_pattern_ |= std::uint64_t{1} << bit; }
    }

    bool owns(unsigned row) const { return row - first_ < size_; }
    unsigned size() const { return size_; }
    unsigned free() const { return free_count_; }
    unsigned first() const { return first_; }
    bool is_free(unsigned row) const { return (free_[(row - first_) / 64] >> (row - first_) % 64 & 1) != 0; }
    unsigned names(unsigned row) const { return registers_[row - first_].names; }
    bool in_flight(unsigned row) const { return registers_[row - first_].in_flight; }
    /// Whether the register is in use at `now`.
    bool is_needed(unsigned row, Cycle now) const {
        const Register& each = registers_[row - first_];
        return each.names > 0 || each.in_flight || each.read_until > now;
    }

    /// Takes a free register, in the bank of `row` if one is free there. It awaits a write-back and has one name. At
    /// least one register must be free.
    std::uint16_t allocate(unsigned row);

    void add_name(unsigned row) { ++registers_[row - first_].names; }
    void remove_name(unsigned row) {
        LOOKAHEAD_DEBUG_ASSERT(registers_[row - first_].names > 0, "a renaming register loses a name that it has not");
        --registers_[row - first_].names;
    }
    void written(unsigned row) { registers_[row - first_].in_flight = false; }
    /// An instruction collects its operand from the register until `until`.
    void read_until(unsigned row, Cycle until) {
        Register& each = registers_[row - first_];
        each.read_until = until > each.read_until ? until : each.read_until;
    }

    /// Frees the register if it is no longer in use. Returns the cycle at which its last reader has collected it if
    /// only that is missing, else 0.
    Cycle settle(unsigned row, Cycle now);

    void fields(StateArchive& archive) {
        archive& first_& size_& banks_& free_count_& bank_pattern_& registers_& free_;
    }

  private:
    struct Register {
        std::uint16_t names = 0;
        bool in_flight = false;
        Cycle read_until = 0;

        void fields(StateArchive& archive) { archive& names& in_flight& read_until; }
    };

    std::uint16_t take(unsigned index);

    unsigned first_ = 0;
    unsigned size_ = 0;
    unsigned banks_ = 1;
    unsigned free_count_ = 0;
    std::uint64_t bank_pattern_ = 0;  ///< every banks-th bit is set
    std::vector<Register> registers_;
    std::vector<std::uint64_t> free_;
};

}  // namespace lookahead::gpu
