#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "components/cache/read_only_cache.h"
#include "components/isa/address_space.h"
#include "components/isa/instruction.h"
#include "components/protocols/memory.h"
#include "components/sm/constant/constant_parameters.h"
#include "components/sm/context_states.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead {
class Audit;
}

namespace lookahead::gpu {

/// The constant cache of an SM. It serves two kinds of readers:
///  - instructions with an operand in the launch's constant bank, where the kernel's parameters stand: those whose line
///    is not there do not become ready. What the operands are is the launch's business: the line's bytes are not looked
///    at, and which lines are there is one bit each, so that an instruction's check is one operation;
///  - loads of .const variables, and of parameters at computed addresses, which the load/store unit performs: each pass
///    reads one word, the same for all lanes
///    that ask for it (Wong et al., ISPASS 2010; CUDA C Programming Guide, "Constant Memory").
/// It is read only and is emptied when a kernel begins. Lines are asked for through the load/store unit.
class ConstantCache {
  public:
    static constexpr unsigned kBytes = 64;
    static constexpr unsigned kWords = kBytes / 4;
    /// Lines of the constant bank.
    static constexpr unsigned kLines = 64;
    /// Readers of lines are the instruction cache's misses and, with this bit, the constant cache's.
    static constexpr std::uint32_t kReader = 1u << 16;

    enum class Answer : std::uint8_t { hit, missed, merged, refused };
    /// A pass of a load that waits for its line.
    struct Waiter {
        std::uint32_t token = 0;  ///< the load
        isa::LaneMask lanes = 0;
    };
    /// What is to be read of memory, for the reader `reader`.
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

    bool hold(std::uint64_t lines) {
        used_ |= lines;
        return (lines & ~(resident_ | passing_)) == 0;
    }
    /// The context waits for lines that are not held.
    void want(std::uint64_t lines, unsigned context) {
        wanted_ |= lines & ~(resident_ | passing_ | asked_);
        waiting_ |= context_bit(context);
    }
    /// Some line must be asked for and can be.
    bool can_ask() const { return wanted_ != 0 && tags_.can_miss(); }
    /// Asks for one of them; can_ask holds.
    Request ask();
    /// After a line has come: the contexts that waited, for it or another. They look again at once, and then
    /// `all_looked` is called.
    ContextMask take_waiting() { return std::exchange(waiting_, {}); }
    /// A line that has come serves those who wait, even if it is replaced before they have got their others. So an
    /// instruction gets all its operands, however small the cache is.
    void all_looked() { passing_ = waiting_ == 0 ? 0 : passing_; }

    // ---- Loads

    /// A pass of a load reads in the line at `line`. After `hit`, bytes() are the line's; after `missed`, request() is
    /// to be sent; after `refused` nothing has changed. `can_send`: whether a request could be sent.
    Answer load(std::uint64_t line, Waiter waiter, bool can_send);
    const std::byte* bytes() const {
        return reinterpret_cast<const std::byte*>(bytes_.data()) + tags_.last_place() * kBytes;
    }
    Request request() const { return request_of(tags_.last_miss()); }

    /// The line of a miss has come. `serve(waiter)` is called for each pass that waited; bytes() are the line's.
    template <class Serve>
    void fill(std::uint32_t reader, const std::byte* data, Serve&& serve) {
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

    /// Numbers of lines, as the tags count them.
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
    // Lines of the constant bank, one bit each.
    std::uint64_t resident_;
    std::uint64_t asked_ = 0;
    std::uint64_t wanted_ = 0;
    std::uint64_t passing_ = 0;  ///< have come since last nobody waited
    std::uint64_t used_ = 0;     ///< since the last fill, which is when replacement hears of it
    ContextMask waiting_;
};

}  // namespace lookahead::gpu
