#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test {

/// One memory instruction or fence of an agent, of one lane.
struct Step {
    const isa::Instruction* what = nullptr;  ///< membar is a fence
    std::uint64_t address = 0;
    std::uint32_t operand = 0;
    Cycle earliest = 0;          ///< not issued before this cycle
    bool after_barrier = false;  ///< not issued before all earlier steps of its SM were accepted (bar.sync)
    bool wide = false;           ///< a load has a second lane, in the neighbouring sector of its line
    bool after_values = false;   ///< not issued before all earlier loads of its agent have completed (a dependence)
};

/// A stream context of an SM that issues its steps in program order, as soon as possible. Several of its loads may be
/// under way, each with its own register row.
struct Agent {
    unsigned sm = 0;
    std::vector<Step> steps;
};

/// Several load/store units with one memory, and agents that run on them.
class MemorySystem {
  public:
    MemorySystem(unsigned sms, const std::vector<std::string>& overrides) : memory(sms) {
        for (unsigned sm = 0; sm < sms; ++sm) { benches_.push_back(std::make_unique<Bench>(overrides, &memory, sm)); }
    }

    /// Runs all agents to their ends. Returns the value that each step read, by agent and step; empty if they did not
    /// end in time.
    std::vector<std::vector<std::uint32_t>> run(const std::vector<Agent>& agents, Cycle limit = 200'000) {
        start(agents);
        for (Cycle now = 1; now < limit; ++now) {
            memory.advance(now);
            for (auto& bench : benches_) {
                issue_one(*bench, now);
                bench->unit->cycle(now);
            }
            if (all_done()) { return values(); }
        }
        return {};
    }

    ScriptedMemory memory;

  private:
    struct Running {
        const Agent* agent;
        Bench* bench;
        std::uint16_t context;
        std::size_t next = 0;
        bool fenced = false;
        unsigned loads = 0;  ///< under way
        unsigned first_row;
        std::size_t seen = 0;
    };

    static bool has_result(const isa::Instruction& what) {
        return what.operation == isa::Operation::load || what.operation == isa::Operation::atomic;
    }

    void start(const std::vector<Agent>& agents) {
        std::vector<std::uint16_t> contexts(benches_.size(), 0);
        std::vector<unsigned> rows(benches_.size(), 0);
        for (const Agent& agent : agents) {
            running_.push_back({.agent = &agent,
                                .bench = benches_[agent.sm].get(),
                                .context = contexts[agent.sm]++,
                                .first_row = rows[agent.sm]});
            rows[agent.sm] += static_cast<unsigned>(agent.steps.size());
        }
        for (std::size_t sm = 0; sm < benches_.size(); ++sm) {
            benches_[sm]->registers = RegisterFile(std::max(rows[sm], 1u));
        }
    }

    /// The agents of an SM take turns.
    void issue_one(Bench& bench, Cycle now) {
        note_completions(bench);
        for (std::size_t i = 0; i < running_.size(); ++i) {
            Running& each = running_[(i + static_cast<std::size_t>(now)) % running_.size()];
            if (each.bench == &bench && may_issue(each, now)) {
                issue(each, now);
                return;
            }
        }
    }

    void note_completions(Bench& bench) {
        for (const auto& completion : bench.completions) {
            for (Running& each : running_) {
                if (each.bench == &bench && each.context == completion.context) {
                    if (has_result(*completion.instruction)) {
                        --each.loads;
                    } else {
                        each.fenced = false;
                    }
                }
            }
        }
        bench.completions.clear();
    }

    bool may_issue(const Running& each, Cycle now) const {
        if (each.next == each.agent->steps.size() || each.fenced || !each.bench->unit->can_accept()) { return false; }
        const Step& step = each.agent->steps[each.next];
        return now >= step.earliest && (!step.after_values || each.loads == 0) &&
               (!step.after_barrier || others_are_past(each));
    }

    /// Whether all agents of the SM that have a barrier have reached or passed it.
    bool others_are_past(const Running& each) const {
        return std::all_of(running_.begin(), running_.end(), [&](const Running& other) {
            return other.bench != each.bench || &other == &each || barrier_of(other) <= other.next;
        });
    }
    static std::size_t barrier_of(const Running& each) {
        const auto& steps = each.agent->steps;
        const auto at = std::find_if(steps.begin(), steps.end(), [](const Step& step) { return step.after_barrier; });
        return static_cast<std::size_t>(at - steps.begin());
    }

    void issue(Running& each, Cycle now) {
        const Step& step = each.agent->steps[each.next];
        if (step.what->operation == isa::Operation::membar) {
            each.bench->unit->accept_fence(each.context, *step.what, now);
            each.fenced = true;
        } else {
            MemoryInstruction access = each.bench->instruction(
                *step.what, [&](unsigned lane) { return lane == 0 ? step.address : step.address ^ kSectorBytes; },
                step.wide ? 3 : 1, each.first_row + static_cast<unsigned>(each.next), each.context);
            access.data[0][0] = step.operand;
            each.bench->unit->accept(access, now);
            each.loads += has_result(*step.what);
        }
        ++each.next;
    }

    bool all_done() const {
        return std::all_of(running_.begin(), running_.end(),
                           [](const Running& each) { return each.next == each.agent->steps.size(); }) &&
               std::all_of(benches_.begin(), benches_.end(), [](const auto& bench) { return bench->unit->drained(); });
    }

    std::vector<std::vector<std::uint32_t>> values() {
        std::vector<std::vector<std::uint32_t>> result;
        for (const Running& each : running_) {
            result.emplace_back();
            for (std::size_t step = 0; step < each.agent->steps.size(); ++step) {
                result.back().push_back(each.bench->registers.row(each.first_row + static_cast<unsigned>(step))[0]);
            }
        }
        return result;
    }

    std::vector<std::unique_ptr<Bench>> benches_;
    std::vector<Running> running_;
};

/// Random delays of the memory network, short and long in turn.
inline ScriptedMemory::Delay random_delay(std::uint32_t seed) {
    return [random = std::mt19937(seed)](unsigned, std::uint64_t, bool) mutable -> Cycle {
        return 1 + random() % (random() % 4 == 0 ? 400 : 30);
    };
}

}  // namespace lookahead::gpu::test
