#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/sm/pipeline/issue_source.h"
#include "components/sm/pipeline/stream_set.h"
#include "core/lp/audit.h"
#include "core/time/time.h"

namespace lookahead {
class StateArchive;
}  // namespace lookahead

namespace lookahead::gpu {

struct IssueExtensionArguments;
struct PipelineState;
class IssueStage;

/// An extension's decisions about its streams.
class StreamPolicy {
  public:
    virtual ~StreamPolicy() = default;
    /// Returns the state of a stream whose next instruction is in its buffer: one of those after `branching` in
    /// ContextState.
    virtual ContextState judge(unsigned stream) = 0;
    /// Whether any stream may issue.
    virtual bool may_issue() const { return true; }
    /// Whether the stream, which is ready and has its turn, may issue; false passes the turn to the next one.
    virtual bool accepts(unsigned) const { return true; }
    /// Issues the stream's next instruction and advances the stream.
    virtual void issue(unsigned scheduler, unsigned stream, Cycle now) = 0;
    /// The stream's next instruction is not the following one.
    virtual void jumped(unsigned) {}
};

/// A set of streams that an extension adds to an SM. The SM's stages serve them like the warps' streams: they are
/// fetched when their priority allows it; wait as their policy judges; share units, collectors and the load/store unit;
/// and branch with the branch latency. The policy decides what an instruction does and which registers it writes.
///
/// A stream is vacant until it is started. `held`: the policy resumes it. `passing`: the policy executes its next
/// instruction, which needs no issue. A stream that misses in the instruction cache asks again when a line has come. It
/// does not wait in the cache, where a fetch for it might reach its warp.
class ExtensionStreams final : public IssueSource {
  public:
    struct Shape {
        unsigned count;  ///< up to kMaximumContexts
        IssuePriority priority = IssuePriority::below;
        std::vector<ContextMask> of_scheduler;  ///< the streams that may issue through each scheduler
    };
    /// Adds itself to the SM's stages; the policy must outlive it.
    ExtensionStreams(const IssueExtensionArguments& arguments, StreamPolicy& policy, Shape shape);
    ExtensionStreams(const ExtensionStreams&) = delete;
    ExtensionStreams& operator=(const ExtensionStreams&) = delete;

    /// The longest delay that the set schedules, if resume_after gets at most `hold` cycles.
    static Cycle longest_delay(const PipelineState& state, Cycle hold);

    StreamSet& set() { return set_; }
    const StreamSet& set() const { return set_; }
    Stream& operator[](unsigned stream) { return set_.streams[stream]; }
    const Stream& operator[](unsigned stream) const { return set_.streams[stream]; }
    ContextMask in(ContextState state) const { return set_.states.in(state); }
    /// Streams that have been started and not stopped.
    ContextMask running() const { return set_.states.occupied(); }

    void begin_launch();
    /// Starts the stream, held and with an empty buffer. The caller sets SIMT state, predicates, scoreboard and map.
    Stream& start(unsigned stream);
    void stop(unsigned stream);
    void hold(unsigned stream) { set_.states.set(stream, ContextState::held); }
    void resume(unsigned stream) {
        set_.states.set(stream, ContextState::blocked_by_pipeline);
        renew(stream);
    }
    /// Resumes a held stream after `cycles` cycles; 0: at once.
    void resume_after(unsigned stream, Cycle cycles, Cycle now);
    /// Determines again what the stream waits for, unless it is vacant, held or at a branch.
    void renew(unsigned stream);
    /// Judges waiting streams again; call it when lines of constants have come.
    void renew_waiting();

    /// Advances to the next instruction. Returns false if no lane is left; the caller must hold or stop the stream.
    bool advance(unsigned stream);
    /// Branches with the lanes of `taken`; returns as advance(). await_branch or the policy decides what follows.
    bool branch(unsigned stream, isa::LaneMask taken, const isa::Instruction& instruction);
    /// For a policy that keeps the stream's stack itself: continues at `pc`. `issued`: the current instruction has
    /// issued. The stream's own stack must have one path.
    void go_to(unsigned stream, std::uint32_t pc, bool issued);
    /// Lets the stream continue when the branch is resolved, `longer` cycles later than a warp's branch.
    void await_branch(unsigned stream, Cycle now, Cycle longer = 0);

    // For the stages:
    IssuePriority priority() const override { return shape_.priority; }
    bool issue(unsigned scheduler, Cycle now) override;
    Cycle next_issue(Cycle now) const override;
    /// Streams for which the fetch stage may fetch.
    ContextMask wants_fetch() const { return in(ContextState::fetching) & ~(under_way_ | refused_); }
    ContextMask of_scheduler(unsigned scheduler) const { return shape_.of_scheduler[scheduler]; }
    void fetch_begun(unsigned stream, unsigned instructions, Cycle now);
    void fetch_refused(unsigned stream) { refused_ |= context_bit(stream); }
    void line_came() { refused_ = {}; }
    void fetched(unsigned stream, std::uint32_t detail);
    void resumed(unsigned stream, std::uint32_t generation);

    void audit(Audit& audit, const std::string& sm, const std::string& what) const {
        audit.leak(sm, what, running().count());
    }
    void fields(StateArchive& archive);

  private:
    static constexpr unsigned kCountBits = 8;  ///< bits of a fetch event's detail that count its instructions
    static constexpr std::uint32_t kGenerations = 1u << (32 - kCountBits);

    bool left(unsigned stream, std::uint32_t pc);
    /// Whether the event is for the stream's present run; events of earlier runs are dropped.
    bool is_current(unsigned stream, std::uint32_t generation) const {
        return set_.states.of(stream) != ContextState::vacant && generations_[stream] == generation;
    }

    PipelineState& state_;
    IssueStage& issue_;
    StreamPolicy& policy_;
    const Shape shape_;
    StreamSet set_;
    std::uint8_t number_;  ///< among the SM's sets
    ContextMask under_way_ = 0;
    ContextMask refused_ = 0;                 ///< streams whose line was missing; they ask again when a line has come
    std::vector<std::uint32_t> generations_;  ///< change with each start
    std::vector<std::uint32_t> last_;         ///< by scheduler: the stream that issued last
};

}  // namespace lookahead::gpu
