#include "tests/functional/dac/reference_queues.h"

#include <algorithm>
#include <utility>

#include "components/mechanisms/dac/streams.h"
#include "core/error/error.h"

namespace lookahead::dac {

std::vector<std::uint32_t> first_lanes(const std::vector<isa::Row>& rows) {
    std::vector<std::uint32_t> values;
    for (const isa::Row& row : rows) { values.push_back(row.lanes[0]); }
    return values;
}

void ReferenceQueues::begin_launch(const isa::Kernel& kernel, const isa::Dim3& block,
                                   const std::vector<isa::Row>& constants) {
    const isa::Program* program = affine_program(kernel);
    if (program == nullptr) { throw InternalError("kernel " + kernel.name + " dequeues and has no affine stream"); }
    interpreter_of_ = [&kernel, program, block, values = first_lanes(constants), this](const isa::Dim3& ctaid) {
        return std::make_unique<AffineInterpreter>(kernel, *program, block, values, ctaid, checked_);
    };
    ctas_.clear();
}

void ReferenceQueues::begin_cta(const isa::Dim3& ctaid) {
    auto& interpreter = ctas_[key(ctaid)] = interpreter_of_(ctaid);
    interpreter->run();
}

void ReferenceQueues::end_cta(const isa::Dim3& ctaid) {
    const auto found = ctas_.find(key(ctaid));
    if (!found->second->run()) { throw InternalError("the affine stream waits for warps that have ended"); }
    for (const WarpQueues& warp : found->second->queues()) {
        if (!warp.addresses.empty() || !warp.predicates.empty()) {
            throw InternalError(fmt::format("CTA ({}, {}, {}) ends with {} addresses and {} predicates in a queue",
                                            ctaid.x, ctaid.y, ctaid.z, warp.addresses.size(), warp.predicates.size()));
        }
    }
    most_tuples_ = std::max(most_tuples_, found->second->most_tuples());
    ctas_.erase(found);
}

std::deque<Record>& ReferenceQueues::queue(const ExecutionPlace& place, bool is_predicate) {
    WarpQueues& warp = ctas_.at(key(place.ctaid))->queues().at(place.first_thread / isa::kWarpSize);
    return is_predicate ? warp.predicates : warp.addresses;
}

bool ReferenceQueues::is_there(const ExecutionPlace& place, bool is_predicate) {
    return !queue(place, is_predicate).empty();
}

void ReferenceQueues::report(const ExecutionPlace& place, isa::LaneMask active, isa::LaneMask holds) {
    AffineInterpreter& interpreter = *ctas_.at(key(place.ctaid));
    interpreter.report(place.first_thread / isa::kWarpSize, place.kernel.origins[place.pc], active, holds);
    interpreter.run();
    ++reports_;
}

Record ReferenceQueues::next(const ExecutionPlace& place, isa::LaneMask active, bool is_predicate) {
    std::deque<Record>& queue = this->queue(place, is_predicate);
    if (queue.empty()) { throw InternalError(describe(place) + ": the warp's queue is empty"); }
    Record record = std::move(queue.front());
    queue.pop_front();
    if (record.origin != place.kernel.origins[place.pc]) {
        throw InternalError(fmt::format("{}: the queue's head is of another instruction, {} and not {}",
                                        describe(place), record.origin, place.kernel.origins[place.pc]));
    }
    if (record.active != active) {
        throw InternalError(
            fmt::format("{}: enqueued for lanes {:#x}, dequeued by {:#x}", describe(place), record.active, active));
    }
    ++dequeued_;
    return record;
}

void ReferenceQueues::addresses(const ExecutionPlace& place, isa::LaneMask active, std::uint64_t* addresses) {
    const Record record = next(place, active, false);
    std::ranges::copy(record.address, addresses);
}

isa::LaneMask ReferenceQueues::predicate(const ExecutionPlace& place, isa::LaneMask active) {
    return next(place, active, true).holds;
}

}  // namespace lookahead::dac
