#include "components/interconnect/input_queued/input_queued_network.h"

#include <algorithm>
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_STATISTICS(InputQueuedCounters, "input_queued",
                              "An input-queued crossbar: the request network or the reply network.")

InputQueuedNetwork::InputQueuedNetwork(const Ends& ends, unsigned credits, Cycle allocation)
    : NetworkProcess(ends), allocation_(allocation), outputs_(ends.destinations) {
    const std::size_t flits = std::size_t{credits} * ends.destinations;
    const std::size_t bytes = flits * flits_of_.message_bytes_bound();
    inputs_.reserve(ends.sources);
    for (unsigned i = 0; i < ends.sources; ++i) {
        inputs_.emplace_back(bytes, sizeof(MessageHeader) + kMaximumPayloadBytes);
    }
}

void InputQueuedNetwork::receive(const MessageHeader& message, Cycle now) {
    Input& input = inputs_[message.in_port / ends_.destinations];
    const bool first = input.queue.empty();
    input.queue.push_copy(message).time = now;
    if (first) {
        look_at_front(input);
        wake(earliest(input));
    }
}

void InputQueuedNetwork::look_at_front(Input& input) const {
    const MessageHeader& front = input.queue.front();
    input.output = front.in_port % ends_.destinations;
    input.flits = flits_of_.of(front);
}

Cycle InputQueuedNetwork::earliest(const Input& input) const {
    const Cycle free = std::max(input.last_flit, outputs_[input.output].last_flit);
    return std::max(input.queue.front().time, free + allocation_ + static_cast<Cycle>(input.flits));
}

void InputQueuedNetwork::cycle(Cycle now) {
    choose(now);
    for (unsigned output = 0; output < outputs_.size(); ++output) {
        const unsigned chosen = outputs_[output].chosen;
        if (chosen != kNone) {
            outputs_[output].chosen = kNone;
            pass(chosen, now);
        }
    }
    next_cycle_ = next_pass(now);
}

/// Each output takes the first input, from its turn on, that has a packet for it.
void InputQueuedNetwork::choose(Cycle now) {
    for (unsigned i = 0; i < inputs_.size(); ++i) {
        const Input& input = inputs_[i];
        if (input.queue.empty() || earliest(input) > now) { continue; }
        Output& output = outputs_[input.output];
        if (output.chosen == kNone || rank(i, input.output) < rank(output.chosen, input.output)) { output.chosen = i; }
    }
}

void InputQueuedNetwork::pass(unsigned number, Cycle now) {
    Input& input = inputs_[number];
    Output& output = outputs_[input.output];
    const MessageHeader& message = input.queue.front();
    deliver(message, now);
    ++counters_.packets;
    counters_.flits += input.flits;
    counters_.wait_cycles += static_cast<std::uint64_t>(now - message.time);
    output.last_flit = input.last_flit = now;
    output.turn = number + 1 == ends_.sources ? 0 : number + 1;
    input.queue.pop();
    if (!input.queue.empty()) { look_at_front(input); }
}

Cycle InputQueuedNetwork::next_pass(Cycle now) const {
    Cycle next = kCycleInfinity;
    for (const Input& input : inputs_) {
        if (!input.queue.empty()) { next = std::min(next, earliest(input)); }
    }
    return std::max(next, now + 1);
}

std::size_t InputQueuedNetwork::packets() const {
    std::size_t packets = 0;
    for (const Input& input : inputs_) { packets += input.queue.packets(); }
    return packets;
}

void InputQueuedNetwork::fields(StateArchive& archive) {
    for (Input& input : inputs_) {
        archive& input.queue& input.last_flit;
        if (archive.loading() && !input.queue.empty()) { look_at_front(input); }
    }
    for (Output& output : outputs_) { archive& output.last_flit& output.turn; }
    archive& next_cycle_;
    archive& counters_;
}

}  // namespace lookahead::gpu
