// Drives the L1 through every row of components/cache/TRANSITIONS.md.
#include <doctest/doctest.h>

#include "components/isa/address_space.h"
#include "tests/components/cache/l1_bench.h"
#include "tests/components/cache/markdown_table.h"

namespace lookahead::gpu::test {
namespace {

const std::string kPage = LOOKAHEAD_SOURCE_DIR "/components/cache/TRANSITIONS.md";
constexpr std::uint64_t kLine = 0x1000;
constexpr std::uint64_t kOther = 0x8000;

const LineBytes kOld = pattern(1);
const LineBytes kReply = pattern(2);
const LineBytes kStored = pattern(3);
const LineBytes kStoredLater = pattern(4);
const ByteMask kMask = mask_of(8, 24);
const ByteMask kMaskLater = mask_of(16, 60);

std::string name_of(GpuMessage type) {
    return type == GpuMessage::read_request ? "read" : type == GpuMessage::write_request ? "write" : "atomic";
}
std::string name_of(L1Answer answer) {
    return answer == L1Answer::hit     ? "hit"
           : answer == L1Answer::merge ? "merge"
           : answer == L1Answer::miss  ? "miss"
                                       : "stall";
}

/// The tables hold whether a miss reserves a line or has its own tag until its fill.
constexpr unsigned kTagsForFills[] = {0, 3};

/// Requests a line for the place of the row's line; its miss or its fill takes the place.
L1Answer ask_for_place(L1Bench& bench) {
    const L1Answer answer = bench.load(kOther).answer;
    if (answer == L1Answer::miss) { bench.fill_newest(pattern(9)); }
    return answer;
}

class RowTest {
  protected:
    RowTest(const TableRow& row, const L1Parameters& parameters, unsigned pending_ways)
        : row_(row), bench_(with(parameters, &L1Parameters::pending_ways, pending_ways)) {}

    void note_sent(bool reads_too = true) {
        for (const GpuMessage type : bench_.send_all()) {
            if (reads_too || type != GpuMessage::read_request) {
                sent_ = sent_ == "-" ? name_of(type) : sent_ + " " + name_of(type);
            }
        }
    }
    void check_answer() const {
        CHECK(answer_ == row_.at("answer"));
        CHECK(sent_ == row_.at("sent"));
    }

    const TableRow& row_;
    L1Bench bench_;
    std::string answer_ = "done";
    std::string sent_ = "-";
    std::vector<Served> served_;
};

/// Tries the rows of a section of the page under the policies that each names; returns the number of trials.
template <class Test>
std::size_t try_rows(const std::string& section, const std::vector<std::string>& policies) {
    std::size_t tried = 0;
    for (const TableRow& row : read_table(kPage, section)) {
        std::string text;
        for (const auto& [column, cell] : row) { text += column + " " + cell + ", "; }
        CAPTURE(text);
        for (const std::string& policy : policies) {
            if (row.contains("policy") && row.at("policy") != "any" && row.at("policy") != policy) { continue; }
            CAPTURE(policy);
            for (const unsigned pending_ways : kTagsForFills) {
                CAPTURE(pending_ways);
                Test(row, policy, pending_ways).run();
            }
            ++tried;
        }
    }
    return tried;
}

/// One row of the table: brings the line into its state, applies the event, and compares everything in the row.
class LineRowTest : RowTest {
  public:
    LineRowTest(const TableRow& row, const std::string& policy, unsigned pending_ways)
        : RowTest(row, L1Bench::parameters(1, 1, policy), pending_ways) {}

    void run() {
        bring_into_state();
        REQUIRE(bench_.state_of(kLine) == row_.at("line"));
        REQUIRE(bench_.detached() == std::stoul(row_.at("detached")));
        apply(row_.at("event"));
        check_answer();
        CHECK(bench_.state_of(kLine) == row_.at("line after"));
        CHECK(bench_.detached() == std::stoul(row_.at("detached after")));
        check_waiters();
        check_reads();
    }

  private:
    /// A load poisoned by an atomic gives a detached fill; its read is the oldest.
    void bring_into_state() {
        for (unsigned i = 0; i < std::stoul(row_.at("detached")); ++i) {
            bench_.load(kLine, 100);
            bench_.atomic(kLine);
        }
        if (row_.at("line") == "pending") {
            bench_.load(kLine, 200);
        } else if (row_.at("line") == "valid") {
            bench_.bring(kLine, kOld);
        }
        bench_.send_all();
    }

    void apply(const std::string& event) {
        if (event == "load") {
            const L1LoadResult result = bench_.load(kLine, 300);
            answer_ = name_of(result.answer);
            CHECK((result.answer != L1Answer::hit || equal(result.data, kOld)));
        } else if (event == "ordered_load") {
            answer_ = name_of(bench_.load_ordered(kLine, 300).answer);
        } else if (event == "store") {
            bench_.store(kLine, kStored, kMask);
        } else if (event == "atomic") {
            bench_.atomic(kLine);
        } else if (event == "generation") {
            bench_.l1.start_generation();
        } else if (event == "detached_fill") {
            served_ = bench_.fill_oldest(kReply);
        } else if (event == "fill") {
            fill_pending();
        } else if (event == "replace") {
            ask_for_place(bench_);
            return;
        } else {
            FAIL("unknown event ", event);
        }
        note_sent();
    }

    /// For the row `in_order`: store, load, store into the pending fill before its reply.
    void fill_pending() {
        if (row_.at("waiters") == "in_order") {
            bench_.store(kLine, kStored, kMask);
            bench_.load(kLine, 201);
            bench_.store(kLine, kStoredLater, kMaskLater);
        }
        served_ = bench_.fill_newest(kReply);
    }

    void check_waiters() {
        if (row_.at("waiters") == "-") {
            CHECK(served_.empty());
            return;
        }
        REQUIRE(!served_.empty());
        CHECK(served_[0].token == (row_.at("event") == "fill" ? 200 : 100));
        CHECK(served_[0].bytes == kReply);
        if (row_.at("waiters") == "in_order") {
            REQUIRE(served_.size() == 2);
            CHECK(served_[1].token == 201);
            CHECK(served_[1].bytes == overlaid(kReply, kStored, kMask));
        }
    }

    void check_reads() {
        const std::string& reads = row_.at("reads");
        const L1LoadResult result = bench_.load(kLine, 400);
        if (reads == "-") {
            CHECK(result.answer != L1Answer::hit);
            return;
        }
        REQUIRE(result.answer == L1Answer::hit);
        const LineBytes merged = overlaid(overlaid(kReply, kStored, kMask), kStoredLater, kMaskLater);
        const std::map<std::string, LineBytes> expected = {
            {"old", kOld}, {"reply", kReply}, {"stored", overlaid(kOld, kStored, kMask)}, {"merged", merged}};
        CHECK(equal(result.data, expected.at(reads)));
    }
};

TEST_CASE("the L1 does what each row of the transition table says") {
    CHECK(try_rows<LineRowTest>("## Table", {"write_evict", "write_through"}) >= 70);
}

TEST_CASE("the table has a row for every state, event and policy that can meet") {
    const auto rows = read_table(kPage, "## Table");
    for (const std::string policy : {"write_evict", "write_through"}) {
        for (const std::string line : {"absent", "pending", "valid"}) {
            for (const std::string detached : {"0", "1"}) {
                for (const std::string event :
                     {"load", "ordered_load", "store", "atomic", "generation", "fill", "detached_fill", "replace"}) {
                    const bool possible = (event != "fill" || line == "pending") &&
                                          (event != "detached_fill" || detached == "1") &&
                                          (event != "replace" || line == "valid");
                    const auto matching = std::count_if(rows.begin(), rows.end(), [&](const TableRow& row) {
                        return (row.at("policy") == "any" || row.at("policy") == policy) && row.at("line") == line &&
                               row.at("detached") == detached && row.at("event") == event;
                    });
                    CAPTURE(policy);
                    CAPTURE(line);
                    CAPTURE(detached);
                    CAPTURE(event);
                    CHECK(matching == (possible ? 1 : 0));
                }
            }
        }
    }
}

constexpr unsigned kA = 2;
constexpr unsigned kB = 1;
constexpr SectorMask kSectorA = 1u << kA;
constexpr SectorMask kSectorB = 1u << kB;
const ByteMask kMaskA = mask_of(kA * kSectorBytes + 4, 10);

class SectorRowTest : RowTest {
  public:
    SectorRowTest(const TableRow& row, const std::string& policy, unsigned pending_ways)
        : RowTest(row, with(L1Bench::parameters(1, 1, policy), &L1Parameters::sector_bytes, 32), pending_ways),
          fills_make_room_(pending_ways != 0) {}

    void run() {
        // No line needs to make room when a fill is requested.
        if (fills_make_room_ && row_.at("answer") == "stall") { return; }
        bring_into_state();
        const auto state = [&](const char* column) {
            return row_.at(column) == "together" ? "pending" : row_.at(column);
        };
        REQUIRE(bench_.state_of(kLine, kA) == state("a"));
        REQUIRE(bench_.state_of(kLine, kB) == state("b"));
        apply(row_.at("event"));
        check_answer();
        CHECK(bench_.state_of(kLine, kA) == row_.at("a after"));
        CHECK(bench_.state_of(kLine, kB) == row_.at("b after"));
        CHECK(bench_.state_of(kLine, 0) == "absent");
        if (row_.at("b after") == "valid") {
            const L1LoadResult b = bench_.load_sectors(kLine, kSectorB);
            REQUIRE(b.answer == L1Answer::hit);
            const LineBytes& expected = row_.at("b") == "valid" ? kOld : kReply;
            CHECK(std::memcmp(b.data + kB * kSectorBytes, expected.data() + kB * kSectorBytes, kSectorBytes) == 0);
        }
    }

  private:
    void bring_into_state() {
        const std::string& a = row_.at("a");
        const std::string& b = row_.at("b");
        if (a == "together") { bench_.load_sectors(kLine, kSectorA | kSectorB, 100); }
        if (b == "valid") {
            bench_.bring_sectors(kLine, kSectorB, kOld);
        } else if (b == "pending") {
            bench_.load_sectors(kLine, kSectorB, 100);
        }
        if (a == "valid") {
            bench_.bring_sectors(kLine, kSectorA, kOld);
        } else if (a == "pending") {
            bench_.load_sectors(kLine, kSectorA, 100);
        }
        bench_.send_all();
    }

    void apply(const std::string& event) {
        if (event == "load") {
            answer_ = name_of(bench_.load_sectors(kLine, kSectorA, 300).answer);
        } else if (event == "ordered_load") {
            const L1Access access{.line = kLine, .sectors = kSectorA};
            answer_ = name_of(bench_.l1.load_ordered(access, {.token = 300, .lanes = 1}).answer);
        } else if (event == "store") {
            bench_.store(kLine, kStored, kMaskA);
        } else if (event == "atomic") {
            AtomicRequest request{};
            std::memcpy(bench_.l1.atomic({.line = kLine, .sectors = kSectorA}, sizeof request), &request,
                        sizeof request);
        } else if (event == "generation") {
            bench_.l1.start_generation();
        } else if (event == "fill") {
            served_ = bench_.fill_newest(kReply);
            REQUIRE(served_.size() == 1);
            CHECK(served_[0].token == 100);
        } else if (event == "replace") {
            answer_ = ask_for_place(bench_) == L1Answer::stall ? "stall" : "done";
        } else {
            FAIL("unknown event ", event);
        }
        note_sent();
    }

    bool fills_make_room_;
};

TEST_CASE("the L1 with sectors does what each row of the table of sectors says") {
    CHECK(try_rows<SectorRowTest>("## Sectors", {"write_evict", "write_through"}) >= 48);
}

constexpr std::uint64_t kLocalLine = isa::kLocalMemoryBase + 0x1000;

/// One row of a table of local memory, under write_back or write_back_fetch.
class LocalRowTest : RowTest {
  public:
    LocalRowTest(const TableRow& row, const std::string& policy, unsigned pending_ways)
        : RowTest(row, with(L1Bench::parameters(1, 1), &L1Parameters::local_write_policy, policy), pending_ways),
          fills_make_room_(pending_ways != 0) {}

    void run() {
        bring_into_state();
        REQUIRE(state() == row_.at("line"));
        REQUIRE(dirty() == row_.at("dirty"));
        apply(row_.at("event"));
        check_answer();
        CHECK(state() == row_.at("line after"));
        CHECK(dirty() == row_.at("dirty after"));
        CHECK(std::to_string(bench_.detached()) == row_.at("detached after"));
        if (row_.at("event") == "fill") {
            REQUIRE(served_.size() == (row_.at("line") == "fetching" ? 0 : 1));
            for (const Served& each : served_) { CHECK(each.bytes == seen_); }
        }
        if (state() == "valid") { CHECK(equal(bench_.load(kLocalLine).data, seen_)); }
    }

  private:
    std::string state() const {
        const std::string state = bench_.state_of(kLocalLine);
        return state == "absent" || info().valid != 0 ? state
               : !info().dirty                        ? state
               : !info().pending()                    ? "partial"
               : somebody_waits()                     ? "refilled"
                                                      : "fetching";
    }
    bool somebody_waits() const { return bench_.l1.mshrs()[info().mshr(kAllSectors)].listed != 0; }
    std::string dirty() const { return bench_.state_of(kLocalLine) != "absent" && info().dirty ? "yes" : "no"; }
    const LineInfo& info() const { return bench_.l1.tags().info(bench_.l1.tags().find(kLocalLine)); }

    std::string store(const LineBytes& bytes, const ByteMask& mask) {
        const L1StoreResult result = bench_.l1.store_local({.line = kLocalLine}, mask, bytes.data(), 5);
        if (result.answer == L1Answer::stall) {
            REQUIRE(result.failure == ReservationFailure::pending_store);
            return "pending_store";
        }
        seen_ = overlaid(seen_, bytes, mask);
        return name_of(result.answer);
    }

    void bring_into_state() {
        const std::string& line = row_.at("line");
        seen_ = kReply;
        if (line == "partial" || line == "refilled" || line == "fetching") { store(kStored, kMask); }
        if (line == "pending" || line == "refilled") {
            bench_.load(kLocalLine, 100);
        } else if (line == "valid") {
            bench_.bring(kLocalLine, kReply);
            if (row_.at("dirty") == "yes") { store(kStored, kMask); }
        }
        bench_.send_all();
    }

    std::string atomic() {
        const L1Access access{.line = kLocalLine};
        if (bench_.l1.clean_for_atomic(access).answer == L1Answer::stall) { return "pending_store"; }
        bench_.atomic(kLocalLine);
        return "done";
    }

    void apply(const std::string& event) {
        if (event == "load") {
            answer_ = name_of(bench_.load(kLocalLine, 300).answer);
        } else if (event == "ordered_load") {
            answer_ = name_of(bench_.load_ordered(kLocalLine, 300).answer);
        } else if (event == "stored") {
            answer_ = name_of(bench_.l1.load({.line = kLocalLine, .bytes = &kMask}, {.token = 300, .lanes = 1}).answer);
        } else if (event == "store") {
            answer_ = store(kStoredLater, kMaskLater);
        } else if (event == "store_line") {
            answer_ = store(kStoredLater, bytes_of(kAllSectors));
        } else if (event == "atomic") {
            answer_ = atomic();
        } else if (event == "generation") {
            bench_.l1.start_generation();
        } else if (event == "kernel") {
            bench_.l1.begin_kernel();
        } else if (event == "fill") {
            served_ = bench_.fill_oldest(kReply);
        } else if (event == "replace") {
            bench_.load(kOther);
            if (fills_make_room_) { bench_.fill_newest(pattern(9)); }
        } else {
            FAIL("unknown event ", event);
        }
        note_sent(event != "replace");
    }

    bool fills_make_room_;
    LineBytes seen_{};  ///< the whole line as the thread's program must see it, if L2 holds kReply
};

TEST_CASE("the L1 does what each row of the table of local memory says") {
    CHECK(try_rows<LocalRowTest>("## Local memory", {"write_back"}) == 41);
}

TEST_CASE("the L1 does what each row of the table of stores that fetch says") {
    CHECK(try_rows<LocalRowTest>("### Stores that fetch", {"write_back_fetch"}) == 16);
}

std::string name_of(ReservationFailure failure) {
    return failure == ReservationFailure::no_mshr       ? "no_mshr"
           : failure == ReservationFailure::merge_limit ? "merge_limit"
           : failure == ReservationFailure::no_line     ? "no_line"
                                                        : "miss_queue_full";
}

/// Takes `used` of the `limit` units of the resource.
L1Parameters reservation_parameters(const std::string& needs) {
    L1Parameters parameters = L1Bench::parameters(1, needs.starts_with("way") ? 2 : 8);
    if (needs == "free MSHR") {
        parameters.mshrs = 2;
    } else if (needs == "free place in the fill's list") {
        parameters.merges = 2;
    } else if (needs == "free place in the miss queue") {
        parameters.miss_queue = 2;
    }
    return parameters;
}

void use_up(L1Bench& bench, const TableRow& row, unsigned used) {
    const std::string& needs = row.at("needs");
    if (row.at("line") == "pending") {
        bench.load(kLine, 1);
        bench.send_all();
        --used;
    }
    for (unsigned i = 0; i < used; ++i) {
        const std::uint64_t line = needs == "free place in the fill's list" ? kLine : kOther + i * kLineBytes;
        CHECK(bench.load(line, 2).answer != L1Answer::stall);
        if (needs != "free place in the miss queue") { bench.send_all(); }
    }
}

/// "done", or the cause of the stall.
std::string attempt(L1Bench& bench, const std::string& access) {
    if (access == "store" || access == "atomic") { return bench.l1.can_write() ? "done" : "miss_queue_full"; }
    const L1LoadResult result = access == "load" ? bench.load(kLine, 3) : bench.load_ordered(kLine, 3);
    return result.answer == L1Answer::stall ? name_of(result.failure) : "done";
}

TEST_CASE("a reservation holds with the last free unit and stalls without, leaving no trace") {
    for (const TableRow& row : read_table(kPage, "## Reservations")) {
        CAPTURE(row.at("access"));
        CAPTURE(row.at("needs"));
        REQUIRE(row.at("at") == "1");
        {
            L1Bench bench(reservation_parameters(row.at("needs")));
            use_up(bench, row, 1);
            CHECK(attempt(bench, row.at("access")) == "done");
        }
        L1Bench bench(reservation_parameters(row.at("needs")));
        use_up(bench, row, 2);
        const std::uint64_t before = bench.hash();
        CHECK(attempt(bench, row.at("access")) == row.at("stall"));
        CHECK(bench.hash() == before);
    }
}

}  // namespace
}  // namespace lookahead::gpu::test
