#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/functional/litmus/litmus_suite.h"

namespace lookahead::gpu::test {

/// Random programs on three SMs, checked afterwards against axioms. The coherence order of a word is the order in which
/// the owner of memory performed its writes:
///
/// - every value read was written to that word (or is the initial 0);
/// - an agent's accesses to a word, in program order, never go back in the word's coherence order, and its own writes
///   and atomics go forward (coherence, reading one's own writes);
/// - an atomic's old value is the word's value just before it;
/// - if an agent writes after a fence, an agent that reads this write and then executes a fence knows all writes that
///   the first agent knew, by writing or reading, at its fence (causality through fences).
class RandomProgram {
  public:
    static constexpr unsigned kSms = 3;
    static constexpr unsigned kAgentsPerSm = 3;
    static constexpr unsigned kSteps = 40;

    RandomProgram(std::uint32_t seed, bool sectors) : random_(seed), sectors_(sectors) {
        for (unsigned sm = 0; sm < kSms; ++sm) {
            for (unsigned i = 0; i < kAgentsPerSm; ++i) { agents_.push_back({.sm = sm, .steps = random_steps()}); }
        }
        agents_ = jittered(agents_, seed * 31 + 5);
    }

    /// Returns the broken axiom, or an empty text.
    std::string run(const std::string& policy, std::uint32_t seed) {
        // Few MSHRs, merges and ways, so that the limits are reached too.
        std::vector<std::string> overrides = small_l1(policy);
        overrides.insert(overrides.end(), {"l1d.mshrs=6", "l1d.merges=3", "l1d.miss_queue=4", "l1d.merged_stores=4"});
        MemorySystem system(kSms, overrides);
        system.memory.set_delay(random_delay(seed));
        system.memory.set_observer(
            [&](std::uint64_t address, std::uint32_t value) { history_[address].push_back(value); });
        values_ = system.run(agents_);
        return values_.empty() ? "the program never ends" : check();
    }

  private:
    // Four words in each of four lines; in the last line they are counters, which only atomics change.
    static constexpr unsigned kLines = 4;
    static constexpr unsigned kWords = 4;
    static constexpr unsigned kLocations = kLines * kWords;

    static std::uint64_t address_of(unsigned location) {
        return kBase + 4096 * (location / kWords) + 12 * (location % kWords);
    }
    static bool is_counter(unsigned location) { return location / kWords == kLines - 1; }

    std::vector<Step> random_steps() {
        std::vector<Step> steps;
        while (steps.size() < kSteps) {
            const unsigned location = random_() % kLocations;
            const std::uint64_t address = address_of(location);
            switch (random_() % 10) {
                case 0:
                    steps.push_back(fence());
                    break;
                case 1:
                    steps.push_back(relaxed_load(address));
                    break;
                case 2:
                case 3:
                case 4:
                    steps.push_back(is_counter(location) ? atomic_add(address) : store(address, ++unique_));
                    break;
                default:
                    steps.push_back(load(address));
                    steps.back().wide = sectors_ && random_() % 2 == 0;
                    break;
            }
            locations_[steps.size() - 1 + kSteps * agents_.size()] = location;
        }
        return steps;
    }

    /// By location: the least position in the coherence order that may still be read; 0 is the initial value.
    using Knowledge = std::array<std::size_t, kLocations>;

    static void join(Knowledge& knowledge, const Knowledge& more) {
        for (unsigned i = 0; i < kLocations; ++i) { knowledge[i] = std::max(knowledge[i], more[i]); }
    }

    /// The value's position in the location's coherence order, or npos.
    std::size_t position(unsigned location, std::uint32_t value) const {
        if (value == 0) { return 0; }
        const auto history = history_.find(address_of(location));
        if (history == history_.end()) { return std::string::npos; }
        const auto at = std::find(history->second.begin(), history->second.end(), value);
        return at == history->second.end() ? std::string::npos
                                           : static_cast<std::size_t>(at - history->second.begin()) + 1;
    }

    std::string fault(const char* axiom, std::size_t agent, std::size_t step) const {
        return std::string(axiom) + " (agent " + std::to_string(agent) + ", step " + std::to_string(step) + ")";
    }

    std::string check() {
        // A write's knowledge depends on its agent's fences and reads, and so on other writes: iterates until nothing
        // changes.
        for (;;) {
            const auto before = told_;
            for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
                const std::string found = check_agent(agent);
                if (!found.empty()) { return found; }
            }
            if (told_ == before) { return ""; }
        }
    }

    std::string check_agent(std::size_t agent) {
        Knowledge known{};     // binds the agent's accesses
        Knowledge at_fence{};  // the knowledge of its later writes
        Knowledge heard{};     // the knowledge of the writes read; binds after its next fence
        for (std::size_t i = 0; i < kSteps; ++i) {
            const Step& step = agents_[agent].steps[i];
            const unsigned location = locations_.at(i + kSteps * agent);
            if (step.what == &kCode.fence) {
                join(known, heard);
                at_fence = known;
                continue;
            }
            const std::uint32_t read = values_[agent][i];
            const bool writes = step.what == &kCode.store || step.what == &kCode.atomic_add;
            std::size_t where = position(location, step.what == &kCode.store ? step.operand : read);
            if (where == std::string::npos) {
                return fault("a value was read that nobody wrote, or a store was lost", agent, i);
            }
            if (step.what == &kCode.atomic_add) {
                ++where;  // it read the value just before its own
            }
            if (where < known[location] || (writes && where == known[location])) {
                return fault("coherence or causality is broken", agent, i);
            }
            known[location] = where;
            if (writes) { join(told_[{location, where}], at_fence); }
            if (step.what != &kCode.store) {
                const std::size_t seen = step.what == &kCode.atomic_add ? where - 1 : where;
                if (const auto told = told_.find({location, seen}); told != told_.end()) { join(heard, told->second); }
            }
        }
        return "";
    }

    std::mt19937 random_;
    bool sectors_;  // loads may touch two
    std::uint32_t unique_ = 0;
    std::vector<Agent> agents_;
    std::map<std::size_t, unsigned> locations_;                    // by step and agent
    std::map<std::uint64_t, std::vector<std::uint32_t>> history_;  // values of a word in coherence order
    std::map<std::pair<unsigned, std::size_t>, Knowledge> told_;   // by write: location and position
    LitmusValues values_;
};

/// The axiom that the random program of this seed breaks, or empty.
inline std::string run_random_program(const std::string& policy, std::uint32_t seed) {
    const std::string found = RandomProgram(seed, has_sectors(policy)).run(policy, seed);
    return found.empty() ? "" : "random program, " + policy + ", seed " + std::to_string(seed) + ": " + found;
}

}  // namespace lookahead::gpu::test
