#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "components/cache/read_only_cache.h"
#include "components/isa/address_space.h"
#include "components/isa/lane_mask.h"
#include "components/protocols/memory.h"
#include "components/sm/context_states.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu {

/// `constant_cache.*`: an SM's cache of kernel parameters and .const variables, in lines of 64 bytes. Defaults: GTX480.
struct ConstantCacheParameters : ReadOnlyCacheParameters {
    static constexpr std::string_view kTable = "GPGPU-Sim's GTX480 configuration";

    ConstantCacheParameters() {
        sets = 64;
        ways = 2;
    }
    LOOKAHEAD_INHERITED_PARAMETER(enabled, {.help = "false: there is no constant cache; parameters are present from "
                                                    "the start, and loads of .const variables go through L1D.",
                                            .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(sets, {1, 4096, "set"}, {.help = "Sets.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(ways, {1, 64, "line"}, {.help = "Lines of 64 bytes in a set.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(mshrs, {1, 64, "line"},
                                  {.help = "Lines that the cache can await.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(merges, {1, 64, "pass"},
                                  {.help = "Passes of loads that can wait for the same line.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, hit_latency, 35, {1, 1000, "cycle"},
                        {.help = "From the last pass of a load to its value in the registers, on a hit.",
                         .source = "estimate: as L1D's; Jia et al., 2018, find a difference of one cycle on Volta"});
    LOOKAHEAD_ALL_DECLARED;
};

/// The constant cache of an SM, for two kinds of readers:
/// - instructions with an operand in the launch's constant bank, which has the kernel's parameters. They are not ready
/// until their lines are present. The launch supplies the operands, so the cache keeps no bytes for them but one bit
/// per present line, and an instruction's check is one operation;
/// - loads of .const variables, and of parameters at computed addresses, which the load/store unit performs. Each pass
/// reads one word for all lanes that ask for it (Wong et al., ISPASS 2010; CUDA C Programming Guide, "Constant
/// Memory").
/// The cache is read-only and is emptied when a kernel begins. It requests lines through the load/store unit.
class ConstantCache {
  public:
    static constexpr unsigned kBytes = 64;
    static constexpr unsigned kWords = kBytes / 4;
    /// Lines of the constant bank.
    static constexpr unsigned kLines = 64;
    /// A reader is the number of a miss: of the constant cache if this bit is set, otherwise of the instruction cache.
    static constexpr std::uint32_t kReader = 1u << 16;

    using Answer = ReadOnlyCache::Answer;
    /// A pass of a load that waits for its line.
    struct Waiter {
        std::uint32_t token = 0;  ///< the load
        isa::LaneMask lanes = 0;
    };
    /// A line to read from memory for `reader`.
    struct Request {
        std::uint64_t line;  ///< of L1D's size
        SectorMask sectors;
        std::uint32_t reader;
    };

    explicit ConstantCache(const ConstantCacheParameters& parameters)
        : enabled_(parameters.enabled),
          hit_latency_(parameters.hit_latency),
          merges_(static_cast<unsigned>(parameters.merges)),
          tags_(parameters),
          bytes_(parameters.enabled ? tags_.lines() * kBytes : 0),
          waiters_(static_cast<std::size_t>(parameters.mshrs * parameters.merges)),
          waiting_passes_(static_cast<std::size_t>(parameters.mshrs)),
          resident_(~std::uint64_t{0}) {}

    bool enabled() const { return enabled_; }
    Cycle hit_latency() const { return hit_latency_; }
    void begin_kernel();

    // ---- Operands in the constant bank

    /// Marks `lines` (bit i: line i of the bank) as used; returns whether all of them are present.
    bool hold(std::uint64_t lines) {
        used_ |= lines;
        return (lines & ~(resident_ | passing_)) == 0;
    }
    /// Records that the context waits for those of `lines` that are not present; ask() will request them.
    void want(std::uint64_t lines, unsigned context) {
        wanted_ |= lines & ~(resident_ | passing_ | asked_);
        waiting_ |= context_bit(context);
    }
    /// Whether a line must be requested and can be.
    bool can_ask() const { return wanted_ != 0 && tags_.can_miss(); }
    /// Returns the request for one of these lines, for the caller to send; call it only if can_ask().
    Request ask();
    /// After a line has come: removes and returns the contexts that waited for any line. They must check again; then
    /// call `all_looked`.
    ContextMask take_waiting() { return std::exchange(waiting_, {}); }
    /// A line that has come serves all contexts that waited for it, even if it is replaced before their other lines
    /// come. So an instruction gets all its operands, however small the cache is.
    void all_looked() { passing_ = waiting_ == 0 ? 0 : passing_; }

    // ---- Loads

    /// Performs a pass of a load, which reads in the line at the address `line`. After `hit`, bytes() are the line's;
    /// after `missed`, send request(); after `refused`, nothing has changed. `can_send`: whether a request can be sent.
    Answer load(std::uint64_t line, Waiter waiter, bool can_send);
    const std::byte* bytes() const {
        return reinterpret_cast<const std::byte*>(bytes_.data()) + tags_.last_place() * kBytes;
    }
    Request request() const { return request_of(tags_.last_miss()); }

    /// Installs the line of a miss. Calls `serve(waiter)` for each pass that waited; bytes() are the line's.
    void fill(std::uint32_t reader, const std::byte* data, auto&& serve) {
        const unsigned miss = reader & ~kReader;
        install(miss, data);
        const std::uint32_t passes = std::exchange(waiting_passes_[miss], 0);
        for (std::uint32_t i = 0; i < passes; ++i) { serve(waiters_[std::size_t{miss} * merges_ + i]); }
    }

    const ReadOnlyCacheCounters& counters() const { return tags_.counters(); }
    ReadOnlyCacheCounters& counters() { return tags_.counters(); }
    void audit(Audit& audit, const std::string& name) const;

    void fields(StateArchive& archive) {
        archive& tags_& resident_& asked_& wanted_& passing_& used_& waiting_& waiting_passes_& bytes_;
        for (Waiter& waiter : waiters_) { archive& waiter.token& waiter.lanes; }
    }

  private:
    friend struct AuditSabotage;
    static constexpr std::uint64_t kNoBankLine = kLines;

    /// Scales addresses to the line numbers that the tags use.
    static std::uint64_t tag_of(std::uint64_t address) { return address * (kLineBytes / kBytes); }
    static std::uint64_t address_of(std::uint64_t tag) { return tag / (kLineBytes / kBytes); }
    static std::uint64_t bank_line(std::uint64_t address) {
        const std::uint64_t line = (address - isa::kConstantBankBase) / kBytes;
        return line < kLines ? line : kNoBankLine;
    }
    Request request_of(unsigned miss) const;
    void note_asked(std::uint64_t line);
    void install(unsigned miss, const std::byte* data);

    bool enabled_;
    Cycle hit_latency_;
    unsigned merges_;
    ReadOnlyCache tags_;
    std::vector<std::uint8_t> bytes_;
    std::vector<Waiter> waiters_;  ///< `merges_` places for each miss
    std::vector<std::uint32_t> waiting_passes_;
    // Present lines of the constant bank, one bit each.
    std::uint64_t resident_;
    std::uint64_t asked_ = 0;
    std::uint64_t wanted_ = 0;
    std::uint64_t passing_ = 0;  ///< lines that have come since the last time that none waited
    std::uint64_t used_ = 0;     ///< lines used since the last fill, which tells the replacement policy
    ContextMask waiting_;
};

}  // namespace lookahead::gpu
