#include "components/mechanisms/pmode/register_pool.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/mutation/rule.h"

namespace lookahead::gpu {

void RegisterPool::begin_launch(std::int64_t registers, std::uint64_t sms) {
    // A grid that fits on the machine is dealt out in turns when it begins; the CTAs of a larger grid fill every place.
    const Occupancy& occupancy = state_.launch.occupancy;
    const std::uint64_t share = (state_.launch.fields.grid.count() + sms - 1) / sms;
    const auto ctas = static_cast<unsigned>(std::min<std::uint64_t>(occupancy.ctas, share));
    const auto total = static_cast<unsigned>(state_.parameters.registers / isa::kWarpSize);
    const auto last = static_cast<unsigned>(std::min<std::int64_t>(registers, total));
    first_ = std::min(total, std::max(total - last, ctas * occupancy.warps_per_cta * occupancy.rows_per_warp));
    size_ = free_count_ = total - first_;
    banks_ = static_cast<unsigned>(state_.parameters.register_banks);
    registers_.assign(size_, {});
    free_.assign((size_ + 63) / 64, ~std::uint64_t{0});
    if (size_ % 64 != 0) { free_.back() = (std::uint64_t{1} << size_ % 64) - 1; }
    bank_pattern_ = 0;
    for (unsigned bit = 0; bit < 64 && banks_ <= 64; bit += banks_) { bank_pattern_ |= std::uint64_t{1} << bit; }
    charged_ = -1;
}

void RegisterPool::reuse(unsigned context, PreExecution& warp, const PQueueEntry& entry, unsigned destination) {
    for (unsigned word = 0; word < entry.words; ++word) {
        const std::uint16_t old = state_.warps.map.of(context)[destination + word];
        state_.warps.map.set(context, destination + word, entry.rows[word]);
        if (!owns(old)) {
            ++warp.renamed;
        } else {
            drop_name(old);
        }
    }
}

void RegisterPool::return_home(unsigned context, PreExecution& warp, const isa::Instruction& instruction) {
    for (unsigned word = 0; word < instruction.destination_rows; ++word) {
        const unsigned number = instruction.destination + word;
        const std::uint16_t row = state_.warps.map.of(context)[number];
        if (owns(row)) {
            const unsigned home = home_row(context, number);
            // Exited lanes keep their old values; a source may be the same register.
            std::memcpy(state_.registers.row(home), state_.registers.row(row), sizeof(std::uint32_t) * isa::kWarpSize);
            state_.warps.map.set(context, number, static_cast<std::uint16_t>(home));
            --warp.renamed;
            replaced_[replaced_count_++] = row;
        }
    }
}

void RegisterPool::drop_own(unsigned context, PreExecution& warp) {
    const std::uint16_t* rows = state_.warps.map.of(context);
    const unsigned registers = state_.kernel->kernel().registers;
    for (unsigned number = 0; number < registers && warp.renamed > 0; ++number) {
        if (owns(rows[number])) {
            drop_name(rows[number]);
            --warp.renamed;
        }
    }
}

std::uint16_t RegisterPool::allocate(unsigned context, unsigned number) {
    // Rotated by `shift`, bit i of the pattern is set if first_ + i is in the bank of the home row.
    const unsigned shift = (home_row(context, number) - first_) & (banks_ - 1);
    for (const std::uint64_t pattern : {bank_pattern_ << shift, ~std::uint64_t{0}}) {
        const auto word = std::ranges::find_if(free_, [&](std::uint64_t bits) { return (bits & pattern) != 0; });
        if (word != free_.end()) {
            const auto index = static_cast<unsigned>((word - free_.begin()) * 64 + std::countr_zero(*word & pattern));
            *word &= ~(std::uint64_t{1} << index % 64);
            --free_count_;
            registers_[index] = {1, true, 0};
            return static_cast<std::uint16_t>(first_ + index);
        }
    }
    LOOKAHEAD_ASSERT(false, "no renaming register is free");
    return 0;
}

void RegisterPool::rename(unsigned context, unsigned destination, std::span<const std::uint16_t> rows, bool queued) {
    for (unsigned word = 0; word < rows.size(); ++word) {
        const std::uint16_t old = pre_.map.of(context)[destination + word];
        pre_.map.set(context, destination + word, rows[word]);
        registers_[rows[word] - first_].names += queued;
        if (owns(old) && old != state_.warps.map.of(context)[destination + word]) { drop_name(old); }
    }
}

void RegisterPool::drop_pre(unsigned context) {
    const std::uint16_t* own = state_.warps.map.of(context);
    const std::uint16_t* rows = pre_.map.of(context);
    const unsigned registers = state_.kernel->kernel().registers;
    for (unsigned number = 0; number < registers; ++number) {
        if (rows[number] != own[number] && owns(rows[number])) { drop_name(rows[number]); }
    }
}

/// Frees the register if it is no longer in use; if only a reader is missing, when that has collected it.
void RegisterPool::settle(unsigned row) {
    const Register& each = registers_[row - first_];
    if (is_free(row) || each.names > 0 || each.in_flight) { return; }
    if (LOOKAHEAD_RULE(readers_keep_register) && each.read_until > state_.now) {
        const PipelineEvent event{PipelineEvent::Kind::extension, 0, kCollected | row, extension_};
        return state_.wheel.schedule(state_.now, each.read_until, event.packed());
    }
    free_[(row - first_) / 64] |= std::uint64_t{1} << (row - first_) % 64;
    ++free_count_;
}

void RegisterPool::verify(const std::vector<PreExecution>& warps) const {
    std::vector<unsigned> names(size_, 0);
    const unsigned registers = state_.kernel->kernel().registers;
    for (unsigned context = 0; context < warps.size(); ++context) {
        const PreExecution& warp = warps[context];
        const ContextState state = state_.warps.states.of(context);
        if (state == ContextState::vacant) { continue; }
        unsigned renamed = 0;
        for (unsigned number = 0; number < registers; ++number) {
            const std::uint16_t own = state_.warps.map.of(context)[number];
            if (owns(own) && (state != ContextState::exited || warp.exited)) {
                ++names[own - first_];
                ++renamed;
            }
            const std::uint16_t pre = pre_.map.of(context)[number];
            if (pre_.states.occupied().has(context) && pre != own && owns(pre)) { ++names[pre - first_]; }
        }
        LOOKAHEAD_ASSERT(renamed == warp.renamed, "renamed registers of a warp were miscounted");
        warp.queue.for_each([&](const PQueueEntry& entry) {
            for (unsigned word = 0; word < entry.words; ++word) { ++names[entry.rows[word] - first_]; }
        });
    }
    for (unsigned i = 0; i < size_; ++i) {
        const Register& each = registers_[i];
        const bool is_needed = each.names > 0 || each.in_flight || each.read_until > state_.now;
        LOOKAHEAD_ASSERT(each.names == names[i], "a renaming register has names that no table has");
        LOOKAHEAD_ASSERT(is_free(first_ + i) != is_needed, "a renaming register is free and in use, or neither");
    }
}

}  // namespace lookahead::gpu
