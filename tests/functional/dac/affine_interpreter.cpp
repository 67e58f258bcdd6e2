#include "tests/functional/dac/affine_interpreter.h"

#include <utility>

#include "components/isa/instruction.h"
#include "core/error/error.h"

namespace lookahead::dac {

using isa::Instruction;
using isa::Operation;

AffineInterpreter::AffineInterpreter(const isa::Kernel& kernel, const isa::Program& program, const isa::Dim3& block,
                                     std::vector<std::uint32_t> constants, const isa::Dim3& ctaid, bool checked)
    : kernel_(kernel), launch_{&kernel, &program, block, std::move(constants), checked} {
    cta_.begin(launch_, ctaid);
    queues_.resize(launch_.warps());
    reports_.resize(launch_.warps());
    paths_ = {{program.entry, isa::kNoTarget, cta_.all_threads()}};
}

bool AffineInterpreter::run() {
    while (!paths_.empty()) {
        if (!step()) { return false; }
    }
    return true;
}

/// Returns false, without any change, if it must wait for a report.
bool AffineInterpreter::step() {
    const std::uint32_t pc = paths_.back().pc;
    const Instruction& instruction = kernel_.code[pc];
    const Threads active = both(paths_.back().threads, cta_.predicate(instruction.guard, instruction.guard_negated));
    if (instruction.operation == Operation::dequeue && !take_reports(instruction, kernel_.origins[pc], active)) {
        return false;
    }
    switch (instruction.operation) {
        case Operation::bra:
            branch(instruction, active);
            return true;
        case Operation::exit:
            leave(active);
            return true;
        case Operation::dequeue:
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
    return true;
}

bool AffineInterpreter::take_reports(const Instruction& instruction, std::uint32_t origin, const Threads& active) {
    for (unsigned warp = 0; warp < launch_.warps(); ++warp) {
        if (active[warp] != 0 && reports_[warp].empty()) { return false; }
    }
    Threads holds{};
    for (unsigned warp = 0; warp < launch_.warps(); ++warp) {
        if (active[warp] == 0) { continue; }
        const Report report = reports_[warp].front();
        reports_[warp].pop_front();
        LOOKAHEAD_ASSERT(report.origin == origin, "a warp reports on another branch than the affine stream is at");
        LOOKAHEAD_ASSERT(report.lanes.value_or(active[warp]) == active[warp], "a warp reports for other lanes");
        holds[warp] = report.holds;
    }
    cta_.take(instruction.destination_predicate, active, holds);
    return true;
}

void AffineInterpreter::advance() {
    ++paths_.back().pc;
    while (!paths_.empty() && paths_.back().pc == paths_.back().join) { paths_.pop_back(); }
}

/// Does what SimtStack does for a warp.
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
    if (waits) { paths_.push_back(waiting); }
    if (instruction.target != join) { paths_.push_back({instruction.target, join, taken}); }
    if (fallthrough != join) { paths_.push_back({fallthrough, join, falling}); }
}

void AffineInterpreter::leave(const Threads& threads) {
    const bool all = none(without(paths_.back().threads, threads));
    for (Path& path : paths_) { path.threads = without(path.threads, threads); }
    std::erase_if(paths_, [](const Path& path) { return none(path.threads); });
    if (!all) { advance(); }
}

void AffineInterpreter::enqueue(std::uint32_t pc, const Threads& active) {
    const Instruction& instruction = kernel_.code[pc];
    const auto mode = static_cast<isa::QueueMode>(instruction.mode);
    const bool is_predicate = mode == isa::QueueMode::predicate;
    const Threads holds = cta_.predicate(instruction.source_predicate, instruction.source_predicate_negated);
    if (!is_predicate && !none(active)) { cta_.read(pc, instruction.source[0], active, addresses_); }
    for (unsigned warp = 0; warp < launch_.warps(); ++warp) {
        if (active[warp] == 0) { continue; }
        Record record{.origin = kernel_.origins[pc], .mode = mode, .active = active[warp]};
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
