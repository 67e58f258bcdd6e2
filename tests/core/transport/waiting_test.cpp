#include "core/transport/waiting.h"

#include <doctest/doctest.h>

namespace lookahead {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPatience = 1'000'000;  // looks before the first yield
constexpr std::chrono::milliseconds kSlice{5};

void look(Waiting& waiting, int times) {
    for (int i = 0; i < times; ++i) { waiting.after_a_look(); }
}

/// A rank that lost its core for some milliseconds while it looked for packets.
Waiting interrupted() {
    Waiting waiting(kPatience);
    waiting.begin();
    look(waiting, 1500);
    std::this_thread::sleep_for(kSlice);
    look(waiting, 500);
    return waiting;
}

TEST_CASE("who lost the core between two looks sleeps after few looks, in the next waits too") {
    Waiting waiting = interrupted();
    CHECK(waiting.naps());
    for (int wait = 0; wait < 3; ++wait) {
        waiting.begin();
        look(waiting, Waiting::kLooksOfCrowd);
        const auto before = Clock::now();
        look(waiting, 10);
        CHECK(Clock::now() - before >= std::chrono::microseconds(200));  // ten naps of 20
    }
}

TEST_CASE("a time that passes before a wait or after few looks is none of losing the core") {
    Waiting waiting(kPatience);
    for (int wait = 0; wait < 3; ++wait) {
        waiting.begin();
        look(waiting, 999);
        std::this_thread::sleep_for(kSlice);
        CHECK_FALSE(waiting.naps());
    }
    waiting.begin();
    look(waiting, 1000);
    CHECK_FALSE(waiting.naps());
}

TEST_CASE("sleeping ends, and with it the impatience") {
    Waiting waiting = interrupted();
    waiting.begin();
    look(waiting, Waiting::kLooksOfCrowd + 1999);
    CHECK(waiting.naps());
    look(waiting, 1);
    CHECK_FALSE(waiting.naps());
}

}  // namespace
}  // namespace lookahead
