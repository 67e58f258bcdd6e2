#include "components/sm/constant/constant_cache.h"

#include "core/error/error.h"
#include "core/lp/audit.h"
#include "core/param/parameter_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_PARAMETERS(ConstantCacheParameters, "constant_cache", "Constant cache of an SM.")

void ConstantCache::begin_kernel() {
    LOOKAHEAD_ASSERT(asked_ == 0, "a kernel begins while the constant cache awaits a line");
    tags_.clear();
    resident_ = enabled_ ? 0 : ~std::uint64_t{0};
    wanted_ = 0;
    passing_ = 0;
    used_ = 0;
    waiting_ = {};
}

ConstantCache::Request ConstantCache::request_of(unsigned miss) const {
    const std::uint64_t address = address_of(tags_.line_of(miss));
    const std::uint64_t offset = address % kLineBytes;
    const auto sectors = static_cast<SectorMask>(((1u << kBytes / kSectorBytes) - 1) << offset / kSectorBytes);
    return {address - offset, sectors, kReader | miss};
}

ConstantCache::Request ConstantCache::ask() {
    const auto line = static_cast<unsigned>(std::countr_zero(wanted_));
    const auto answer = tags_.ask(tag_of(isa::kConstantBankBase + std::uint64_t{line} * kBytes), true);
    LOOKAHEAD_ASSERT(answer == ReadOnlyCache::Answer::missed,
                     "a line of the constant bank is requested that is present");
    wanted_ &= ~(std::uint64_t{1} << line);
    asked_ |= std::uint64_t{1} << line;
    return request_of(tags_.last_miss());
}

ConstantCache::Answer ConstantCache::load(std::uint64_t line, Waiter waiter, bool can_send) {
    const std::uint64_t tag = tag_of(line);
    unsigned miss = tags_.awaited(tag);
    if (miss != ReadOnlyCache::kNoMiss && waiting_passes_[miss] == merges_) {
        ++tags_.counters().refusals;
        return Answer::refused;
    }
    const Answer answer = tags_.ask(tag, can_send);
    if (answer == Answer::missed) {
        miss = tags_.last_miss();
        note_asked(line);
    }
    if (answer == Answer::missed || answer == Answer::merged) {
        waiters_[std::size_t{miss} * merges_ + waiting_passes_[miss]++] = waiter;
    }
    return answer;
}

/// A load has requested a line, which operands may need too.
void ConstantCache::note_asked(std::uint64_t line) {
    if (const std::uint64_t of_bank = bank_line(line); of_bank != kNoBankLine) {
        asked_ |= std::uint64_t{1} << of_bank;
        wanted_ &= ~(std::uint64_t{1} << of_bank);
    }
}

void ConstantCache::install(unsigned miss, const std::byte* data) {
    for (std::uint64_t left = used_ & resident_; left != 0; left &= left - 1) {
        tags_.touch(tag_of(isa::kConstantBankBase + static_cast<unsigned>(std::countr_zero(left)) * kBytes));
    }
    used_ = 0;
    const std::uint64_t line = bank_line(address_of(tags_.line_of(miss)));
    const ReadOnlyCache::Filled filled = tags_.fill(miss);
    std::memcpy(bytes_.data() + tags_.last_place() * kBytes, data, kBytes);
    if (filled.evicted != ReadOnlyCache::kNoLine) {
        if (const std::uint64_t out = bank_line(address_of(filled.evicted)); out != kNoBankLine) {
            resident_ &= ~(std::uint64_t{1} << out);
        }
    }
    if (line != kNoBankLine) {
        const std::uint64_t bit = std::uint64_t{1} << line;
        resident_ |= bit;
        passing_ |= bit;
        asked_ &= ~bit;
    }
}

void ConstantCache::audit(Audit& audit, const std::string& name) const {
    std::uint64_t passes = 0;
    for (const std::uint32_t each : waiting_passes_) { passes += each; }
    audit.leak(name, "passes of loads that wait for the constant cache", passes);
    audit.leak(name, "lines of parameters under way", static_cast<unsigned>(std::popcount(asked_)));
    audit.leak(name, "misses of the constant cache under way", tags_.misses_under_way());
}

}  // namespace lookahead::gpu
