#include "tests/functional/dac/reference_queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "components/mechanisms/dac/streams.h"
#include "core/error/error.h"

namespace lookahead::dac {

std::vector<std::uint32_t> first_lanes(const std::vector<isa::Row>& rows) {
    std::vector<std::uint32_t> values;
    for (const isa::Row& row : rows) values.push_back(row.lanes[0]);
    return values;
}

void ReferenceQueues::begin_launch(const isa::Kernel& kernel, const isa::Dim3& block,
                                   const std::vector<isa::Row>& constants) {
    const isa::Program* program = affine_program(kernel);
    if (program == nullptr) throw InternalError("kernel " + kernel.name + " dequeues and has no affine stream");
    interpreter_ = std::make_unique<AffineInterpreter>(kernel, *program, block, first_lanes(constants), checked_);
    queues_.clear();
}

void ReferenceQueues::begin_cta(const isa::Dim3& ctaid) {
    const std::uint64_t before = interpreter_->executed();
    queues_[key(ctaid)] = interpreter_->run(ctaid);
    affine_instructions_ += interpreter_->executed() - before;
    most_tuples_ = std::max(most_tuples_, interpreter_->most_tuples());
}

void ReferenceQueues::end_cta(const isa::Dim3& ctaid) {
    const auto found = queues_.find(key(ctaid));
    for (const WarpQueues& warp : found->second)
        if (!warp.addresses.empty() || !warp.predicates.empty())
            throw InternalError(fmt::format("CTA ({}, {}, {}) ends with {} addresses and {} predicates in a queue",
                                            ctaid.x, ctaid.y, ctaid.z, warp.addresses.size(), warp.predicates.size()));
    queues_.erase(found);
}

Record ReferenceQueues::next(const ExecutionPlace& place, isa::LaneMask active, bool is_predicate) {
    WarpQueues& warp = queues_.at(key(place.ctaid)).at(place.first_thread / isa::kWarpSize);
    std::deque<Record>& queue = is_predicate ? warp.predicates : warp.addresses;
    if (queue.empty()) throw InternalError(describe(place) + ": the warp's queue is empty");
    Record record = std::move(queue.front());
    queue.pop_front();
    if (record.origin != place.kernel.origins[place.pc])
        throw InternalError(fmt::format("{}: the queue's head is of another instruction, {} and not {}",
                                        describe(place), record.origin, place.kernel.origins[place.pc]));
    if (record.active != active)
        throw InternalError(
            fmt::format("{}: enqueued for lanes {:#x}, dequeued by {:#x}", describe(place), record.active, active));
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
