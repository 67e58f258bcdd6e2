#include "tests/functional/dac/shadow.h"

#include <algorithm>
#include <bit>

#include "components/emulator/cta.h"
#include "components/frontend/finaliser/transform/kernel_transform.h"
#include "components/isa/memory_access.h"
#include "components/mechanisms/dac/streams.h"
#include "core/error/error.h"

namespace lookahead::dac {

using isa::kWarpSize;
using isa::LaneMask;

namespace {

constexpr const char* kMark = "test.mark";

class Marks final : public finaliser::KernelTransform {
  public:
    void before_expansion(finaliser::KernelUnderWork& kernel, const finaliser::FinaliserOptions&) const override {
        for (finaliser::VirtualBlock& block : kernel.main.blocks) {
            for (finaliser::VirtualInstruction& instruction : block.code) {
                kernel.main.annotate(instruction, kMark, 1);
            }
        }
    }
};
using finaliser::KernelTransform;
LOOKAHEAD_REGISTER_VARIANT(KernelTransform, Marks, "test_marks", "Annotates all instructions.", "this test")

}  // namespace

void Shadow::begin_launch(std::uint64_t) {
    end();
    kernel_ = nullptr;
    program_ = nullptr;
    ctas_.clear();
}

void Shadow::end() {
    for (const auto& [cta, interpreter] : ctas_) {
        if (!interpreter->run()) { throw InternalError("the affine stream waits for a branch that no warp comes to"); }
    }
    for (const auto& [key, instances] : instances_) {
        if (!instances.enqueued.empty()) {
            throw InternalError(fmt::format("the affine stream enqueues {} more for origin {} than warp {} executes",
                                            instances.enqueued.size(), std::get<2>(key), std::get<1>(key)));
        }
        if (!instances.executed.empty()) {
            throw InternalError(instances.place + ": the affine stream enqueues nothing for this");
        }
    }
    instances_.clear();
}

/// Each kernel has its own literals; all other constants are the launch's.
void Shadow::prepare(const ExecutionPlace& place, const std::uint32_t* registers) {
    const isa::Kernel& original = place.kernel;
    kernel_ = &*std::ranges::find(transformed_, original.name, &isa::Kernel::name);
    compared_at_.assign(original.code.size(), false);
    reports_at_.assign(original.code.size(), false);
    program_ = affine_program(*kernel_);
    if (program_ == nullptr) { return; }
    std::set<std::uint32_t> enqueued, awaited;
    for (std::uint32_t pc = program_->entry; pc < program_->end; ++pc) {
        if (kernel_->code[pc].operation == isa::Operation::enqueue) { enqueued.insert(kernel_->origins[pc]); }
        if (kernel_->code[pc].operation == isa::Operation::dequeue) { awaited.insert(kernel_->origins[pc]); }
    }
    for (std::uint32_t pc = 0; pc < original.code.size(); ++pc) {
        const bool selected = original.annotation(pc, kMark).has_value();
        compared_at_[pc] = selected && enqueued.contains(original.origins[pc]) &&
                           (isa::is_memory(original.code[pc].operation) ||
                            original.code[pc].destination_predicate != isa::kNoPredicate);
        reports_at_[pc] = selected && awaited.contains(original.origins[pc]);
    }
    compared_origins_.clear();
    for (std::uint32_t pc = 0; pc < original.code.size(); ++pc) {
        if (compared_at_[pc]) { compared_origins_.insert(original.origins[pc]); }
    }
    code_ = decode(original, isa::SimtModel::stack);
    constants_.clear();
    for (std::uint32_t row = 0; row < original.first_literal_row(); ++row) {
        constants_.push_back(registers[(original.registers + row) * kWarpSize]);
    }
    constants_.insert(constants_.end(), kernel_->literals.begin(), kernel_->literals.end());
}

AffineInterpreter& Shadow::begin_cta(const isa::Dim3& ctaid, const isa::Dim3& block) {
    auto& interpreter = ctas_[{ctaid.x, ctaid.y, ctaid.z}];
    if (interpreter == nullptr) {
        interpreter = std::make_unique<AffineInterpreter>(*kernel_, *program_, block, constants_, ctaid, checked_);
        go_on(ctaid, *interpreter);
    }
    return *interpreter;
}

void Shadow::go_on(const isa::Dim3& ctaid, AffineInterpreter& interpreter) {
    interpreter.run();
    std::vector<WarpQueues>& queues = interpreter.queues();
    for (std::uint32_t warp = 0; warp < queues.size(); ++warp) {
        for (auto* queue : {&queues[warp].addresses, &queues[warp].predicates}) {
            for (Record& record : *queue) {
                if (compared_origins_.contains(record.origin)) {
                    Instances& instances = instances_[{{ctaid.x, ctaid.y, ctaid.z}, warp, record.origin}];
                    instances.enqueued.push_back(std::move(record));
                    compare(instances);
                }
            }
            queue->clear();
        }
    }
}

void Shadow::executing(const ExecutionPlace& place, LaneMask active, const std::uint32_t* registers,
                       const LaneMask* predicates) {
    if (kernel_ == nullptr) { prepare(place, registers); }
    if (program_ == nullptr) { return; }
    AffineInterpreter& interpreter = begin_cta(place.ctaid, place.block);
    const std::uint32_t origin = place.kernel.origins[place.pc];
    const std::uint32_t warp = place.first_thread / kWarpSize;
    if (reports_at_[place.pc]) {
        interpreter.report(warp, origin, std::nullopt, predicates[place.kernel.code[place.pc].guard]);
        return go_on(place.ctaid, interpreter);
    }
    if (!compared_at_[place.pc] || active == 0) { return; }
    Instances& instances = instances_[{{place.ctaid.x, place.ctaid.y, place.ctaid.z}, warp, origin}];
    instances.executed.push_back(executed(place, active, registers, predicates));
    instances.place = describe(place);
    compare(instances);
}

Record Shadow::executed(const ExecutionPlace& place, LaneMask active, const std::uint32_t* registers,
                        const LaneMask* predicates) const {
    const isa::Instruction& instruction = place.kernel.code[place.pc];
    Record record{.active = active};
    // The emulator decodes constants to their places in the frame, which begins with the registers.
    auto* const frame = const_cast<std::uint32_t*>(registers);
    const EmulatedInstruction& decoded = code_[place.pc];
    if (isa::is_memory(instruction.operation)) {
        isa::compute_addresses(instruction, frame + decoded.source[0], frame + decoded.source[0] + isa::kWarpSize,
                               active, record.address.data());
        return record;
    }
    isa::OperandRows rows = operand_rows(decoded, frame, predicates);
    decoded.handler(rows, active, instruction);
    const bool complement = decoded.destination_predicate == isa::kUnusedPredicate;
    record.holds = (complement ? ~rows.destination_predicate2 : rows.destination_predicate) & active;
    return record;
}

/// Compares both sides' first instances once both exist: the affine stream may be behind, where it waits for other
/// warps.
void Shadow::compare(Instances& instances) {
    if (instances.enqueued.empty() || instances.executed.empty()) { return; }
    const Record enqueued = instances.enqueued.front(), executed = instances.executed.front();
    instances.enqueued.pop_front();
    instances.executed.pop_front();
    ++compared_;
    if (enqueued.active != executed.active) {
        throw InternalError(fmt::format("{}: executed by lanes {:#x}, enqueued for {:#x}", instances.place,
                                        executed.active, enqueued.active));
    }
    if (enqueued.holds != executed.holds) {
        throw InternalError(fmt::format("{}: holds for lanes {:#x}, enqueued is {:#x}", instances.place, executed.holds,
                                        enqueued.holds));
    }
    if (enqueued.mode == isa::QueueMode::predicate) { return; }
    for (LaneMask left = executed.active; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        if (executed.address[lane] != enqueued.address[lane]) {
            throw InternalError(fmt::format("{}: lane {} accesses {:#x}, enqueued is {:#x}", instances.place, lane,
                                            executed.address[lane], enqueued.address[lane]));
        }
    }
}

}  // namespace lookahead::dac
