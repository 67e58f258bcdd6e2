#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/sm/pipeline/issue_source.h"
#include "components/sm/pipeline/stream_set.h"
#include "core/time/time.h"

namespace lookahead {
class Audit;
class StateArchive;
}  // namespace lookahead

namespace lookahead::gpu {

struct IssueExtensionArguments;
struct PipelineState;
class IssueStage;

/// What an extension says about its streams.
class StreamPolicy {
  public:
    virtual ~StreamPolicy() = default;
    /// What the stream waits for, whose next instruction is in its buffer: of the states behind `branching`.
    virtual ContextState judge(unsigned stream) = 0;
    /// No stream issues while this is false.
    virtual bool may_issue() const { return true; }
    /// The stream is ready and it is its turn. False: the next one has it.
    virtual bool accepts(unsigned) const { return true; }
    /// Issues the stream's next instruction and moves the stream on.
    virtual void issue(unsigned scheduler, unsigned stream, Cycle now) = 0;
    /// The stream has gone elsewhere than to the next instruction.
    virtual void jumped(unsigned) {}
};

/// A set of streams that an extension adds to an SM. The SM's stages serve them as they do the warps': they are fetched
/// for, in cycles in which their priority leaves the fetch to them; wait for what their policy judges that they wait
/// for; share units, collectors and the load/store unit; branch with the branch latency. What an instruction does, and
/// which registers it writes, is the policy's.
///
/// A stream is vacant until it is started. `held`: the policy resumes it. `passing`: the policy does its next
/// instruction, which needs no issue. A stream that misses the instruction cache asks again when a line has come: it
/// does not wait in the cache, where what was fetched for it might reach its warp.
class ExtensionStreams final : public IssueSource {
  public:
    struct Shape {
        unsigned count;  ///< up to kMaximumContexts
        IssuePriority priority = IssuePriority::below;
        std::vector<ContextMask> of_scheduler;  ///< the streams that may issue through each scheduler
    };
    /// Adds itself to the SM's stages; the policy outlives it.
    ExtensionStreams(const IssueExtensionArguments& arguments, StreamPolicy& policy, Shape shape);
    ExtensionStreams(const ExtensionStreams&) = delete;
    ExtensionStreams& operator=(const ExtensionStreams&) = delete;

    /// The longest that the set looks ahead; `hold` cycles are the longest of resume_after.
    static Cycle longest_delay(const PipelineState& state, Cycle hold);

    StreamSet& set() { return set_; }
    const StreamSet& set() const { return set_; }
    Stream& operator[](unsigned stream) { return set_.streams[stream]; }
    const Stream& operator[](unsigned stream) const { return set_.streams[stream]; }
    ContextMask in(ContextState state) const { return set_.states.in(state); }
    /// Streams that have been started and not stopped.
    ContextMask running() const { return set_.states.occupied(); }

    void begin_launch();
    /// The stream begins, held, with an empty buffer. SIMT state, predicates, scoreboard and map are the caller's.
    Stream& start(unsigned stream);
    void stop(unsigned stream);
    void hold(unsigned stream) { set_.states.set(stream, ContextState::held); }
    void resume(unsigned stream) {
        set_.states.set(stream, ContextState::blocked_by_pipeline);
        renew(stream);
    }
    /// A held stream is resumed `cycles` cycles later, 0: at once.
    void resume_after(unsigned stream, Cycle cycles, Cycle now);
    /// Finds out again what the stream waits for, unless it is vacant, held or at a branch.
    void renew(unsigned stream);
    /// Lines of constants have come: what waits is judged again.
    void renew_waiting();

    /// On to the next instruction. False: no lane runs, and the stream is to be held or stopped.
    bool advance(unsigned stream);
    /// The lanes of `taken` branch; then as advance(), but that await_branch or the policy says what comes next.
    bool branch(unsigned stream, isa::LaneMask taken, const isa::Instruction& instruction);
    /// For a policy that keeps the stack of the stream itself: on to the instruction at `pc`, which an instruction
    /// before or an event elsewhere leads to; `issued`: the one where it was has issued. The stream's own stack has one
    /// path.
    void go_to(unsigned stream, std::uint32_t pc, bool issued);
    /// The stream goes on when the branch is resolved, which may take longer than a warp's.
    void await_branch(unsigned stream, Cycle now, Cycle longer = 0);

    // For the stages.
    IssuePriority priority() const override { return shape_.priority; }
    bool issue(unsigned scheduler, Cycle now) override;
    Cycle next_issue(Cycle now) const override;
    /// Streams for which the fetch stage may fetch, of all or of those of a scheduler.
    ContextMask wants_fetch() const { return in(ContextState::fetching) & ~(under_way_ | refused_); }
    ContextMask of_scheduler(unsigned scheduler) const { return shape_.of_scheduler[scheduler]; }
    void fetch_begun(unsigned stream, unsigned instructions, Cycle now);
    void fetch_refused(unsigned stream) { refused_ |= context_bit(stream); }
    void line_came() { refused_ = {}; }
    void fetched(unsigned stream, std::uint32_t detail);
    void resumed(unsigned stream, std::uint32_t generation);

    void audit(Audit& audit, const std::string& sm, const std::string& what) const;
    void fields(StateArchive& archive);

  private:
    static constexpr unsigned kCountBits = 8;  ///< of a fetch's detail: how many instructions it brings
    static constexpr std::uint32_t kGenerations = 1u << (32 - kCountBits);

    bool left(unsigned stream, std::uint32_t pc);
    /// An event of a stream that has been stopped or started anew since is nobody's.
    bool is_current(unsigned stream, std::uint32_t generation) const;

    PipelineState& state_;
    IssueStage& issue_;
    StreamPolicy& policy_;
    const Shape shape_;
    StreamSet set_;
    std::uint8_t number_;  ///< among the SM's sets
    ContextMask under_way_ = 0;
    ContextMask refused_ = 0;                 ///< their line was missing; they ask again when a line has come
    std::vector<std::uint32_t> generations_;  ///< change with each start
    std::vector<std::uint32_t> last_;         ///< of each scheduler, the stream that issued last
};

}  // namespace lookahead::gpu
