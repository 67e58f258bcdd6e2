#include "tests/support/execution_trace/traced_extension.h"

#include <algorithm>
#include <utility>

#include "components/mechanisms/pmode/pmode.h"
#include "tests/support/execution_trace/trace_checker.h"

namespace lookahead::test {

using gpu::ContextMask;
using gpu::DecodedInstruction;
using gpu::IssueExtensionArguments;

LOOKAHEAD_REGISTER_VARIANT(gpu::IssueExtension, TracedBaseline, "traced", "Tells what warps execute.", "tests")
LOOKAHEAD_REGISTER_VARIANT(gpu::IssueExtension, TracedPmode, "traced_pmode", "P-mode; tells what warps execute.",
                           "tests")

TracedPmode::TracedPmode(const Parameters& parameters, const IssueExtensionArguments& arguments)
    : TracedExtension(arguments, std::make_unique<gpu::Pmode>(parameters, arguments)) {}

TracedExtension::TracedExtension(const IssueExtensionArguments& arguments, std::unique_ptr<gpu::IssueExtension> inner)
    : state_(arguments.state),
      execute_(arguments.execute),
      inner_(std::move(inner)),
      warps_(arguments.state.contexts.size()) {}

/// The extension's calls lead to further ones: only the outermost changes over.
class TracedExtension::Turn {
  public:
    explicit Turn(TracedExtension& owner) : owner_(owner) {
        if (owner_.depth_++ == 0) {
            owner_.state_.attended = owner_.attended_;
        }
    }
    ~Turn() {
        if (--owner_.depth_ == 0) {
            owner_.attended_ = owner_.state_.attended;
            owner_.state_.attended = ~ContextMask{0};
        }
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    TracedExtension& owner_;
};

bool TracedExtension::attends(unsigned context) const {
    return ((depth_ > 0 ? state_.attended : attended_) & gpu::context_bit(context)) != 0;
}

// ---- Telling --------------------------------------------------------------------------------------------------------

/// Its result comes when it is written back; that of all others stands in the registers when the warp goes on.
bool TracedExtension::awaits_memory(const Step& step) const {
    const DecodedInstruction& decoded = (*state_.kernel)[step.pc];
    return decoded.action == gpu::Action::memory && decoded.writes && step.active != 0;
}

TracedExtension::Step TracedExtension::issued(unsigned context, std::uint32_t pc, isa::LaneMask active) {
    TraceChecker* checker = TraceChecker::current();
    return {checker == nullptr ? 0 : checker->issued(warps_[context].name, state_.kernel->kernel(), pc, active), pc,
            active};
}

void TracedExtension::written(unsigned context, const Step& step) {
    if (TraceChecker* checker = TraceChecker::current()) {
        const isa::Kernel& kernel = state_.kernel->kernel();
        const isa::Instruction& instruction = kernel.code[step.pc];
        const std::uint16_t* map = state_.map.of(context);
        words_.clear();
        append_written(
            instruction, step.active, state_.contexts[context].predicates,
            [&](unsigned i) { return state_.registers.row(map[instruction.destination + i]); }, words_);
        checker->written(warps_[context].name, kernel, step.number, words_);
    }
}

/// The warp goes on: what it issued last is written, if it is no load.
void TracedExtension::finish_last(unsigned context) {
    std::vector<Step>& steps = warps_[context].steps;
    if (!steps.empty() && !awaits_memory(steps.back())) {
        written(context, steps.back());
        steps.pop_back();
    }
}

void TracedExtension::begin_launch() {
    state_.attended = ~ContextMask{0};
    if (inner_ != nullptr) {
        const Turn turn(*this);
        inner_->begin_launch();
    }
}

void TracedExtension::warp_started(unsigned context) {
    Warp& warp = warps_[context];
    warp.steps.clear();
    warp.name[0] = state_.launch.fields.launch;
    warp.name[4] = state_.contexts[context].first_thread;
    for (unsigned i = 0; i < 3; ++i) {
        isa::Instruction instruction;
        instruction.special =
            static_cast<isa::SpecialRegister>(static_cast<unsigned>(isa::SpecialRegister::ctaid_x) + i);
        isa::Row values[2];
        execute_.read_special(context, instruction, state_.now, values);
        warp.name[1 + i] = values[0].lanes[0];
    }
    if (inner_ != nullptr) {
        const Turn turn(*this);
        inner_->warp_started(context);
    }
}

void TracedExtension::warp_exited(unsigned context) {
    finish_last(context);
    if (inner_ != nullptr) {
        const Turn turn(*this);
        inner_->warp_exited(context);
    }
}

bool TracedExtension::supply(unsigned context, Cycle now) {
    finish_last(context);
    if (!attends(context)) {
        return false;
    }
    const gpu::StreamContext& stream = state_.contexts[context];
    const std::uint32_t pc = stream.stack.pc();
    const isa::LaneMask active = (*state_.kernel)[pc].guarded_lanes(stream.stack.active(), stream.predicates);
    const Turn turn(*this);
    if (!inner_->supply(context, now)) {
        return false;
    }
    written(context, issued(context, pc, active));
    return true;
}

void TracedExtension::before_execution(unsigned context, Cycle now) {
    const gpu::StreamContext& stream = state_.contexts[context];
    const std::uint32_t pc = stream.stack.pc();
    const isa::LaneMask active = (*state_.kernel)[pc].guarded_lanes(stream.stack.active(), stream.predicates);
    warps_[context].steps.push_back(issued(context, pc, active));
    if (attends(context)) {
        const Turn turn(*this);
        inner_->before_execution(context, now);
    }
}

void TracedExtension::written_back(unsigned context, std::uint32_t pc) {
    std::vector<Step>& steps = warps_[context].steps;
    const auto load = std::find_if(steps.begin(), steps.end(),
                                   [&](const Step& step) { return step.pc == pc && awaits_memory(step); });
    if (load != steps.end()) {
        written(context, *load);
        steps.erase(load);
    }
    if (attends(context)) {
        const Turn turn(*this);
        inner_->written_back(context, pc);
    }
}

// ---- Passing on -----------------------------------------------------------------------------------------------------

void TracedExtension::begin_cycle(Cycle now) {
    if (inner_ != nullptr) {
        const Turn turn(*this);
        inner_->begin_cycle(now);
    }
}

bool TracedExtension::classify(unsigned context) {
    if (!attends(context)) {
        return false;
    }
    const Turn turn(*this);
    return inner_->classify(context);
}

void TracedExtension::collecting(unsigned context, const std::uint16_t* rows, unsigned count, Cycle collected,
                                 Cycle now) {
    if (attends(context)) {
        const Turn turn(*this);
        inner_->collecting(context, rows, count, collected, now);
    }
}

void TracedExtension::transferred(unsigned context) {
    if (attends(context)) {
        const Turn turn(*this);
        inner_->transferred(context);
    }
}

ContextMask TracedExtension::wants_fetch() const {
    return inner_ != nullptr ? inner_->wants_fetch() : 0;
}

std::uint32_t TracedExtension::fetch_pc(unsigned context) const {
    return inner_->fetch_pc(context);
}

void TracedExtension::fetch_begun(unsigned context, unsigned instructions, Cycle now) {
    const Turn turn(*this);
    inner_->fetch_begun(context, instructions, now);
}

ContextMask TracedExtension::extended() const {
    return inner_ != nullptr ? inner_->extended() : 0;
}

bool TracedExtension::issue(unsigned scheduler, Cycle now) {
    if (inner_ == nullptr) {
        return false;
    }
    const Turn turn(*this);
    return inner_->issue(scheduler, now);
}

Cycle TracedExtension::next_issue(Cycle now) const {
    return inner_ != nullptr ? inner_->next_issue(now) : gpu::kNever;
}

void TracedExtension::event(unsigned context, std::uint32_t detail, Cycle now) {
    const Turn turn(*this);
    inner_->event(context, detail, now);
}

void TracedExtension::load_completed(std::uint16_t token, const isa::Instruction& instruction, Cycle now) {
    const Turn turn(*this);
    inner_->load_completed(token, instruction, now);
}

void TracedExtension::constants_came() {
    if (inner_ != nullptr) {
        const Turn turn(*this);
        inner_->constants_came();
    }
}

void TracedExtension::audit(Audit& audit, const std::string& sm) const {
    if (inner_ != nullptr) {
        inner_->audit(audit, sm);
    }
}

void TracedExtension::visit_statistics(StatisticsVisitor& visitor, const std::string& sm) const {
    if (inner_ != nullptr) {
        inner_->visit_statistics(visitor, sm);
    }
}

void TracedExtension::fields(StateArchive& archive) {
    if (inner_ != nullptr) {
        const Turn turn(*this);
        inner_->fields(archive);
    }
}

}  // namespace lookahead::test
