// The contract of slot memory.request_path, for every registered variant and one for tests, and the load/store unit's
// use of a path.
#include <doctest/doctest.h>

#include "tests/components/sm/lsu/delaying_path.h"
#include "tests/components/sm/lsu/unit_bench.h"
#include "tests/support/seed.h"

namespace lookahead::gpu::test::request_path_contract_tests {
namespace {

constexpr Cycle kBound = 5000;  ///< cycles within which a request leaves, if the network takes one in each

QueuedRequest make_request(std::mt19937_64& random, std::uint32_t number) {
    constexpr GpuMessage kTypes[] = {GpuMessage::read_request, GpuMessage::write_request, GpuMessage::atomic_request};
    QueuedRequest request{};
    request.line = kBase + random() % 64 * kLineBytes;
    const auto draw = random() % 12;
    request.type = kTypes[draw < 7 ? 0 : draw < 11 ? 1 : 2];
    request.bytes = 16 + 8 * static_cast<std::uint32_t>(random() % 8);
    std::memcpy(request.payload, &request.line, 8);
    for (unsigned i = 8; i < request.bytes; i += 4) { std::memcpy(request.payload + i, &number, 4); }
    return request;
}

bool same(const QueuedRequest& a, const QueuedRequest& b) {
    return a.line == b.line && a.type == b.type && a.bytes == b.bytes &&
           std::memcmp(a.payload, b.payload, a.bytes) == 0;
}

std::unique_ptr<RequestPath> make_path(const std::string& variant) {
    const Configuration configuration;
    return make_variant<RequestPath>(variant, configuration, RequestPathArguments{configuration});
}

template <class Test>
void on_each(Test&& test) {
    const std::vector<std::string> variants = variant_names<RequestPath>();
    CHECK(std::ranges::count(variants, "direct") == 1);
    CHECK(std::ranges::count(variants, "delaying") == 1);
    for (const std::string& variant : variants) {
        CAPTURE(variant);
        for (std::uint64_t seed = lookahead::test::random_seed(), end = seed + 20; seed < end; ++seed) {
            CAPTURE(seed);
            test(variant, seed);
        }
    }
}

TEST_CASE("a request path lets each request go once, as it is, in the order of its line, and no earlier than it says") {
    on_each([](const std::string& variant, std::uint64_t seed) {
        std::mt19937_64 random(seed);
        auto path = make_path(variant);
        std::map<std::uint64_t, std::deque<QueuedRequest>> held;  // by line
        unsigned taken = 0, left = 0;
        Cycle idle_until = 0;  // nothing leaves before, unless a request is taken
        bool drain = false;
        constexpr Cycle kOffers = 10'000;  // afterwards no request comes, nothing drains, and the network takes all
        for (Cycle now = 1; now < kOffers + kBound; ++now) {
            const bool offers = now < kOffers && (now / 700) % 3 != 2;
            if (random() % 500 == 0) {
                drain = !drain;
                idle_until = 0;
            }
            drain = drain && now < kOffers;
            if (const QueuedRequest request = make_request(random, taken);
                offers && random() % 3 != 0 && path->can_take(request)) {
                path->take(request, now);
                held[request.line].push_back(request);
                ++taken;
                idle_until = 0;
            }
            REQUIRE(path->size() == taken - left);
            const QueuedRequest* request = path->next(now, drain);
            REQUIRE(path->next(now, drain) == request);
            REQUIRE(!(drain && request == nullptr && path->size() > 0));
            REQUIRE(!(request != nullptr && now < idle_until));
            if (request != nullptr && (now >= kOffers || random() % 4 != 0)) {
                auto& queue = held[request->line];
                REQUIRE(!queue.empty());
                REQUIRE(same(*request, queue.front()));
                queue.pop_front();
                path->sent(now);
                ++left;
            }
            idle_until = path->next_event(now, drain);
            REQUIRE(idle_until > now);
            REQUIRE((idle_until == kCycleInfinity) == (path->size() == 0));
            if (random() % 50 == 0) {
                const std::string bytes = state_to_bytes([&](StateArchive& archive) { path->fields(archive); });
                path = make_path(variant);
                state_from_bytes(bytes, "the path", [&](StateArchive& archive) { path->fields(archive); });
            }
        }
        CHECK(taken > 500);
        CHECK(path->size() == 0);
    });
}

TEST_CASE("a request path that refuses a request has one to let go") {
    on_each([](const std::string& variant, std::uint64_t seed) {
        std::mt19937_64 random(seed);
        const auto path = make_path(variant);
        unsigned refused = 0;
        Cycle now = 1;
        for (unsigned i = 0; i < 300; ++i) {
            const QueuedRequest request = make_request(random, i);
            for (Cycle waited = 0; !path->can_take(request); ++waited, ++now) {
                REQUIRE(path->next_event(now - 1, false) != kCycleInfinity);
                REQUIRE(waited < kBound);
                ++refused;
                if (path->next(now, false) != nullptr) { path->sent(now); }
            }
            path->take(request, now++);
        }
        CHECK(refused > 0);
    });
}

// ---- The load/store unit --------------------------------------------------------------------------------------------

const isa::Instruction kStore = make_memory(Operation::store);
const isa::Instruction kLoad = make_memory(Operation::load);

struct Through : Bench {
    explicit Through(Overrides more = {}) : Bench(with_path(std::move(more))) {}
    static Overrides with_path(Overrides overrides) {
        overrides.push_back("memory.request_path=delaying");
        return overrides;
    }
    void store(std::uint64_t line) {
        MemoryInstruction what = instruction(kStore, words_from(kBase + line * kLineBytes));
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) { what.data[0][lane] = 7; }
        issue(what);
    }
    void load(std::uint64_t line) { issue(kLoad, words_from(kBase + line * kLineBytes)); }
    unsigned sent() { return memory.count(GpuMessage::write_request) + memory.count(GpuMessage::read_request); }
};

TEST_CASE("a path holds what L1 sends until its time has come") {
    Through bench;
    const Cycle begin = bench.now;
    bench.store(0);
    CHECK_FALSE(bench.unit->drained());
    CHECK(bench.unit->occupancy().requests == 1);
    CHECK(bench.unit->next_event(begin) == begin + DelayingPath::kAge);
    bench.run_to(begin + DelayingPath::kAge);
    CHECK(bench.sent() == 0);
    bench.step();
    CHECK(bench.sent() == 1);
    CHECK(bench.unit->occupancy().requests == 0);
    REQUIRE(bench.drain());
}

TEST_CASE("a fence of the GPU has the path let everything go, and waits for it; one of the CTA need not") {
    for (const isa::Scope scope : {isa::Scope::gpu, isa::Scope::sys, isa::Scope::cta}) {
        Through bench;
        const isa::Instruction fence = make_fence(scope);
        bench.store(0);
        bench.store(20);
        const Cycle begin = bench.now;
        bench.issue_fence(fence);
        while (bench.completions.empty()) { bench.step(); }
        const bool beyond = scope != isa::Scope::cta;
        CHECK(bench.sent() == (beyond ? 2 : 0));
        CHECK(bench.memory.word(kBase) == (beyond ? 7 : 0));
        CHECK(bench.now < begin + 60);
        REQUIRE(bench.drain());
    }
}

TEST_CASE("a release has the path let everything go") {
    Through bench;
    const isa::Instruction release = make_ordered(Operation::store, isa::Order::release);
    bench.store(0);
    const Cycle begin = bench.now;
    bench.issue(release, lanes_at(kBase + 4096), 1);
    while (bench.memory.word(kBase) != 7) { bench.step(); }
    CHECK(bench.now < begin + 60);
    REQUIRE(bench.drain());
}

TEST_CASE("the end of a kernel has the path let everything go") {
    Through bench;
    bench.store(0);
    bench.load(1);
    bench.step();
    CHECK(bench.sent() == 0);
    const Cycle begin = bench.now;
    bench.unit->end_launch();
    REQUIRE(bench.drain());
    CHECK(bench.now < begin + 60);
    bench.unit->begin_kernel();
    bench.store(0);
    bench.run_to(bench.now + 100);
    CHECK(bench.sent() == 2);  // it holds requests back again
}

TEST_CASE("a load of a line behind its store goes behind it, through the path too") {
    Through bench;
    bench.store(0);
    bench.load(0);
    REQUIRE(bench.drain());
    CHECK(bench.registers.row(0)[31] == 7);
    REQUIRE(bench.completions.size() == 1);
    CHECK(bench.completions[0].cycle > DelayingPath::kAge);
}

}  // namespace
}  // namespace lookahead::gpu::test::request_path_contract_tests
