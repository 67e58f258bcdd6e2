#include <doctest/doctest.h>

#include <cstring>
#include <memory>

#include "components/memory_partition/address_mapping.h"
#include "components/sm/lsu/request_path.h"
#include "core/lp/audit.h"
#include "tests/support/seed.h"
#include "tests/support/statistics.h"

namespace lookahead::gpu {
namespace {

constexpr std::string_view kMapping =
    "[address_mapping]\nchannels = 2\nslices_per_channel = 1\nexpression = \"RRRRRRRRRRRR BBBB CCCCCC SSSSS\"\n";

/// Rows of 2 KB: 16 lines. The number in a request's payload identifies it.
struct BatchBench {
    explicit BatchBench(const std::string& parameters = "")
        : configuration(Configuration::from_toml(std::string(kMapping) + "[batch]\n" + parameters, "test")),
          mapping(configuration.read<AddressMappingParameters>("address_mapping")),
          path(make_variant<RequestPath>("batch", configuration, RequestPathArguments{configuration})) {}

    std::uint64_t line(unsigned channel, unsigned bank, std::uint64_t row, unsigned number) const {
        return mapping.address(channel, mapping.encode({bank, number * kLineBytes / mapping.burst_bytes(), row}));
    }
    std::uint64_t line_of_row(std::uint64_t row, unsigned number = 0) const { return line(0, 0, row, number); }

    QueuedRequest request(std::uint64_t of_line, GpuMessage type = GpuMessage::read_request) {
        QueuedRequest made{};
        made.line = of_line;
        made.type = type;
        made.bytes = 16;
        std::memcpy(made.payload, &of_line, 8);
        std::memcpy(made.payload + 8, &taken, 8);
        return made;
    }
    /// Offers a request in cycle `now`; returns false if refused.
    bool offer(std::uint64_t of_line, GpuMessage type = GpuMessage::read_request) {
        const QueuedRequest made = request(of_line, type);
        if (!path->can_take(made)) { return false; }
        path->take(made, now);
        ++taken;
        return true;
    }
    /// The number of the request that leaves in cycle `now`; -1: none.
    std::int64_t leave(bool drain = false) {
        const QueuedRequest* leaving = path->next(now, drain);
        if (leaving == nullptr) { return -1; }
        std::int64_t number = 0;
        std::memcpy(&number, leaving->payload + 8, 8);
        path->sent(now);
        return number;
    }
    /// The numbers of all requests that leave, one per cycle from `now` on.
    std::vector<std::int64_t> leave_all(bool drain = false) {
        std::vector<std::int64_t> numbers;
        for (unsigned idle = 0; path->size() > 0 && idle < 100; ++now) {
            const std::int64_t number = leave(drain);
            number < 0 ? static_cast<void>(++idle) : numbers.push_back(number);
        }
        return numbers;
    }
    std::map<std::string, std::uint64_t> counts() const {
        lookahead::test::Statistics statistics("batch");
        path->visit_statistics(statistics, "sm0");
        return statistics.of;
    }

    Configuration configuration;
    AddressMapping mapping;
    std::unique_ptr<RequestPath> path;
    Cycle now = 100;
    std::int64_t taken = 0;
};

using Numbers = std::vector<std::int64_t>;

TEST_CASE("requests for one row leave one behind the other, those of other rows in batches of their own") {
    BatchBench bench;
    for (unsigned i = 0; i < 3; ++i) {
        CHECK(bench.offer(bench.line_of_row(1, i)));
        CHECK(bench.offer(bench.line_of_row(2, i)));
    }
    CHECK(bench.leave_all() == Numbers{0, 2, 4, 1, 3, 5});
    CHECK(bench.counts().at("batches") == 2);
    CHECK(bench.counts().at("joined") == 4);
    CHECK(bench.counts().at("sizes_2") == 2);
}

TEST_CASE("a batch is of one row of one bank of one channel") {
    BatchBench bench;
    const std::uint64_t lines[] = {bench.line(0, 3, 5, 0), bench.line(1, 3, 5, 0), bench.line(0, 4, 5, 0),
                                   bench.line(0, 3, 6, 0)};
    for (const std::uint64_t line : lines) { CHECK(bench.offer(line)); }
    CHECK(bench.counts().at("batches") == 4);
    CHECK(bench.offer(bench.line(0, 3, 5, 15)));
    CHECK(bench.counts().at("batches") == 4);
    CHECK(bench.leave_all() == Numbers{0, 4, 1, 2, 3});
}

TEST_CASE("a batch leaves sixteen cycles after its first request, not before") {
    BatchBench bench;
    CHECK(bench.offer(bench.line_of_row(1, 0)));
    CHECK(bench.path->next_event(100, false) == 116);
    bench.now = 110;
    CHECK(bench.offer(bench.line_of_row(1, 1)));  // does not make it younger
    for (bench.now = 111; bench.now < 116; ++bench.now) { CHECK(bench.leave() == -1); }
    CHECK(bench.leave() == 0);
    CHECK(bench.path->next_event(116, false) == 117);
    ++bench.now;
    CHECK(bench.leave() == 1);
    CHECK(bench.path->next_event(117, false) == kCycleInfinity);
    CHECK(bench.counts().at("ends_age") == 1);
    CHECK(bench.counts().at("wait_cycles") == 16 + 7);
}

TEST_CASE("a batch whose time came while another one's requests left goes behind it") {
    BatchBench bench("age = 4\n");
    for (unsigned i = 0; i < 6; ++i) { CHECK(bench.offer(bench.line_of_row(1, i))); }
    CHECK(bench.offer(bench.line_of_row(2)));
    CHECK(bench.leave_all() == Numbers{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("a batch leaves when it is full") {
    for (const unsigned requests : {15u, 16u}) {
        BatchBench bench;
        for (unsigned i = 0; i < requests; ++i) { CHECK(bench.offer(bench.line_of_row(1, i))); }
        CHECK(bench.leave() == (requests == 16 ? 0 : -1));
        CHECK(bench.counts().at("ends_full") == (requests == 16 ? 1 : 0));
    }
}

TEST_CASE("nothing joins a batch that leaves: another one is opened for its row, and leaves behind it") {
    BatchBench bench("requests = 4\n");
    for (unsigned i = 0; i < 4; ++i) { CHECK(bench.offer(bench.line_of_row(1, i))); }
    CHECK(bench.leave() == 0);
    CHECK(bench.offer(bench.line_of_row(1, 0)));
    CHECK(bench.counts().at("batches") == 2);
    for (const std::int64_t number : {1, 2, 3, -1}) {
        ++bench.now;
        CHECK(bench.leave() == number);
    }
    CHECK(bench.leave_all() == Numbers{4});
}

TEST_CASE("a request for a fifth row has the batch leave that was opened first, and waits for its entry") {
    BatchBench bench;
    for (std::uint64_t row = 0; row < 4; ++row) {
        CHECK(bench.offer(bench.line_of_row(row)));
        ++bench.now;
    }
    CHECK(bench.leave() == -1);
    CHECK(bench.offer(bench.line_of_row(0, 1)));
    CHECK(bench.offer(bench.line_of_row(9)));
    CHECK(bench.path->size() == 6);
    CHECK_FALSE(bench.offer(bench.line_of_row(1, 1)));
    CHECK(bench.leave() == 0);
    CHECK_FALSE(bench.offer(bench.line_of_row(1, 1)));
    CHECK(bench.leave() == 4);
    CHECK(bench.leave() == -1);
    CHECK(bench.offer(bench.line_of_row(1, 1)));
    CHECK(bench.offer(bench.line_of_row(9, 1)));
    CHECK(bench.counts().at("ends_replaced") == 1);
    CHECK(bench.leave_all(true) == Numbers{1, 6, 2, 3, 5, 7});
}

TEST_CASE("the age of a request that waited for an entry counts from its coming") {
    BatchBench bench("entries = 1\n");
    CHECK(bench.offer(bench.line_of_row(1)));
    bench.now = 105;
    CHECK(bench.offer(bench.line_of_row(2)));
    bench.now = 110;
    CHECK(bench.leave() == 0);
    bench.now = 120;
    CHECK(bench.leave() == -1);
    bench.now = 121;
    CHECK(bench.leave() == 1);
}

TEST_CASE("a fence has all batches leave, in the order in which they were opened") {
    BatchBench bench;
    CHECK(bench.offer(bench.line_of_row(3)));
    ++bench.now;
    CHECK(bench.offer(bench.line_of_row(1)));
    ++bench.now;
    CHECK(bench.offer(bench.line_of_row(2)));
    CHECK(bench.leave(false) == -1);
    CHECK(bench.path->next_event(bench.now, true) == bench.now + 1);
    CHECK(bench.leave_all(true) == Numbers{0, 1, 2});
    CHECK(bench.now < 110);
    CHECK(bench.counts().at("ends_drained") == 3);
}

TEST_CASE("an atomic has all batches leave, its own among them") {
    BatchBench bench;
    CHECK(bench.offer(bench.line_of_row(1)));
    ++bench.now;
    CHECK(bench.offer(bench.line_of_row(2)));
    CHECK(bench.leave() == -1);
    CHECK(bench.offer(bench.line_of_row(1, 1), GpuMessage::atomic_request));
    CHECK(bench.leave_all() == Numbers{0, 2, 1});
    CHECK(bench.now < 110);
    CHECK(bench.counts().at("ends_atomic") == 2);
}

TEST_CASE("an atomic that waits for an entry leaves as soon as it has one") {
    BatchBench bench;
    for (std::uint64_t row = 0; row < 4; ++row) { CHECK(bench.offer(bench.line_of_row(row))); }
    CHECK(bench.offer(bench.line_of_row(9), GpuMessage::atomic_request));
    CHECK(bench.leave_all() == Numbers{0, 1, 2, 3, 4});
    CHECK(bench.now == 105);
}

TEST_CASE("sixteen stores fill the data buffer: the oldest batch with data leaves, and loads go on entering") {
    BatchBench bench("requests = 32\nage = 1000\n");
    CHECK(bench.offer(bench.line_of_row(7)));  // older, without data
    for (unsigned i = 0; i < 15; ++i) {
        ++bench.now;
        CHECK(bench.offer(bench.line_of_row(1 + i % 2, i / 2), GpuMessage::write_request));
    }
    CHECK(bench.leave() == -1);
    CHECK(bench.offer(bench.line_of_row(2, 7), GpuMessage::write_request));
    CHECK_FALSE(bench.offer(bench.line_of_row(2, 8), GpuMessage::write_request));
    CHECK_FALSE(bench.offer(bench.line_of_row(2, 8), GpuMessage::atomic_request));
    CHECK(bench.offer(bench.line_of_row(2, 8)));
    CHECK(bench.leave() == 1);
    CHECK(bench.offer(bench.line_of_row(2, 9), GpuMessage::write_request));
    CHECK(bench.counts().at("ends_data") >= 1);
    CHECK(bench.counts().at("with_data") == 17);
    CHECK(bench.counts().at("requests") == 19);
}

TEST_CASE("the order of each line's requests is kept, whatever comes and whenever the network takes it") {
    std::mt19937_64 random(lookahead::test::random_seed());
    BatchBench bench("entries = 2\nrequests = 3\nage = 8\nstore_entries = 4\n");
    std::map<std::uint64_t, std::int64_t> last;  // number of each line's last request that left
    std::vector<std::uint64_t> lines;            // of each number
    unsigned refused = 0;
    for (; bench.now < 50'000; ++bench.now) {
        constexpr GpuMessage kTypes[] = {GpuMessage::read_request, GpuMessage::write_request,
                                         GpuMessage::atomic_request};
        const auto draw = random() % 10;
        const std::uint64_t line = bench.line(static_cast<unsigned>(random() % 2), 0, random() % 3, random() % 2);
        if (random() % 4 != 0) {
            const bool taken = bench.offer(line, kTypes[draw < 6 ? 0 : draw < 9 ? 1 : 2]);
            refused += !taken;
            if (taken) { lines.push_back(line); }
        }
        if (random() % 3 != 0) {
            if (const std::int64_t number = bench.leave(random() % 40 == 0); number >= 0) {
                auto [before, first] = last.try_emplace(lines[static_cast<std::size_t>(number)], -1);
                REQUIRE(before->second < number);
                before->second = number;
            }
        }
    }
    CHECK(refused > 100);
    bench.leave_all(true);
    CHECK(bench.path->size() == 0);
    Audit audit;
    bench.path->audit(audit, "sm0");
    CHECK(audit.faults().empty());
    const auto counts = bench.counts();
    CHECK(counts.at("requests") == lines.size());
    std::uint64_t ends = 0;
    for (const char* end : {"full", "replaced", "drained", "atomic", "data", "age"}) {
        CAPTURE(end);
        CHECK(counts.at(std::string("ends_") + end) > 0);
        ends += counts.at(std::string("ends_") + end);
    }
    CHECK(ends == counts.at("batches"));
    CHECK(counts.at("batches") + counts.at("joined") == counts.at("requests"));
}

}  // namespace
}  // namespace lookahead::gpu
