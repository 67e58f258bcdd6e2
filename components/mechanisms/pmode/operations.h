#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "components/isa/operand.h"
#include "components/sm/pipeline/issue_extension.h"
#include "components/sm/pipeline/scoreboard.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// A pre-executed instruction whose results are not written yet.
struct Operation {
    static constexpr std::uint16_t kNoPlace = 0xffff;

    bool used = false;
    std::uint8_t words = 0;
    std::uint16_t context = 0;
    std::uint16_t place = kNoPlace;  ///< in the P-queue
    std::uint32_t episode = 0;
    std::uint32_t pc = 0;
    std::array<std::uint16_t, isa::kMostOperandRows> rows{};

    void fields(StateArchive& archive) { archive& used& words& context& place& episode& pc& rows; }
};

/// The pre-executed instructions under way, by number, and for each bit of the warps' scoreboards in P-mode the last
/// one that writes it. Only that one clears the bit.
class Operations {
  public:
    static constexpr std::uint16_t kNone = 0xffff;  ///< an instruction without results: skipped, or a pre-load

    /// Begins a launch with so many words of scoreboard bits for each warp.
    void begin_launch(std::size_t warps, unsigned words) {
        words_ = words;
        writers_.assign(warps * words * 64, kNone);
    }
    /// Returns the operation's number.
    std::uint16_t begin(const Operation& operation) {
        if (free_.empty()) {
            LOOKAHEAD_ASSERT(operations_.size() < IssueExtension::kTokens,
                             "too many pre-executed instructions are under way");
            free_.push_back(static_cast<std::uint16_t>(operations_.size()));
            operations_.emplace_back();
        }
        const std::uint16_t number = free_.back();
        free_.pop_back();
        operations_[number] = operation;
        return number;
    }
    const Operation& operator[](std::uint16_t number) const { return operations_[number]; }
    /// Ends the operation, frees its number, and returns it.
    Operation end(std::uint16_t number) {
        free_.push_back(number);
        operations_[number].used = false;
        return operations_[number];
    }
    std::size_t under_way() const { return operations_.size() - free_.size(); }

    /// Records that the operation, or kNone, is the warp's last instruction that writes the bits.
    void set_writer(unsigned context, const std::uint64_t* bits, std::uint16_t operation) {
        for_each(context, bits, [&](unsigned, std::uint16_t& writer) { writer = operation; });
    }
    /// Clears those of the bits that the operation is the last one to write.
    void clear(Scoreboard& scoreboard, unsigned context, const std::uint64_t* bits, std::uint16_t operation) {
        for_each(context, bits, [&](unsigned bit, std::uint16_t writer) {
            if (writer == operation) { scoreboard.release_bit(context, bit); }
        });
    }
    void fields(StateArchive& archive) { archive& writers_& operations_& free_; }

  private:
    void for_each(unsigned context, const std::uint64_t* bits, auto&& f) {
        for (unsigned word = 0; word < words_; ++word) {
            for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
                const unsigned bit = word * 64 + static_cast<unsigned>(std::countr_zero(left));
                f(bit, writers_[std::size_t{context} * words_ * 64 + bit]);
            }
        }
    }

    unsigned words_ = 0;
    std::vector<std::uint16_t> writers_;  ///< by warp and bit
    std::vector<Operation> operations_;
    std::vector<std::uint16_t> free_;
};

}  // namespace lookahead::gpu
