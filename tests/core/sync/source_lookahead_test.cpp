// How far each kind of LP may advance, given the pending events and messages.
#include "core/sync/source_lookahead.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/lp/logical_process.h"

using namespace lookahead;

namespace {

constexpr std::size_t kSm = 0;
constexpr std::size_t kMemory = 1;
constexpr std::size_t kDispatcher = 2;
constexpr std::size_t kHost = 3;

void add(Model& model, const std::string& kind) {
    model.add({kind + std::to_string(model.processes().size()), kind}, nullptr);
}

Model of_kinds(std::initializer_list<const char*> kinds) {
    Model model;
    for (const char* kind : kinds) { add(model, kind); }
    return model;
}

/// SMs 0 and 1, memories 2 and 3, dispatcher 4: a machine's channels.
Model machine() {
    Model model = of_kinds({"sm", "sm", "memory", "memory", "dispatcher"});
    for (LpId sm = 0; sm < 2; ++sm) {
        for (LpId memory = 2; memory < 4; ++memory) {
            model.connect(sm, 0, memory, static_cast<std::uint16_t>(sm), 94);
            model.connect(memory, 0, sm, 0, 94);
        }
        model.connect(sm, 1, 4, 0, 64);
        model.connect(4, 0, sm, 1, 64);
    }
    return model;
}

SourceTimes pending(std::size_t source, Time time) {
    SourceTimes times = all_at<kSourceCount>(kTimeInfinity);
    times[source] = time;
    return times;
}

}  // namespace

TEST_CASE("an SM is bound by memory's channel and by the way over the dispatcher, not by the channel to that") {
    const SourceLookahead alone(machine(), std::vector<int>(5, 0), 0, 1);
    const KindTimes of_sms = alone.from_within(pending(kSm, 1000));
    CHECK(of_sms[kSm] == 1128);
    CHECK(of_sms[kMemory] == 1094);
    CHECK(of_sms[kDispatcher] == 1064);
    const KindTimes of_memory = alone.from_within(pending(kMemory, 1000));
    CHECK(of_memory[kSm] == 1094);
    CHECK(of_memory[kMemory] == 1188);
    CHECK(of_memory[kDispatcher] == 1158);
    CHECK(alone.from_within(pending(kDispatcher, 1000))[kSm] == 1064);
    CHECK(alone.from_within(pending(kAnswers, 1000))[kSm] == kTimeInfinity);
    CHECK(alone.from_elsewhere(pending(kSm, 1000)) == all_at<kMostKinds>(kTimeInfinity));
}

TEST_CASE("the nearest of all sources bounds a kind, and what is idle bounds none") {
    const SourceLookahead alone(machine(), std::vector<int>(5, 0), 0, 1);
    SourceTimes times = pending(kSm, 1000);
    times[kMemory] = 1020;
    times[kDispatcher] = 1060;
    CHECK(alone.from_within(times)[kSm] == 1114);
    times[kDispatcher] = 1040;
    CHECK(alone.from_within(times)[kSm] == 1104);
    CHECK(alone.from_within(all_at<kSourceCount>(kTimeInfinity)) == all_at<kMostKinds>(kTimeInfinity));
}

TEST_CASE("what comes from elsewhere counts from its last channel into the rank, and is passed on within it") {
    // Rank 0 has SM 0 and memory 2; rank 1 SM 1, memory 3 and the dispatcher.
    const std::vector<int> ranks = {0, 1, 0, 1, 1};
    const SourceLookahead first(machine(), ranks, 0, 2);
    const KindTimes of_sms = first.from_elsewhere(pending(kSm, 1000));
    CHECK(of_sms[kSm] == 1128);
    CHECK(of_sms[kMemory] == 1094);
    CHECK(of_sms[kDispatcher] == kTimeInfinity);  // it has no channel
    CHECK(first.from_within(pending(kSm, 1000))[kDispatcher] == kTimeInfinity);
    const SourceLookahead second(machine(), ranks, 1, 2);
    CHECK(second.from_elsewhere(pending(kSm, 1000))[kDispatcher] == 1064);
    CHECK(second.from_elsewhere(pending(kMemory, 1000))[kDispatcher] == 1158);

    // To LP 1 of rank 0, only from rank 1; it passes messages on to 2 and 3, one after the other.
    Model chain = of_kinds({"source", "gate", "near", "far"});
    chain.connect(0, 0, 1, 0, 100);
    chain.connect(1, 0, 2, 0, 3);
    chain.connect(2, 0, 3, 0, 4);
    const SourceLookahead gated(chain, std::vector<int>{1, 0, 0, 0}, 0, 2);
    const KindTimes arrivals = gated.from_elsewhere(pending(0, 50));
    CHECK(arrivals[1] == 150);
    CHECK(arrivals[2] == 153);
    CHECK(arrivals[3] == 157);
    CHECK(gated.from_within(pending(1, 50))[3] == 57);
}

TEST_CASE("ranks that take windows together go by the same bounds, those of the rank that goes least far") {
    // The dispatcher's own rank receives this within the rank, the other one from elsewhere.
    const std::vector<int> ranks = {0, 1, 0, 1, 1};
    const SourceLookahead first(machine(), ranks, 0, 2), second(machine(), ranks, 1, 2);
    const SourceTimes dispatcher = pending(kDispatcher, 1000);
    CHECK(first.from_elsewhere(dispatcher)[kSm] == 1064);
    CHECK(second.from_elsewhere(dispatcher)[kSm] == 1000 + 3 * 64);  // through the other SM
    for (const SourceLookahead* at : {&first, &second}) {
        CHECK(at->from_elsewhere_at_any_rank(dispatcher)[kSm] == 1064);
        CHECK(at->from_elsewhere_at_any_rank(pending(kMemory, 1000))[kSm] == 1094);
        CHECK(at->from_elsewhere_at_any_rank(pending(kSm, 1000))[kDispatcher] == 1064);
    }
    // Messages that no rank receives from elsewhere bound none.
    const SourceLookahead alone(machine(), std::vector<int>(5, 0), 0, 1);
    CHECK(alone.from_elsewhere_at_any_rank(dispatcher) == all_at<kMostKinds>(kTimeInfinity));
}

TEST_CASE("what is pending on a rank without a channel to this one arrives by way of others") {
    Model model = of_kinds({"origin", "relay", "end"});
    model.connect(0, 0, 1, 0, 20);
    model.connect(1, 0, 2, 0, 30);
    const SourceLookahead last(model, std::vector<int>{0, 1, 2}, 2, 3);
    CHECK(last.from_elsewhere(pending(0, 7))[2] == 57);
    CHECK(last.from_elsewhere(pending(1, 7))[2] == 37);
    CHECK(last.from_elsewhere(pending(2, 7))[2] == kTimeInfinity);
    // Messages pending here may come back through other ranks.
    model.connect(2, 0, 0, 0, 10);
    const SourceLookahead ring(model, std::vector<int>{0, 1, 2}, 2, 3);
    CHECK(ring.from_elsewhere(pending(2, 7))[2] == 67);
}

TEST_CASE("messages that are answered only lead on by the answers' channels") {
    Model model = machine();
    add(model, "host");
    for (LpId memory = 2; memory < 4; ++memory) {
        model.connect(5, 0, memory, 9, 500);
        model.connect(memory, 1, 5, 0, 350);
        model.answer_only(memory, 9, 1);
    }
    const SourceLookahead alone(model, std::vector<int>(6, 0), 0, 1);
    const KindTimes answers = alone.from_within(pending(kAnswers, 1000));
    CHECK(answers[kHost] == 1350);
    CHECK(answers[kMemory] == 1850);
    CHECK(answers[kSm] == 1944);
    CHECK(alone.from_within(pending(kMemory, 1000))[kSm] == 1094);
    const SourceLookahead other(model, std::vector<int>{0, 0, 0, 0, 0, 1}, 1, 2);
    CHECK(other.from_elsewhere(pending(kAnswers, 1000))[kHost] == 1350);
}

TEST_CASE("what a rank sends to another comes by ways within the rank and one channel out of it") {
    const std::vector<int> ranks = {0, 1, 0, 1, 1};
    const SourceLookahead first(machine(), ranks, 0, 2);
    CHECK(first.to_rank(1, pending(kSm, 1000)) == 1064);
    CHECK(first.to_rank(1, pending(kMemory, 1000)) == 1094);
    CHECK(first.direct(1) == 64);
    const SourceLookahead second(machine(), ranks, 1, 2);
    CHECK(second.to_rank(0, pending(kDispatcher, 1000)) == 1064);
    CHECK(second.direct(0) == 64);
    Model chain = of_kinds({"inner", "outer", "other"});
    chain.connect(0, 0, 1, 0, 5);
    chain.connect(1, 0, 2, 0, 60);
    const SourceLookahead sender(chain, std::vector<int>{0, 0, 1}, 0, 2);
    CHECK(sender.to_rank(1, pending(0, 10)) == 75);
    CHECK(sender.direct(1) == 60);
    const SourceLookahead receiver(chain, std::vector<int>{0, 0, 1}, 1, 2);
    CHECK(receiver.direct(0) == kTimeInfinity);
}

TEST_CASE("a uniform fan-out reaches every kind and rank in its range") {
    Model model = of_kinds({"a", "b", "c", "d", "b"});
    model.connect_all(0, 0, 1, 3, 0, 7);
    const SourceLookahead from(model, std::vector<int>{0, 0, 1, 1, 1}, 0, 2);
    CHECK(from.from_within(pending(0, 0))[1] == 7);
    CHECK(from.from_within(pending(0, 0))[2] == kTimeInfinity);
    CHECK(from.direct(1) == 7);
    const SourceLookahead to(model, std::vector<int>{0, 0, 1, 1, 1}, 1, 2);
    CHECK(to.from_elsewhere(pending(0, 0))[1] == kTimeInfinity);  // LP 4 is not in the range
    CHECK(to.from_elsewhere(pending(0, 0))[2] == 7);
    CHECK(to.from_elsewhere(pending(0, 0))[3] == 7);
}

TEST_CASE("kinds beyond the seventh count as the last, with its shortest channels") {
    Model model;
    for (unsigned i = 0; i < kMostKinds + 2; ++i) { add(model, "kind" + std::to_string(i) + "_"); }
    model.connect(0, 0, 6, 0, 50);
    model.connect(0, 0, 7, 0, 40);
    model.connect(8, 0, 0, 0, 30);
    const SourceLookahead alone(model, std::vector<int>(model.processes().size(), 0), 0, 1);
    CHECK(alone.kind_of(5) == 5);
    CHECK(alone.kind_of(6) == 6);
    CHECK(alone.kind_of(8) == 6);
    CHECK(alone.from_within(pending(0, 0))[6] == 40);
    CHECK(alone.from_within(pending(6, 0))[0] == 30);
}
