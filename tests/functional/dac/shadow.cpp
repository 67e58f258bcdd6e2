#include "tests/functional/dac/shadow.h"

#include <fmt/format.h>

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
        for (finaliser::VirtualBlock& block : kernel.main.blocks)
            for (finaliser::VirtualInstruction& instruction : block.code) kernel.main.annotate(instruction, kMark, 1);
    }
};
using finaliser::KernelTransform;
LOOKAHEAD_REGISTER_VARIANT(KernelTransform, Marks, "test_marks", "Annotates all instructions.", "this test")

}  // namespace

void Shadow::begin_launch(std::uint64_t) {
    end();
    kernel_ = nullptr;
    interpreter_.reset();
    begun_.clear();
}

void Shadow::end() {
    for (const auto& [key, records] : expected_)
        if (!records.empty())
            throw InternalError(fmt::format("the affine stream enqueues {} more for origin {} than warp {} executes",
                                            records.size(), std::get<2>(key), std::get<1>(key)));
    expected_.clear();
}

/// Literals are each kernel's own; all other constants are the launch's.
void Shadow::prepare(const ExecutionPlace& place, const std::uint32_t* registers) {
    const isa::Kernel& original = place.kernel;
    kernel_ = &*std::ranges::find(transformed_, original.name, &isa::Kernel::name);
    compared_at_.assign(original.code.size(), false);
    const isa::Program* program = affine_program(*kernel_);
    if (program == nullptr) return;
    std::set<std::uint32_t> enqueued;
    for (std::uint32_t pc = program->entry; pc < program->end; ++pc)
        if (kernel_->code[pc].operation == isa::Operation::enqueue) enqueued.insert(kernel_->origins[pc]);
    for (std::uint32_t pc = 0; pc < original.code.size(); ++pc)
        compared_at_[pc] = enqueued.contains(original.origins[pc]) && original.annotation(pc, kMark) &&
                           (isa::is_memory(original.code[pc].operation) ||
                            original.code[pc].destination_predicate != isa::kNoPredicate);
    compared_origins_.clear();
    for (std::uint32_t pc = 0; pc < original.code.size(); ++pc)
        if (compared_at_[pc]) compared_origins_.insert(original.origins[pc]);
    code_ = decode(original, isa::SimtModel::stack);
    std::vector<std::uint32_t> constants;
    for (std::uint32_t row = 0; row < original.first_literal_row(); ++row)
        constants.push_back(registers[(original.registers + row) * kWarpSize]);
    constants.insert(constants.end(), kernel_->literals.begin(), kernel_->literals.end());
    interpreter_ = std::make_unique<AffineInterpreter>(*kernel_, *program, place.block, constants, checked_);
}

void Shadow::begin_cta(const isa::Dim3& ctaid) {
    const Cta cta{ctaid.x, ctaid.y, ctaid.z};
    if (!begun_.emplace(cta, true).second) return;
    std::vector<WarpQueues> queues = interpreter_->run(ctaid);
    for (std::uint32_t warp = 0; warp < queues.size(); ++warp)
        for (const auto* queue : {&queues[warp].addresses, &queues[warp].predicates})
            for (const Record& record : *queue)
                if (compared_origins_.contains(record.origin)) expected_[{cta, warp, record.origin}].push_back(record);
}

void Shadow::executing(const ExecutionPlace& place, LaneMask active, const std::uint32_t* registers,
                       const LaneMask* predicates) {
    if (kernel_ == nullptr) prepare(place, registers);
    if (interpreter_ == nullptr) return;
    begin_cta(place.ctaid);
    const std::uint32_t origin = place.kernel.origins[place.pc];
    if (!compared_at_[place.pc] || active == 0) return;
    const isa::Instruction& instruction = place.kernel.code[place.pc];
    const Cta cta{place.ctaid.x, place.ctaid.y, place.ctaid.z};
    auto& records = expected_[{cta, place.first_thread / kWarpSize, origin}];
    if (records.empty()) throw InternalError(describe(place) + ": the affine stream enqueues nothing for this");
    const Record record = records.front();
    records.pop_front();
    if (record.active != active)
        throw InternalError(
            fmt::format("{}: executed by lanes {:#x}, enqueued for {:#x}", describe(place), active, record.active));
    ++compared_;
    // The emulator decodes constants to where they stand in the frame, which begins with the registers.
    auto* const frame = const_cast<std::uint32_t*>(registers);
    const DecodedInstruction& decoded = code_[place.pc];
    if (isa::is_memory(instruction.operation)) {
        std::uint64_t addresses[kWarpSize];
        isa::compute_addresses(instruction, frame + decoded.source[0][0], frame + decoded.source[0][1], active,
                               addresses);
        for (LaneMask left = active; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(left));
            if (addresses[lane] != record.address[lane])
                throw InternalError(fmt::format("{}: lane {} accesses {:#x}, enqueued is {:#x}", describe(place), lane,
                                                addresses[lane], record.address[lane]));
        }
        return;
    }
    isa::OperandRows rows = operand_rows(decoded, frame, predicates);
    decoded.handler(rows, active, instruction);
    const bool complement = decoded.destination_predicate == kUnreadPredicate;
    const LaneMask holds = complement ? ~rows.destination_predicate2 : rows.destination_predicate;
    if ((holds & active) != record.holds)
        throw InternalError(
            fmt::format("{}: holds for lanes {:#x}, enqueued is {:#x}", describe(place), holds & active, record.holds));
}

}  // namespace lookahead::dac
