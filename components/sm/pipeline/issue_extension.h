#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "components/sm/context_states.h"
#include "components/sm/pipeline/issue_source.h"
#include "core/component/slot.h"

namespace lookahead {
class Audit;
class StateArchive;
class StatisticsVisitor;
}  // namespace lookahead

namespace lookahead::isa {
struct Instruction;
}  // namespace lookahead::isa

namespace lookahead::gpu {

struct DecodedInstruction;
struct PipelineState;
class ExecuteStage;
class IssueStage;
class LoadStoreUnit;

/// What an issue extension is built from: the SM's stages, which outlive it.
struct IssueExtensionArguments {
    PipelineState& state;
    IssueStage& issue;
    ExecuteStage& execute;
    LoadStoreUnit& memory;
};

/// Slot "sm.issue_extension": further instruction streams beside the warps' own, and what they leave for those. It is an
/// issue source; the fetch stage fetches for its streams when no warp of the group wants a fetch; it may hand a warp's instructions
/// over as executed already, and put a warp's registers into other rows.
///
/// Contract:
/// - `begin_cycle` is called in each cycle that is stepped, after what is due and before the schedulers; `next_issue`
///   says when it must be stepped (IssueSource).
/// - the hooks about a context are called only while its bit in PipelineState::attended is set, which the extension sets
///   and clears; `warp_started` and `warp_exited` always.
/// - what it schedules in the timing wheel as PipelineEvent::Kind::extension comes back to `event`; a load's token to
///   `load_completed`.
/// - it never changes what a warp computes, nor the order of its memory accesses.
/// - a CTA may retire while its instructions are in flight; a kernel ends after the last of these.
/// - all state is in `fields`; `begin_launch` is called before it is loaded within a launch.
class IssueExtension : public IssueSource {
  public:
    virtual void begin_launch() {}
    virtual void warp_started(unsigned) {}
    /// All lanes of the warp have exited.
    virtual void warp_exited(unsigned) {}
    virtual void begin_cycle(Cycle now) = 0;

    // ---- Of contexts in PipelineState::attended
    /// The context's state is to be found out again, see PipelineState::classify. True: the extension has set it.
    virtual bool classify(unsigned) { return false; }
    /// The scheduler has picked the context. True: the extension has done its next instruction, which needed no unit.
    virtual bool supply(unsigned, Cycle) { return false; }
    /// The context's next instruction issues by itself, with its operands read from the register map as it is now.
    virtual void before_execution(unsigned, Cycle) {}
    /// Its operands are read until `collected`; `rows` are theirs.
    virtual void collecting(unsigned, const std::uint16_t*, unsigned, Cycle, Cycle) {}
    /// The context's stream has gone elsewhere than to the next instruction.
    virtual void transferred(unsigned) {}
    /// The context's instruction at `pc` has written its destinations.
    virtual void written_back(unsigned, std::uint32_t) {}

    // ---- Fetch
    /// Contexts whose stream of the extension wants a fetch.
    virtual ContextMask wants_fetch() const { return 0; }
    virtual std::uint32_t fetch_pc(unsigned) const { return 0; }
    /// A fetch of `instructions` instructions has begun and takes `latency` cycles.
    virtual void fetch_begun(unsigned, unsigned, Cycle) {}

    /// Contexts for which a stream of the extension runs while their own waits, for traces.
    virtual ContextMask extended() const { return 0; }

    virtual void event(unsigned context, std::uint32_t detail, Cycle now) = 0;
    virtual void load_completed(std::uint16_t, const isa::Instruction&, Cycle) {}
    virtual void constants_came() {}

    virtual void audit(Audit&, const std::string& sm) const { static_cast<void>(sm); }
    virtual void visit_statistics(StatisticsVisitor&, const std::string& sm) const { static_cast<void>(sm); }
    virtual void fields(StateArchive& archive) = 0;
};

/// Null for the variant "none".
std::unique_ptr<IssueExtension> make_issue_extension(const Configuration& configuration,
                                                     const IssueExtensionArguments& arguments);

}  // namespace lookahead::gpu

template <>
struct lookahead::SlotTraits<lookahead::gpu::IssueExtension> {
    static constexpr std::string_view name = "sm.issue_extension";
    static constexpr std::string_view default_variant = "none";
    static constexpr std::string_view description = "Instruction streams of an SM beside the warps' own.";
    using Arguments = std::tuple<const lookahead::gpu::IssueExtensionArguments&>;
};
