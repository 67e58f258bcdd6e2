#include "core/phold/heap_event_queue.h"
#include "core/phold/wheel_event_queue.h"
#include "core/state/archives.h"

#include <doctest/doctest.h>

#include <random>

using namespace lookahead;

namespace {

template <class Event>
using Wheel64 = WheelEventQueue<Event, 64>;
template <class Event>
using Wheel512 = WheelEventQueue<Event, 512>;

/// A delay from far below a bucket to far beyond the wheel; often a multiple of 8, to make ties.
Time random_delay(std::mt19937_64& random) {
    const Time delay = static_cast<Time>(random() >> (40 + random() % 24));
    return random() % 2 == 0 ? delay / 8 * 8 : delay;
}

/// Runs a random schedule as an LP would: it looks ahead, handles events up to a horizon, and new events arrive in
/// between, even before the event that it saw last. The result depends on every event's time and order.
template <template <class> class Queue>
std::uint64_t checksum_of_schedule(std::uint64_t seed, Time bucket_width, bool reload) {
    std::mt19937_64 random(seed);
    Queue<std::uint64_t> queue = [&] {
        if constexpr (std::is_constructible_v<Queue<std::uint64_t>, Time>) {
            return Queue<std::uint64_t>(bucket_width);
        } else {
            return Queue<std::uint64_t>();
        }
    }();
    std::uint64_t checksum = 0;
    std::uint64_t pushed = 0;
    Time now = 0;
    for (int step = 0; step < 3000; ++step) {
        for (std::uint64_t i = random() % 4; i > 0; --i) { queue.push(now + random_delay(random), pushed++); }
        const Time seen = queue.next_time();
        const Time horizon = now + random_delay(random);
        if (seen > now && seen < kTimeInfinity && random() % 2 == 0) {
            queue.push(now + (seen - now) / 2, pushed++);  // before the time seen last
        }
        for (std::uint64_t most = random() % 8; most > 0 && queue.next_time() < horizon; --most) {
            now = queue.next_time();
            const std::uint64_t front = queue.front();
            const std::uint64_t event = queue.pop();
            checksum = (checksum ^ event ^ static_cast<std::uint64_t>(now) ^ (front << 32)) * 0x9E3779B97F4A7C15u;
        }
        checksum += queue.size();
        if (reload && random() % 100 == 0) {
            const std::string bytes = saved_state(queue);
            queue.clear();
            load_state(queue, bytes);
        }
    }
    queue.for_each([&](Time time, std::uint64_t event) {
        checksum = (checksum ^ event ^ static_cast<std::uint64_t>(time)) * 0x9E3779B97F4A7C15u;
    });
    return checksum;
}

}  // namespace

TEST_CASE("wheel and heap give the same order on random schedules") {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        CAPTURE(seed);
        const std::uint64_t heap = checksum_of_schedule<HeapEventQueue>(seed, 0, false);
        for (const Time width : {1, 64, 4096, 1 << 17}) {
            REQUIRE(checksum_of_schedule<Wheel64>(seed, width, false) == heap);
            REQUIRE(checksum_of_schedule<Wheel512>(seed, width, false) == heap);
        }
    }
}

TEST_CASE("queues go on after save and load as if nothing had happened") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        const std::uint64_t heap = checksum_of_schedule<HeapEventQueue>(seed, 0, true);
        REQUIRE(checksum_of_schedule<Wheel64>(seed, 64, true) == heap);
        REQUIRE(checksum_of_schedule<Wheel512>(seed, 4096, true) == heap);
    }
}

TEST_CASE("events of equal time come in the order in which they were pushed, also across the heap's border") {
    WheelEventQueue<int> queue(1);
    queue.push(1000, 1);  // beyond the wheel
    queue.push(0, 0);
    CHECK(queue.pop() == 0);
    queue.push(1000, 2);
    queue.push(980, -1);
    CHECK(queue.pop() == -1);  // now 1000 is within the wheel's reach
    queue.push(1000, 3);
    CHECK(queue.pop() == 1);
    CHECK(queue.pop() == 2);
    CHECK(queue.pop() == 3);
    CHECK(queue.empty());
}

TEST_CASE("looking ahead does not keep an earlier event from arriving") {
    WheelEventQueue<int> queue(64);
    queue.push(1'000'000, 2);
    CHECK(queue.next_time() == 1'000'000);
    CHECK(queue.front() == 2);
    queue.push(10, 1);
    CHECK(queue.next_time() == 10);
    CHECK(queue.pop() == 1);
    CHECK(queue.pop() == 2);
}

TEST_CASE("an event before the present is refused") {
    WheelEventQueue<int> queue(64);
    queue.push(6400, 1);
    queue.pop();
    CHECK_NOTHROW(queue.push(6400, 2));
    CHECK_THROWS_AS(queue.push(6399, 3), InternalError);
}

TEST_CASE("advance_to moves the present up to the next event and no further") {
    WheelEventQueue<int> queue(64);
    queue.push(640'000, 1);
    CHECK_THROWS_AS(queue.advance_to(640'001), InternalError);
    queue.advance_to(640'000);
    CHECK(queue.pop() == 1);
    queue.advance_to(6'400'000);
    CHECK_THROWS_AS(queue.push(640'000, 2), InternalError);
    CHECK(queue.next_time() == kTimeInfinity);
}

TEST_CASE("an empty queue's next event is at infinity") {
    CHECK(WheelEventQueue<int>().next_time() == kTimeInfinity);
    CHECK(HeapEventQueue<int>().next_time() == kTimeInfinity);
}
