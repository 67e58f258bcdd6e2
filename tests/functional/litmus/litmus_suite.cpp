#include "tests/functional/litmus/litmus_suite.h"

namespace lookahead::gpu::test {
namespace {

bool rises(const std::vector<std::uint32_t>& values, std::size_t from, std::size_t to) {
    return std::is_sorted(values.begin() + static_cast<std::ptrdiff_t>(from),
                          values.begin() + static_cast<std::ptrdiff_t>(to));
}

/// A writer on SM 0 and a reader on SM 1 with x in L1: is x stale after flag y was seen?
Litmus message_passing(const std::string& name, std::vector<Step> writer, std::vector<Step> reader, bool ordered) {
    // The reader's last two values are y, then x.
    const auto stale = [](const LitmusValues& values) {
        const auto& read = values[1];
        const auto flag = std::find_if(read.begin() + 1, read.end(), [](std::uint32_t value) { return value == 2; });
        return flag != read.end() && read.back() == 0;
    };
    const auto never = [](const LitmusValues&) { return false; };
    std::vector<Agent> agents = {{.sm = 0, .steps = std::move(writer)},
                                 {.sm = 1, .steps = std::vector<Step>{load(kX)} + std::move(reader)}};
    return ordered ? Litmus{name, agents, stale} : Litmus{name, agents, never, stale};
}

void add_message_passing(std::vector<Litmus>& tests) {
    tests.push_back(message_passing("message passing with fences", {store(kX, 1), fence(), relaxed_store(kY, 2)},
                                    {then(relaxed_load(kY)), fence(), load(kX)}, true));
    tests.push_back(message_passing("message passing with weak flag and fences", {store(kX, 1), fence(), store(kY, 2)},
                                    {load(kY), fence(), load(kX)}, true));
    tests.push_back(message_passing("message passing with release and acquire", {store(kX, 1), release(kY, 2)},
                                    {acquire(kY), load(kX)}, true));
    tests.push_back(message_passing("message passing with an atomic flag", {store(kX, 1), fence(), atomic_add(kY, 2)},
                                    {relaxed_load(kY), fence(), load(kX)}, true));
    tests.push_back(message_passing("message passing without fences", {store(kX, 1), store(kY, 2)},
                                    {relaxed_load(kY), load(kX)}, false));
    tests.push_back(message_passing("message passing with a fence of the writer alone",
                                    {store(kX, 1), fence(), relaxed_store(kY, 2)}, {then(relaxed_load(kY)), load(kX)},
                                    false));
}

/// Reads the flag y and, after a fence, x, repeatedly.
std::vector<Step> polling() {
    std::vector<Step> steps = {load(kX)};
    for (unsigned i = 0; i < 8; ++i) { steps = steps + std::vector<Step>{relaxed_load(kY), fence(), load(kX)}; }
    return steps;
}

/// Whether the polling agent saw the flag, and after it the old x.
std::function<bool(const LitmusValues&)> polled_stale(std::size_t agent) {
    return [agent](const LitmusValues& values) {
        const auto& read = values[agent];
        for (std::size_t i = 1; i + 2 < read.size(); i += 3) {
            if (read[i] == 2 && read[i + 2] == 0) { return true; }
        }
        return false;
    };
}

/// Loads of x that miss in L1 each time, because two other lines of its set come in between.
std::vector<Step> fetching_x(unsigned times) {
    std::vector<Step> steps;
    for (unsigned i = 0; i < times; ++i) {
        steps = steps + std::vector<Step>{load(kX), load(kZ), then(load(kZ + 4096))};
    }
    return steps;
}

/// Agents of one SM pass x by a barrier or a queue; an agent on another SM gets it through the flag.
void add_cumulativity(std::vector<Litmus>& tests) {
    tests.push_back({"message passing with fences, and a neighbour of the reader that fetches x",
                     {{.sm = 0, .steps = {store(kX, 1), fence(), relaxed_store(kY, 2)}},
                      {.sm = 1, .steps = polling()},
                      {.sm = 1, .steps = fetching_x(8)}},
                     polled_stale(1)});
    tests.push_back({"a fence after a barrier covers the whole CTA's stores",
                     {{.sm = 0, .steps = {store(kX, 1)}},
                      {.sm = 0, .steps = {past_barrier(fence()), relaxed_store(kY, 2)}},
                      {.sm = 1, .steps = polling()}},
                     polled_stale(2)});
    tests.push_back({"a release after a barrier covers the whole CTA's stores",
                     {{.sm = 0, .steps = {store(kX, 1)}},
                      {.sm = 0, .steps = {past_barrier(release(kY, 2))}},
                      {.sm = 1, .steps = polling()}},
                     polled_stale(2)});
    // Loads of four lines of one set block the queue, so that the store waits in it when the fence comes.
    const auto clog = [](unsigned line) { return load(kZ + 4096 * line); };
    tests.push_back({"a fence covers a store that still waits in the queue",
                     {{.sm = 0, .steps = {clog(0), clog(1), clog(2), store(kX, 1), fence(), relaxed_store(kY, 2)}},
                      {.sm = 1, .steps = polling()}},
                     polled_stale(1)});
    // Causality through three SMs.
    tests.push_back(
        {"write to read causality",
         {{.sm = 0, .steps = {relaxed_store(kX, 1)}},
          {.sm = 1, .steps = {relaxed_load(kX), fence(), relaxed_store(kY, 2)}},
          {.sm = 2, .steps = {load(kX), relaxed_load(kY), fence(), load(kX)}}},
         [](const LitmusValues& values) { return values[1][0] == 1 && values[2][1] == 2 && values[2][3] == 0; }});
}

void add_within_sm(std::vector<Litmus>& tests) {
    tests.push_back({"message passing in a CTA with CTA fences",
                     {{.sm = 0, .steps = {load(kX), store(kX, 1), cta_fence(), store(kY, 2)}},
                      {.sm = 0, .steps = {load(kX), load(kY), cta_fence(), load(kX)}}},
                     [](const LitmusValues& values) { return values[1][1] == 2 && values[1][3] == 0; }});
    tests.push_back({"a barrier makes stores visible in the CTA",
                     {{.sm = 0, .steps = {load(kX), store(kX, 1)}}, {.sm = 0, .steps = {past_barrier(load(kX))}}},
                     [](const LitmusValues& values) { return values[1][0] != 1; }});
    const Step acquire_cta = {.what = &kCode.acquire_cta, .address = kY};
    tests.push_back({"message passing in a CTA with a CTA acquire",
                     {{.sm = 0, .steps = {store(kX, 1), cta_fence(), relaxed_store(kY, 2)}},
                      {.sm = 0, .steps = {load(kX), acquire_cta, load(kX)}}},
                     [](const LitmusValues& values) { return values[1][1] == 2 && values[1][2] == 0; }});
}

void add_store_buffering(std::vector<Litmus>& tests) {
    const auto both_old = [](std::size_t at) {
        return [at](const LitmusValues& values) { return values[0][at] == 0 && values[1][at] == 0; };
    };
    tests.push_back({"store buffering with fences",
                     {{.sm = 0, .steps = {load(kY), store(kX, 1), fence(), load(kY)}},
                      {.sm = 1, .steps = {load(kX), store(kY, 1), fence(), load(kX)}}},
                     both_old(3)});
    // Other agents bring the lines into the L1s while the fences wait.
    tests.push_back({"store buffering with fences, and neighbours that fetch",
                     {{.sm = 0, .steps = {store(kX, 1), fence(), load(kY)}},
                      {.sm = 1, .steps = {store(kY, 1), fence(), load(kX)}},
                      {.sm = 0, .steps = loads(kY, 12)},
                      {.sm = 1, .steps = loads(kX, 12)}},
                     both_old(2)});
    tests.push_back({"store buffering without fences",
                     {{.sm = 0, .steps = {load(kY), store(kX, 1), load(kY)}},
                      {.sm = 1, .steps = {load(kX), store(kY, 1), load(kX)}}},
                     [](const LitmusValues&) { return false; },
                     both_old(2)});
}

void add_coherence(std::vector<Litmus>& tests) {
    std::vector<Step> rising;
    for (std::uint32_t value = 1; value <= 6; ++value) { rising.push_back(store(kX, value)); }
    std::vector<Step> mixed_loads;
    for (unsigned i = 0; i < 10; ++i) { mixed_loads.push_back(i % 3 == 1 ? relaxed_load(kX) : load(kX)); }
    const auto reads_of_x = [](const LitmusValues& values) {
        std::vector<std::uint32_t> result;
        for (std::size_t i = 0; i < values[1].size(); i += 3) { result.push_back(values[1][i]); }
        return result;
    };
    tests.push_back({"coherence of reads: x never goes back",
                     {{.sm = 0, .steps = rising}, {.sm = 1, .steps = fetching_x(8)}},
                     [=](const LitmusValues& values) { return !rises(reads_of_x(values), 0, 8); },
                     [=](const LitmusValues& values) {
                         const auto read = reads_of_x(values);
                         return read[7] > read[4] && read[4] > read[0];
                     }});
    tests.push_back({"coherence of weak and ordered reads of one thread",
                     {{.sm = 0, .steps = rising}, {.sm = 1, .steps = mixed_loads}},
                     [](const LitmusValues& values) { return !rises(values[1], 0, 10); }});
    tests.push_back(
        {"coherence of a read and a younger write of one thread",
         {{.sm = 0, .steps = {load(kX), store(kX, 5), load(kX), store(kX, 6), load(kX)}}},
         [](const LitmusValues& values) { return values[0][0] != 0 || values[0][2] != 5 || values[0][4] != 6; }});
    tests.push_back({"a read sees its own thread's write while older reads wait",
                     {{.sm = 0, .steps = {load(kX), load(kX), store(kX, 5), load(kX), load(kX)}},
                      {.sm = 0, .steps = loads(kX, 6)},
                      {.sm = 1, .steps = {load(kX), load(kX)}}},
                     [](const LitmusValues& values) {
                         return values[0][0] != 0 || values[0][1] != 0 || values[0][3] != 5 || values[0][4] != 5 ||
                                !rises(values[1], 0, 6);
                     }});
}

void add_atomics(std::vector<Litmus>& tests) {
    tests.push_back({"an atomic is seen by its thread's later reads, cached copies or not",
                     {{.sm = 0, .steps = {load(kX), load(kX), atomic_add(kX), load(kX), atomic_add(kX), load(kX)}},
                      {.sm = 0, .steps = loads(kX, 8)}},
                     [](const LitmusValues& values) {
                         return values[0][0] != 0 || values[0][1] != 0 || values[0][3] != 1 || values[0][5] != 2 ||
                                !rises(values[1], 0, 8);
                     }});
    const std::vector<Step> adds = {load(kX), atomic_add(kX), atomic_add(kX), load(kX), atomic_add(kX)};
    tests.push_back({"no atomic is lost",
                     {{.sm = 0, .steps = adds}, {.sm = 1, .steps = adds}, {.sm = 2, .steps = adds}},
                     [](const LitmusValues& values) {
                         std::vector<std::uint32_t> old_values;
                         for (const auto& read : values) {
                             old_values.insert(old_values.end(), {read[1], read[2], read[4]});
                             if (read[3] <= read[2] || read[4] < read[3]) { return true; }
                         }
                         std::sort(old_values.begin(), old_values.end());
                         for (std::uint32_t i = 0; i < 9; ++i) {
                             if (old_values[i] != i) { return true; }
                         }
                         return false;
                     }});
}

void add_ordered_loads(std::vector<Litmus>& tests) {
    tests.push_back({"polling with ordered loads sees the store though L1 holds the line",
                     {{.sm = 0, .steps = {store(kX, 1), fence(), relaxed_store(kY, 1)}},
                      {.sm = 1, .steps = {load(kX), load(kX), then(relaxed_load(kY)), then(relaxed_load(kX))}}},
                     [](const LitmusValues& values) { return values[1][2] == 1 && values[1][3] == 0; }});
    // A neighbour fetches x repeatedly: such a fill may be older than the flag, and must not be joined.
    std::vector<Step> polls;
    for (unsigned i = 0; i < 8; ++i) {
        polls = polls + std::vector<Step>{then(relaxed_load(kY)), then(relaxed_load(kX))};
    }
    tests.push_back({"an ordered load does not join an older fill",
                     {{.sm = 0, .steps = {store(kX, 1), fence(), relaxed_store(kY, 1)}},
                      {.sm = 1, .steps = polls},
                      {.sm = 1, .steps = fetching_x(10)}},
                     [](const LitmusValues& values) {
                         for (std::size_t i = 0; i < values[1].size(); i += 2) {
                             if (values[1][i] == 1 && values[1][i + 1] == 0) { return true; }
                         }
                         return false;
                     }});
}

}  // namespace

std::vector<Litmus> litmus_tests() {
    std::vector<Litmus> tests;
    add_message_passing(tests);
    add_cumulativity(tests);
    add_within_sm(tests);
    add_store_buffering(tests);
    add_coherence(tests);
    add_atomics(tests);
    add_ordered_loads(tests);
    return tests;
}

}  // namespace lookahead::gpu::test
