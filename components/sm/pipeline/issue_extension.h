#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "components/isa/lane_mask.h"
#include "components/sm/context_states.h"
#include "components/sm/lsu/load_store_unit.h"
#include "core/component/slot.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead {
class Audit;
class StatisticsVisitor;
}  // namespace lookahead

namespace lookahead::isa {
struct Instruction;
}  // namespace lookahead::isa

namespace lookahead::gpu {

struct PipelineState;
class ExecuteStage;
class IssueStage;

/// What an issue extension is built from: the SM's stages, which outlive it, and its number among the SM's extensions.
struct IssueExtensionArguments {
    PipelineState& state;
    IssueStage& issue;
    ExecuteStage& execute;
    LoadStoreUnit& memory;
    std::uint8_t number = 0;
};

/// Slot "sm.issue_extension": what works beside the warps' own streams and changes what is left for those. An extension
/// may add instruction streams (ExtensionStreams) and issue sources, hand a warp's instructions over as executed
/// already, and put a warp's registers into other rows. An SM may have several, joined by `+`: of those that attend a
/// context each is asked or told in the order of their names.
///
/// Contract:
/// - `begin_cycle` is called in each cycle that is stepped, after what is due and before the schedulers; `next_cycle`
///   says when it must be.
/// - the hooks about a context are called only while the extension attends it (`attend`); `warp_started` and
///   `warp_exited` always.
/// - what it schedules (`schedule`) is at most `longest_delay` cycles ahead and comes back to `event`; a load's token
///   to `load_completed`.
/// - it never changes what a warp computes, nor the order of its memory accesses.
/// - a CTA may retire while its instructions are in flight; a kernel ends after the last of these.
/// - all state is in `fields`; `begin_launch` is called before it is loaded within a launch.
class IssueExtension {
  public:
    explicit IssueExtension(const IssueExtensionArguments& arguments)
        : state_(arguments.state), number_(arguments.number) {}
    virtual ~IssueExtension() = default;

    /// The longest that it looks ahead, in cycles: from its parameters, asked once.
    virtual Cycle longest_delay() const { return 0; }

    virtual void begin_launch() {}
    virtual void warp_started(unsigned) {}
    /// All lanes of the warp have exited.
    virtual void warp_exited(unsigned) {}
    virtual void begin_cycle(Cycle) {}
    /// Least cycle > `now` for which begin_cycle has work if nothing else happens; kNever when none.
    virtual Cycle next_cycle(Cycle) const { return kNever; }

    // ---- Of contexts that it attends
    /// The context's state is to be found out again, see PipelineState::classify. True: the extension has set it.
    virtual bool classify(unsigned) { return false; }
    /// The scheduler has picked the context. True: the extension has done its next instruction, which needed no unit.
    virtual bool supply(unsigned, Cycle) { return false; }
    /// An extension, this one or another, has done the context's instruction at `pc` for the lanes.
    virtual void supplied(unsigned, std::uint32_t, isa::LaneMask) {}
    /// The context's next instruction issues by itself, with its operands read from the register map as it is now.
    virtual void before_execution(unsigned, Cycle) {}
    /// The same, after that. Not kNever: it goes to a unit of the extension's own and takes none of the SM's; its
    /// latency counts from the cycle that is returned. `classify` has set such a context's state to ready_control.
    virtual Cycle enters_own_unit(unsigned, Cycle) { return kNever; }
    /// Its operands are read until `collected`; `rows` are theirs.
    virtual void collecting(unsigned, const std::uint16_t*, unsigned, Cycle, Cycle) {}
    /// The context's stream has gone elsewhere than to the next instruction.
    virtual void transferred(unsigned) {}
    /// The context's instruction at `pc` has written its destinations: all of them, or one more element of a vector.
    virtual void written_back(unsigned, std::uint32_t, bool /*all*/) {}

    /// Contexts for which a stream of the extension runs while their own waits, for traces.
    virtual ContextMask extended() const { return 0; }

    /// It has the queues between a kernel's programs: `enqueue` in a stream of its own, and what warps dequeue. Without
    /// such an extension kernels that dequeue are refused; a configuration may name one.
    virtual bool serves_queues() const { return false; }
    /// The context's next instruction, which issues, is an access that dequeues: the addresses of its lanes.
    virtual void dequeue_addresses(unsigned, isa::LaneMask, std::uint64_t*) {}

    virtual void event(unsigned, std::uint32_t, Cycle) {}
    virtual void load_completed(std::uint16_t, const isa::Instruction&, Cycle) {}

    /// What its streams and queues wait for, for the deadlock report; empty: nothing.
    virtual std::string waiting_for() const { return {}; }
    virtual void audit(Audit& audit, const std::string& sm) const { static_cast<void>(audit), static_cast<void>(sm); }
    virtual void visit_statistics(StatisticsVisitor&, const std::string& sm) const { static_cast<void>(sm); }
    virtual void fields(StateArchive&) {}

    static constexpr unsigned kMost = 4;  ///< extensions of an SM
    static constexpr unsigned kTokenBits = 14;
    static constexpr unsigned kTokens = (1u << kTokenBits) - 1;

    bool attends(unsigned context) const { return attended_.has(context); }
    void attendance_fields(StateArchive& archive) { archive& attended_; }

  protected:
    /// Among the SM's extensions.
    unsigned number() const { return number_; }
    void attend(unsigned context, bool attended);
    /// `event(index, detail, at)` is called at `at` > now.
    void schedule(unsigned index, std::uint32_t detail, Cycle now, Cycle at);
    /// The token for a memory instruction of the extension (MemoryInstruction::token), from its own number of it: 1 to
    /// kTokens. load_completed gets the extension's own number again.
    std::uint16_t token_of(unsigned own) const { return static_cast<std::uint16_t>(number_ << kTokenBits | own); }

    PipelineState& state_;

  private:
    ContextMask attended_ = 0;
    std::uint8_t number_;
};

/// The extensions of an SM, in the order in which the configuration names them.
class Extensions {
  public:
    /// Reads "sm.issue_extension". ConfigurationError for names that cannot stand together.
    Extensions(const Configuration& configuration, IssueExtensionArguments arguments);

    bool empty() const { return list_.empty(); }
    Cycle longest_delay() const;

    template <class F>
    void for_each(F&& f) const {
        for (const auto& extension : list_) { f(*extension); }
    }
    /// Those that attend the context.
    template <class F>
    void for_attending(unsigned context, F&& f) const {
        for (const auto& extension : list_) {
            if (extension->attends(context)) { f(*extension); }
        }
    }
    IssueExtension& operator[](std::size_t number) const { return *list_[number]; }

    // True: one of those that attend the context has done it.
    bool classify(unsigned context) const;
    bool supply(unsigned context, Cycle now) const;
    Cycle next_cycle(Cycle now) const;
    ContextMask extended() const;
    bool attended(unsigned context) const;
    /// The one that serves queues; null if none does.
    IssueExtension* queues() const { return queues_; }
    void load_completed(std::uint16_t token, const isa::Instruction& instruction, Cycle now) const;

    void fields(StateArchive& archive) const;

  private:
    std::vector<std::unique_ptr<IssueExtension>> list_;
    IssueExtension* queues_ = nullptr;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::SlotTraits<lookahead::gpu::IssueExtension> {
    static constexpr std::string_view name = "sm.issue_extension";
    static constexpr std::string_view default_variant = "none";
    static constexpr bool takes_several = true;
    static constexpr std::string_view description =
        "What works beside the warps' own instruction streams; several joined by '+'.";
    using Arguments = std::tuple<const lookahead::gpu::IssueExtensionArguments&>;
};
