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
}  // namespace lookahead

namespace lookahead::gpu {

struct PipelineState;
class ExecuteStage;
class IssueStage;

/// Arguments for an issue extension's construction: the SM's stages, which outlive it, and its number on the SM.
struct IssueExtensionArguments {
    PipelineState& state;
    IssueStage& issue;
    ExecuteStage& execute;
    LoadStoreUnit& memory;
    std::uint8_t number = 0;
};

/// QueueServer, RegisterRenaming and OwnUnit are parts that an extension may have besides its hooks; it returns those
/// that it has. All their calls are about contexts that it attends.
///
/// QueueServer: the queues between a kernel's programs, from `enqueue` in the extension's own stream to the warps'
/// dequeues. Kernels that dequeue are refused without such an extension; a configuration may name at most one.
class QueueServer {
  public:
    /// Writes the lanes' addresses for the context's issuing instruction, an access that dequeues.
    virtual void dequeue_addresses(unsigned context, isa::LaneMask lanes, std::uint64_t* addresses) = 0;

  protected:
    ~QueueServer() = default;
};

/// The extension's own rows for the registers of warps.
class RegisterRenaming {
  public:
    /// The `count` operands of the context's issuing instruction are read from `rows` until `collected`.
    virtual void collecting(unsigned context, const std::uint16_t* rows, unsigned count, Cycle collected,
                            Cycle now) = 0;
    /// The context's next instruction is not the following one.
    virtual void transferred(unsigned context) = 0;

  protected:
    ~RegisterRenaming() = default;
};

/// The extension's own unit for warps' instructions.
class OwnUnit {
  public:
    /// Called after before_execution. If not kNever, the instruction goes to this unit, none of the SM's, and its
    /// latency counts from the returned cycle. `classify` must have set the context's state to ready for `control`.
    virtual Cycle enters(unsigned context, Cycle now) = 0;

  protected:
    ~OwnUnit() = default;
};

/// Slot "sm.issue_extension": an extension of the SM that works beside the warps' own streams. It may add instruction
/// streams (ExtensionStreams) and issue sources, execute a warp's instructions in its place, and map a warp's registers
/// to other rows. An SM may have several, joined by `+`; those that attend a context are called in the order in which
/// the configuration names them.
///
/// Contract:
/// - `begin_cycle` is called in each cycle that is stepped, after due events and before the schedulers; `next_cycle`
/// says when it must be called.
/// - the hooks about a context are called only while the extension attends it (`attend`), but `warp_started` and
/// `warp_exited` always.
/// - `schedule` is called with at most `longest_delay` cycles and leads to `event`; a load's token leads to
/// `load_completed`.
/// - it never changes what a warp computes, nor the order of its memory accesses.
/// - a CTA may retire while its instructions are in flight; a kernel ends after the last of these.
/// - `fields` has all state; within a launch, `begin_launch` is called before the state is loaded.
class IssueExtension {
  public:
    static constexpr SlotDeclaration kSlot{
        "sm.issue_extension", "none", "What works beside the warps' own instruction streams; several joined by '+'.",
        true};
    using Arguments = std::tuple<const IssueExtensionArguments&>;

    explicit IssueExtension(const IssueExtensionArguments& arguments) : sm_(arguments), state_(arguments.state) {}
    virtual ~IssueExtension() = default;

    /// The longest delay that it schedules, in cycles. It depends on the extension's parameters alone and is asked
    /// once.
    virtual Cycle longest_delay() const { return 0; }

    virtual void begin_launch() {}
    virtual void warp_started(unsigned) {}
    virtual void warp_exited(unsigned) {}
    virtual void begin_cycle(Cycle) {}
    /// Least cycle > `now` for which begin_cycle has work if nothing else happens; kNever when none.
    virtual Cycle next_cycle(Cycle) const { return kNever; }

    // ---- For contexts that it attends
    // Determines what the context waits for, see PipelineState::classify. Returns true if it has set the state.
    virtual bool classify(unsigned) { return false; }
    /// The scheduler has picked the context. True: the extension has executed its next instruction, without a unit.
    virtual bool supply(unsigned, Cycle) { return false; }
    /// An extension, this one or another, has executed the context's instruction at `pc` for the lanes.
    virtual void supplied(unsigned, std::uint32_t, isa::LaneMask) {}
    /// The context's next instruction issues itself and reads its operands from the present register map.
    virtual void before_execution(unsigned, Cycle) {}
    /// The context's instruction at `pc` has written all its destinations, or one more element of a vector.
    virtual void written_back(unsigned, std::uint32_t, bool /*all*/) {}

    /// Contexts for which a stream of the extension runs while their own waits, for traces.
    virtual ContextMask extended() const { return 0; }

    // ---- Its other parts; null: it has no such part
    virtual QueueServer* queue_server() { return nullptr; }
    virtual RegisterRenaming* renaming() { return nullptr; }
    virtual OwnUnit* own_unit() { return nullptr; }

    /// An event that it scheduled is due.
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
    void attend(unsigned context, bool attended);
    /// Calls `event(index, detail, at)` at `at` > now.
    void schedule(unsigned index, std::uint32_t detail, Cycle now, Cycle at);
    /// The token (MemoryInstruction::token) for the extension's memory instruction number `own`, 1 to kTokens.
    /// load_completed receives `own` again.
    std::uint16_t token_of(unsigned own) const { return static_cast<std::uint16_t>(sm_.number << kTokenBits | own); }

    const IssueExtensionArguments sm_;
    PipelineState& state_;

  private:
    ContextMask attended_ = 0;
};

/// The extensions of an SM, in the order in which the configuration names them.
class Extensions {
  public:
    /// Reads "sm.issue_extension". Throws ConfigurationError for names that cannot be combined.
    Extensions(const Configuration& configuration, IssueExtensionArguments arguments);

    bool empty() const { return list_.empty(); }
    Cycle longest_delay() const;

    template <class F>
    void for_each(F&& f) const {
        for (const auto& extension : list_) { f(*extension); }
    }
    template <class F>
    void for_attending(unsigned context, F&& f) const {
        for (const auto& extension : list_) {
            if (extension->attends(context)) { f(*extension); }
        }
    }
    /// The same for what some of them have besides: `of` is &IssueExtension::renaming or &IssueExtension::own_unit.
    template <class Part, class F>
    void for_attending(unsigned context, Part* (IssueExtension::*of)(), F&& f) const {
        for_attending(context, [&](IssueExtension& extension) {
            if (Part* part = (extension.*of)(); part != nullptr) { f(*part); }
        });
    }
    IssueExtension& operator[](std::size_t number) const { return *list_[number]; }

    // Returns true if an attending extension has set the context's state.
    bool classify(unsigned context) const;
    bool supply(unsigned context, Cycle now) const;
    Cycle next_cycle(Cycle now) const;
    ContextMask extended() const;
    bool attended(unsigned context) const;
    /// The one that serves queues; null if none does.
    QueueServer* queues() const { return queues_; }
    void load_completed(std::uint16_t token, const isa::Instruction& instruction, Cycle now) const;

    void fields(StateArchive& archive) const;

  private:
    std::vector<std::unique_ptr<IssueExtension>> list_;
    QueueServer* queues_ = nullptr;
};

}  // namespace lookahead::gpu
