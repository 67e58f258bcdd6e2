#include "components/mechanisms/dac/affine_interpreter.h"

#include <algorithm>
#include <utility>

namespace lookahead::dac {

using isa::Instruction;
using isa::Operation;

AffineInterpreter::AffineInterpreter(const isa::Kernel& kernel, const isa::Program& program, const isa::Dim3& block,
                                     std::vector<std::uint32_t> constants, bool checked)
    : kernel_(kernel), launch_{&kernel, &program, block, std::move(constants), checked} {}

std::vector<WarpQueues> AffineInterpreter::run(const isa::Dim3& ctaid) {
    cta_.begin(launch_, ctaid);
    queues_.assign(launch_.warps(), {});
    paths_ = {{launch_.program->entry, isa::kNoTarget, cta_.all_threads()}};
    while (!paths_.empty()) step();
    return std::move(queues_);
}

void AffineInterpreter::step() {
    const std::uint32_t pc = paths_.back().pc;
    const Instruction& instruction = kernel_.code[pc];
    const Threads active = both(paths_.back().threads, cta_.predicate(instruction.guard, instruction.guard_negated));
    ++executed_;
    switch (instruction.operation) {
        case Operation::bra:
            return branch(instruction, active);
        case Operation::exit:
            return leave(active);
        case Operation::barrier:
        case Operation::membar:
        case Operation::nop:
            break;
        case Operation::enqueue:
            enqueue(pc, active);
            break;
        default:
            cta_.compute(pc, active);
    }
    advance();
}

void AffineInterpreter::advance() {
    ++paths_.back().pc;
    while (!paths_.empty() && paths_.back().pc == paths_.back().join) paths_.pop_back();
}

/// As SimtStack has it for a warp.
void AffineInterpreter::branch(const Instruction& instruction, const Threads& taken) {
    Path& top = paths_.back();
    const Threads falling = without(top.threads, taken);
    if (none(taken) || none(falling) || instruction.target == top.pc + 1) {
        top.pc = none(taken) ? top.pc : instruction.target - 1;
        return advance();
    }
    const std::uint32_t fallthrough = top.pc + 1;
    const std::uint32_t join = instruction.reconvergence == isa::kNoTarget ? top.join : instruction.reconvergence;
    const Path waiting{join, top.join, top.threads};
    const bool waits = join != top.join;
    paths_.pop_back();
    if (waits) paths_.push_back(waiting);
    if (instruction.target != join) paths_.push_back({instruction.target, join, taken});
    if (fallthrough != join) paths_.push_back({fallthrough, join, falling});
}

void AffineInterpreter::leave(const Threads& threads) {
    const bool all = none(without(paths_.back().threads, threads));
    for (Path& path : paths_) path.threads = without(path.threads, threads);
    std::erase_if(paths_, [](const Path& path) { return none(path.threads); });
    if (!all) advance();
}

void AffineInterpreter::enqueue(std::uint32_t pc, const Threads& active) {
    const Instruction& instruction = kernel_.code[pc];
    const auto mode = static_cast<isa::QueueMode>(instruction.mode);
    const bool is_predicate = mode == isa::QueueMode::predicate;
    const Threads holds = cta_.predicate(instruction.source_predicate, instruction.source_predicate_negated);
    if (!is_predicate && !none(active)) cta_.read(pc, instruction.source[0], active, addresses_);
    for (unsigned warp = 0; warp < launch_.warps(); ++warp) {
        if (active[warp] == 0) continue;
        Record record;
        record.origin = kernel_.origins[pc];
        record.mode = mode;
        record.active = active[warp];
        if (is_predicate) {
            record.holds = holds[warp] & active[warp];
            queues_[warp].predicates.push_back(record);
            continue;
        }
        warp_addresses(launch_, cta_.ctaid(), instruction, addresses_, warp, active[warp], record.address.data());
        queues_[warp].addresses.push_back(record);
    }
}

}  // namespace lookahead::dac
