#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "components/isa/instruction.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The ports through which one scheduler's instructions of fixed latency read registers, and the cache of operands that
/// native code fills (Huerta et al., "Dissecting and Modeling the Architecture of Modern GPU Cores", MICRO 2025,
/// section 5.3). Register r is in bank r mod `banks`. Each bank gives one warp's register in a cycle; an instruction
/// reads its operands within three cycles, and waits, with all behind it, until it can reserve them. For each bank and
/// operand place the cache has one register, which an instruction's reuse bit leaves there; the next reading of the
/// place takes it away.
class RegisterPorts {
  public:
    explicit RegisterPorts(unsigned banks) : banks_(banks), reserved_(banks, 0), cached_(banks * kPlaces, kNone) {}

    /// The warp `context` issues the instruction at `now`; bit i of `reuse` is that of source i. Registers from
    /// `registers` on are in other files. Returns the cycles for which it waits.
    Cycle read(unsigned context, const isa::Instruction& instruction, unsigned reuse, unsigned registers, Cycle now) {
        std::ranges::fill(wanted_, std::uint8_t{0});
        wanted_.resize(banks_, 0);
        for (unsigned place = 0; place < kPlaces; ++place) {
            const isa::Operand& operand = instruction.source[place];
            if (operand.kind != isa::Operand::Kind::reg || operand.index >= registers) { continue; }
            for (unsigned row = 0; row < operand.rows; ++row) {
                want(context, operand.index + row, place, (reuse >> place & 1) != 0);
            }
        }
        pass_to(now);
        Cycle waits = 0;
        while (!fits()) { pass_to(now + ++waits); }
        for (unsigned bank = 0; bank < banks_; ++bank) {
            for (unsigned count = wanted_[bank]; count > 0; --count) {
                reserved_[bank] |= static_cast<std::uint8_t>(1U << std::countr_one(reserved_[bank]));
            }
        }
        return waits;
    }

    void fields(StateArchive& archive) { archive& now_& reserved_& cached_; }

  private:
    static constexpr unsigned kPlaces = 3;
    static constexpr unsigned kWindow = 3;
    static constexpr std::uint32_t kNone = 0xffffffff;

    void want(unsigned context, unsigned number, unsigned place, bool stays) {
        const unsigned bank = number % banks_;
        const std::uint32_t name = context << 16 | number;
        std::uint32_t& cached = cached_[bank * kPlaces + place];
        wanted_[bank] += cached != name;
        cached = stays ? name : kNone;
    }
    void pass_to(Cycle now) {
        for (std::uint8_t& cycles : reserved_) {
            cycles = now - now_ >= 8 ? std::uint8_t{0} : static_cast<std::uint8_t>(cycles >> (now - now_));
        }
        now_ = now;
    }
    /// Whether the window has cycles enough; an instruction that wants more than a window has waits for an empty one.
    bool fits() const {
        for (unsigned bank = 0; bank < banks_; ++bank) {
            const unsigned taken = static_cast<unsigned>(std::popcount(reserved_[bank] & ((1U << kWindow) - 1)));
            if (wanted_[bank] > kWindow - taken && (taken > 0 || wanted_[bank] <= kWindow)) { return false; }
        }
        return true;
    }

    unsigned banks_;
    Cycle now_ = 0;
    std::vector<std::uint8_t> reserved_;  ///< by bank: the cycles from now_ on in which its port is taken, a bit each
    std::vector<std::uint32_t> cached_;   ///< by bank and place: context and register
    std::vector<std::uint8_t> wanted_;    ///< by bank, of the instruction that is judged
};

}  // namespace lookahead::gpu
