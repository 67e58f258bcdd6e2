// Hashing, saving and loading of an SM's state.
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array.hpp>
#include <boost/serialization/binary_object.hpp>
#include <boost/serialization/deque.hpp>
#include <boost/serialization/vector.hpp>

#include "components/sm/multiprocessor/streaming_multiprocessor.h"
#include "core/stats/state_hasher.h"

namespace lookahead::gpu {
namespace {

struct ScheduledEvent {
    Cycle at;
    std::uint64_t event;

    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        archive& at& event;
    }
};

template <class Archive>
void serialize_bytes(Archive& archive, void* bytes, std::size_t size) {
    archive& boost::serialization::make_binary_object(bytes, size);
}

template <class Archive>
void serialize_words(Archive& archive, std::span<std::uint64_t> words) {
    serialize_bytes(archive, words.data(), words.size_bytes());
}

void save_wheel(boost::archive::binary_oarchive& archive, const TimingWheel& wheel, Cycle now) {
    std::vector<ScheduledEvent> events;
    wheel.for_each(now, [&](Cycle at, std::uint64_t event) { events.push_back({at, event}); });
    archive << events;
}

void load_wheel(boost::archive::binary_iarchive& archive, TimingWheel& wheel, Cycle now) {
    std::vector<ScheduledEvent> events;
    archive >> events;
    wheel.clear();
    for (const ScheduledEvent& event : events) {
        wheel.schedule(now, event.at, event.event);
    }
}

void hash_context(StateHasher& hasher, const StreamContext& stream) {
    stream.stack.hash(hasher);
    hasher.add(stream.spinning_state);
    hasher.add(stream.spins_unchanged);
    for (unsigned predicate = 0; predicate < isa::kPredicateRegisters; ++predicate) {
        hasher.add(stream.predicates[predicate]);
    }
    hasher.add(stream.buffered | std::uint64_t{stream.fetching} << 8 | std::uint64_t{stream.barrier} << 16 |
               std::uint64_t{stream.in_flight} << 32 | std::uint64_t{stream.cta_slot} << 48);
}

}  // namespace

void StreamingMultiprocessor::hash_state(StateHasher& hasher) const {
    hash(hasher, state_.counters);
    for (const SchedulerCounters& counters : issue_.counters()) {
        hash(hasher, counters);
    }
    hasher.add(state_.launch.active | std::uint64_t{state_.launch.ending} << 1);
    if (state_.launch.active) {
        hasher.add_bytes(&state_.launch.fields, sizeof state_.launch.fields);
        for (unsigned context = 0; context < state_.contexts.size(); ++context) {
            hasher.add(static_cast<std::uint64_t>(state_.states.of(context)));
            if (state_.states.of(context) != ContextState::vacant) {
                hash_context(hasher, state_.contexts[context]);
                if (!state_.exchanges.empty()) {
                    state_.exchanges[context].hash(hasher);
                }
            }
        }
        ctas_.hash(hasher);
        barriers_.hash(hasher);
    }
    for (const std::uint64_t word : state_.scoreboard.pending()) {
        hasher.add(word);
    }
    state_.wheel.for_each(charged_until_ - 1, [&](Cycle at, std::uint64_t event) {
        hasher.add(static_cast<std::uint64_t>(at));
        hasher.add(event);
    });
    issue_.for_each_state([&](auto value) { hasher.add(static_cast<std::uint64_t>(value)); });
    for (const auto& scheduler : schedulers_) {
        scheduler->hash_state(hasher);
    }
    fetch_.hash(hasher);
    hash(hasher, fetch_.cache_counters());
    state_.constants.hash(hasher);
    hash(hasher, state_.constants.counters());
    hasher.add_bytes(state_.registers.data(), state_.registers.bytes());
    held_.hash(hasher);
    phases_.hash_state(hasher);
    memory_->hash_state(hasher);
    if (extension_ != nullptr) {
        state_.attended.hash(hasher);
        extension_->hash_state(hasher);
    }
}

void StreamingMultiprocessor::visit_statistics(StatisticsVisitor& visitor) const {
    visit(visitor, name(), "sm", state_.counters);
    visit(visitor, name() + ".l1i", "read_only_cache", fetch_.cache_counters());
    visit(visitor, name() + ".constant_cache", "read_only_cache", state_.constants.counters());
    for (std::size_t i = 0; i < issue_.counters().size(); ++i) {
        visit(visitor, name() + ".scheduler" + std::to_string(i), "sm_scheduler", issue_.counters()[i]);
    }
    if (extension_ != nullptr) {
        extension_->visit_statistics(visitor, name());
    }
    memory_->visit_statistics(visitor);
}

/// The part of the state that is the same code both ways.
template <class Archive>
void StreamingMultiprocessor::serialize_state(Archive& archive) {
    serialize_counters(archive, state_.counters);
    for (SchedulerCounters& counters : issue_.counters()) {
        serialize_counters(archive, counters);
    }
    serialize_counters(archive, fetch_.cache_counters());
    serialize_counters(archive, state_.constants.counters());
    LaunchState& launch = state_.launch;
    archive& launch.active& launch.ending& launch.first_warp_instruction& launch.first_thread_instruction;
    serialize_bytes(archive, &launch.fields, sizeof launch.fields);
    std::size_t parameters = launch.parameters.size();
    archive& parameters;
    launch.parameters.resize(parameters);
    serialize_bytes(archive, launch.parameters.data(), parameters);
    archive& state_.contexts& state_.exchanges& ctas_& barriers_& issue_& fetch_& state_.constants& state_
        .registers& state_.attended& held_& phases_;
    archive& charged_until_& next_work_& next_memory_work_& memory_touched_;
}

void StreamingMultiprocessor::save(boost::archive::binary_oarchive& archive) const {
    auto& self = const_cast<StreamingMultiprocessor&>(*this);
    self.serialize_state(archive);
    auto states = state_.states.states();
    const unsigned scoreboard_words = state_.scoreboard.words();  // of the last launch, when there is none
    archive << states << scoreboard_words;
    if (state_.launch.active) {
        serialize_words(archive, self.state_.scoreboard.pending());
        serialize_words(archive, self.state_.scoreboard.long_latency());
        serialize_bytes(archive, self.state_.map.rows().data(), state_.map.rows().size() * sizeof(std::uint16_t));
    }
    if (extension_ != nullptr) {
        extension_->save(archive);
    }
    save_wheel(archive, state_.wheel, charged_until_ - 1);
    for (const auto& scheduler : schedulers_) {
        scheduler->save(archive);
    }
    memory_->save(archive, state_.kernel != nullptr ? state_.kernel->kernel().code.data() : nullptr);
}

void StreamingMultiprocessor::load(boost::archive::binary_iarchive& archive) {
    serialize_state(archive);
    auto states = state_.states.states();
    unsigned scoreboard_words = 0;
    archive >> states >> scoreboard_words;
    state_.states.restore(states);
    state_.scoreboard.resize(scoreboard_words);
    state_.kernel = nullptr;
    if (state_.launch.active) {
        set_up_launch();
        state_.map.resize(state_.kernel->kernel().registers);
        memory_->begin_launch(launch_on_sm());
        serialize_words(archive, state_.scoreboard.pending());
        serialize_words(archive, state_.scoreboard.long_latency());
        serialize_bytes(archive, state_.map.rows().data(), state_.map.rows().size() * sizeof(std::uint16_t));
    }
    if (extension_ != nullptr) {
        if (state_.launch.active) {
            extension_->begin_launch();
        }
        extension_->load(archive);
    }
    load_wheel(archive, state_.wheel, charged_until_ - 1);
    for (const auto& scheduler : schedulers_) {
        scheduler->load(archive);
    }
    memory_->load(archive, state_.kernel != nullptr ? state_.kernel->kernel().code.data() : nullptr);
}

}  // namespace lookahead::gpu
