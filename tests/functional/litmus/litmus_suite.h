#pragma once

#include <string>
#include <vector>

#include "tests/functional/litmus/memory_system.h"

namespace lookahead::gpu::test {

struct LitmusCode {
    isa::Instruction load = make_memory(isa::Operation::load);
    isa::Instruction store = make_memory(isa::Operation::store);
    isa::Instruction relaxed_load = make_ordered(isa::Operation::load, isa::Order::relaxed);
    isa::Instruction relaxed_store = make_ordered(isa::Operation::store, isa::Order::relaxed);
    isa::Instruction acquire_load = make_ordered(isa::Operation::load, isa::Order::acquire);
    isa::Instruction release_store = make_ordered(isa::Operation::store, isa::Order::release);
    isa::Instruction acquire_cta = make_ordered(isa::Operation::load, isa::Order::acquire, isa::Scope::cta);
    isa::Instruction atomic_add = make_atomic(isa::AtomicOp::add);
    isa::Instruction fence = make_fence(isa::Scope::gpu);
    isa::Instruction cta_fence = make_fence(isa::Scope::cta);
};
inline const LitmusCode kCode;

// Separate lines in one set of the small L1.
inline constexpr std::uint64_t kX = kBase;
inline constexpr std::uint64_t kY = kBase + 4096;
inline constexpr std::uint64_t kZ = kBase + 8192;

using LitmusValues = std::vector<std::vector<std::uint32_t>>;

struct Litmus {
    std::string name;
    std::vector<Agent> agents;
    /// True for an outcome that the memory contract forbids.
    std::function<bool(const LitmusValues&)> forbidden;
    /// True for an outcome that must occur at least once over the seeds, or the test proves nothing.
    std::function<bool(const LitmusValues&)> expected_some_time = nullptr;
};

inline Step load(std::uint64_t address) {
    return {.what = &kCode.load, .address = address};
}
inline Step store(std::uint64_t address, std::uint32_t value) {
    return {.what = &kCode.store, .address = address, .operand = value};
}
inline Step relaxed_load(std::uint64_t address) {
    return {.what = &kCode.relaxed_load, .address = address};
}
inline Step relaxed_store(std::uint64_t address, std::uint32_t value) {
    return {.what = &kCode.relaxed_store, .address = address, .operand = value};
}
inline Step acquire(std::uint64_t address) {
    return {.what = &kCode.acquire_load, .address = address};
}
inline Step release(std::uint64_t address, std::uint32_t value) {
    return {.what = &kCode.release_store, .address = address, .operand = value};
}
inline Step atomic_add(std::uint64_t address, std::uint32_t value = 1) {
    return {.what = &kCode.atomic_add, .address = address, .operand = value};
}
inline Step fence() {
    return {.what = &kCode.fence};
}
inline Step cta_fence() {
    return {.what = &kCode.cta_fence};
}
inline Step then(Step step) {
    step.after_values = true;
    return step;
}
inline Step past_barrier(Step step) {
    step.after_barrier = true;
    return step;
}

inline std::vector<Step> loads(std::uint64_t address, unsigned count) {
    return std::vector<Step>(count, load(address));
}
inline std::vector<Step> operator+(std::vector<Step> steps, const std::vector<Step>& more) {
    steps.insert(steps.end(), more.begin(), more.end());
    return steps;
}

/// The litmus tests. A reader first brings the lines into its L1, so that a stale value can be read.
std::vector<Litmus> litmus_tests();

/// Starts each agent's steps at random times, so that seeds give many interleavings. Every second seed leaves few gaps,
/// so that an agent's accesses meet in the queue.
inline std::vector<Agent> jittered(std::vector<Agent> agents, std::uint32_t seed) {
    std::mt19937 random(seed);
    const unsigned gap_every = seed % 2 == 0 ? 30 : 3;
    for (Agent& agent : agents) {
        Cycle when = 1 + random() % 300;
        for (Step& step : agent.steps) {
            step.earliest = when;
            when += random() % gap_every == 0 ? random() % 200 : random() % 4;
        }
    }
    return agents;
}

/// `policy` is the write policy, followed by " with sectors" if L1 has them.
inline bool has_sectors(const std::string& policy) {
    return policy.ends_with("sectors");
}
inline std::vector<std::string> small_l1(const std::string& policy) {
    return {"l1d.sets=2",
            "l1d.set_index=linear",
            "l1d.ways=2",
            "l1d.pinned_ways=1",
            "l1d.hit_latency=4",
            "l1d.write_policy=" + policy.substr(0, policy.find(' ')),
            has_sectors(policy) ? "l1d.sector_bytes=32" : "l1d.sector_bytes=128"};
}
inline const std::vector<std::string> kPolicies = {"write_evict", "write_through", "write_evict with sectors",
                                                   "write_through with sectors"};

/// The values that a litmus test reads with a seed's timing; empty if it does not end.
inline LitmusValues run_litmus(const Litmus& litmus, const std::string& policy, std::uint32_t seed) {
    MemorySystem system(3, small_l1(policy));
    system.memory.set_delay(random_delay(seed));
    const std::vector<Agent> agents = jittered(litmus.agents, seed * 7919);
    return system.run(agents);
}

/// The fault in a litmus test's values, or an empty text.
inline std::string fault_of(const Litmus& litmus, const LitmusValues& values, const std::string& policy,
                            std::uint32_t seed) {
    if (!values.empty() && !litmus.forbidden(values)) { return ""; }
    return litmus.name + ", " + policy + ", seed " + std::to_string(seed) +
           (values.empty() ? ": never ends" : ": forbidden outcome");
}

}  // namespace lookahead::gpu::test
