// Loads and stores whose elements have their own addresses.
#include <doctest/doctest.h>

#include "tests/components/sm/lsu/unit_bench.h"
#include "tests/support/seed.h"

namespace lookahead::gpu::test::elements_tests {
namespace {

isa::Instruction vector_of(Operation operation, unsigned elements, Space space = Space::global) {
    isa::Instruction result = make_memory(operation, Type::u32, space, elements);
    result.destination_rows = operation == Operation::load ? static_cast<std::uint8_t>(elements) : std::uint8_t{0};
    return result;
}

/// An instruction in which element k of lane i is `stride(i)` words after element k - 1.
template <class Address, class Stride>
MemoryInstruction strided(Bench& bench, const isa::Instruction& what, Address address, Stride stride,
                          isa::LaneMask active = isa::kFullMask, unsigned row = 8) {
    MemoryInstruction result = bench.instruction(what, address, active, row);
    result.elements = what.vector;
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) { result.offsets[0][lane] = stride(lane); }
    return result;
}
template <class Offset>
MemoryInstruction indexed(Bench& bench, const isa::Instruction& what, std::uint64_t base, Offset offset,
                          isa::LaneMask active = isa::kFullMask, unsigned row = 8) {
    MemoryInstruction result = bench.instruction(what, lanes_at(base), active, row);
    result.elements = what.vector;
    result.indexed = true;
    for (unsigned element = 0; element < what.vector; ++element) {
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            result.offsets[element][lane] = offset(element, lane);
        }
    }
    return result;
}

constexpr auto kWords = words_from(kBase);
constexpr auto kLineApart = [](unsigned) { return 32; };

TEST_CASE("elements are accessed one a cycle in their order, and the instruction counts once") {
    Bench bench;
    bench.memory.set_words(kBase, 256, 5000);
    std::vector<std::pair<Cycle, std::uint64_t>> sent;
    bench.memory.set_delay([&](unsigned, std::uint64_t line, bool to_owner) {
        if (to_owner) { sent.emplace_back(bench.now, (line - kBase) / kLineBytes); }
        return 20;
    });
    const isa::Instruction load = vector_of(Operation::load, 4);
    bench.perform(strided(bench, load, kWords, kLineApart));
    REQUIRE(sent.size() == 4);
    for (unsigned element = 0; element < 4; ++element) {
        CHECK(sent[element] == std::pair{Cycle{1} + element, std::uint64_t{element}});
        CHECK(bench.registers.row(8 + element)[31] == 5000 + 32 * element + 31);
    }
    const LsuCounters& counters = bench.unit->counters();
    CHECK(counters.loads == 1);
    CHECK(counters.completed_loads == 1);
    CHECK(counters.global_accesses == 4);
    REQUIRE(bench.elements.size() == 4);
    CHECK(bench.completions.size() == 1);
    CHECK(counters.load_cycles == static_cast<std::uint64_t>(bench.elements.back().cycle - 1));
}

TEST_CASE("elements that hit complete one by one, the last one with the instruction") {
    Bench bench({"l1d.hit_latency=20"});
    const isa::Instruction load = vector_of(Operation::load, 8);
    bench.perform(strided(bench, load, kWords, kLineApart));
    bench.elements.clear();
    const Cycle begin = bench.now;
    bench.perform(strided(bench, load, kWords, kLineApart));
    REQUIRE(bench.elements.size() == 8);
    for (unsigned element = 0; element < 8; ++element) {
        CHECK(bench.elements[element].element == element);
        CHECK(bench.elements[element].cycle == begin + element + 20);
        CHECK(bench.elements[element].last == (element == 7));
    }
}

TEST_CASE("an element whose line is there completes before an earlier one that misses") {
    Bench bench;
    bench.memory.set_words(kBase, 256, 5000);
    const isa::Instruction word = make_memory(Operation::load);
    bench.perform(word, words_from(kBase + 128));
    bench.memory.set_delay([](unsigned, std::uint64_t line, bool) { return line == kBase ? 300 : 100; });
    const isa::Instruction load = vector_of(Operation::load, 4);
    bench.perform(strided(bench, load, kWords, kLineApart));
    REQUIRE(bench.elements.size() == 4);
    const unsigned order[] = {1, 2, 3, 0};
    for (unsigned i = 0; i < 4; ++i) {
        CHECK(bench.elements[i].element == order[i]);
        CHECK(bench.elements[i].last == (i == 3));
    }
}

TEST_CASE(
    "an element that is not coalesced keeps the unit, and what is behind the instruction waits for all elements") {
    Bench bench;
    const isa::Instruction load = vector_of(Operation::load, 4);
    const isa::Instruction word = make_memory(Operation::load);
    std::vector<Cycle> sent;
    bench.memory.set_delay([&](unsigned, std::uint64_t, bool to_owner) {
        if (to_owner) { sent.push_back(bench.now); }
        return 500;
    });
    // Elements 0, 2 and 3 have one line each, element 1 has two.
    bench.issue(indexed(bench, load, kBase, [](unsigned element, unsigned lane) {
        return static_cast<std::int32_t>(64 * element + (element == 1 && lane >= 16 ? 32 : 0));
    }));
    bench.issue(word, lanes_at(kBase + 4096), isa::kFullMask, 0, 1);
    bench.run_to(20);
    CHECK(sent == std::vector<Cycle>{1, 2, 3, 4, 5, 6});
    REQUIRE(bench.drain());
}

TEST_CASE("the unit accepts nothing while more elements are left than may be when the next instruction is issued") {
    for (const unsigned overlap : {0u, 1u, 5u, 16u}) {
        for (const unsigned elements : {4u, 8u, 16u}) {
            for (const unsigned lines : {1u, 2u}) {  // per element, in one cycle each
                CAPTURE(overlap);
                CAPTURE(elements);
                CAPTURE(lines);
                Bench bench({"coalescing.overlap=" + std::to_string(overlap)});
                const isa::Instruction load = vector_of(Operation::load, elements);
                const isa::Instruction word = make_memory(Operation::load);
                const auto refused = [&] {
                    unsigned cycles = 0;
                    for (; !bench.unit->can_accept(); bench.step()) { ++cycles; }
                    return cycles;
                };
                const MemoryInstruction vector = indexed(bench, load, kBase, [&](unsigned element, unsigned lane) {
                    return static_cast<std::int32_t>(32 * (lines * element + lane % lines));
                });
                const unsigned until_few = elements > overlap ? (elements - overlap) * lines : 0;
                bench.issue(vector);
                CHECK(refused() == (until_few > 0 ? until_few - 1 : 0));  // its first cycle is in issue()
                REQUIRE(bench.drain());
                // It waits, with all its operands, for an instruction in front of it that has as many lines as lanes.
                bench.issue(word, [](unsigned lane) { return kBase + 4096 + kLineBytes * lane; });
                REQUIRE(bench.unit->can_accept());
                bench.issue(vector);
                CHECK(refused() == (until_few > 0 ? isa::kWarpSize - 2 + until_few : 0));
                REQUIRE(bench.drain());
            }
        }
    }
}

TEST_CASE("bank conflicts of an element in shared memory keep the unit as long as they last") {
    for (const int stride : {1, 2, 32}) {
        Bench bench;
        const isa::Instruction load = vector_of(Operation::load, 4, Space::shared);
        const auto lanes = [&](unsigned lane) { return std::uint64_t{4} * lane * static_cast<unsigned>(stride); };
        bench.perform(strided(bench, load, lanes, [](unsigned) { return 1; }));
        CHECK(bench.unit->counters().shared_conflict_cycles == 4u * static_cast<unsigned>(stride - 1));
        REQUIRE(bench.elements.size() == 4);
        CHECK(bench.elements[3].cycle - bench.elements[0].cycle == 3 * stride);
    }
}

TEST_CASE("strides and offsets are signed, and of two elements that store to one word the later one wins") {
    Bench bench;
    const isa::Instruction store = vector_of(Operation::store, 4);
    MemoryInstruction down = strided(bench, store, words_from(kBase + 1024), [](unsigned) { return -32; });
    MemoryInstruction same = strided(bench, store, words_from(kBase + 2048), [](unsigned) { return 0; });
    for (unsigned row = 0; row < 4; ++row) {
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            down.data[row][lane] = same.data[row][lane] = 100 * row + lane;
        }
    }
    bench.issue(down);
    bench.perform(same);
    CHECK(bench.memory.word(kBase + 1024 - 3 * 128 + 4 * 7) == 307);
    CHECK(bench.memory.word(kBase + 2048 + 4 * 7) == 307);
    CHECK(bench.unit->counters().stores == 2);
    CHECK(bench.elements.empty());
}

TEST_CASE("a fault names the element and the lane, and nothing has been performed") {
    Bench bench;
    const isa::Instruction load = vector_of(Operation::load, 8);
    const auto at = [&](std::int32_t words) {
        return indexed(bench, load, kBase,
                       [=](unsigned element, unsigned lane) { return element == 5 && lane == 3 ? words : 0; });
    };
    constexpr auto kLast = static_cast<std::int32_t>(kAllocated / 4) - 1;
    CHECK_NOTHROW(bench.issue(at(kLast)));
    REQUIRE(bench.drain());
    const unsigned before = bench.memory.count(GpuMessage::read_request);
    try {
        bench.issue(at(kLast + 1));
        FAIL("no fault");
    } catch (const MemoryFault& fault) {
        CHECK(fault.element == 5);
        CHECK(fault.lane == 3);
        CHECK(fault.address == kBase + kAllocated);
        CHECK(std::string(fault.what()).find("lane 3, element 5") != std::string::npos);
    }
    CHECK(bench.memory.count(GpuMessage::read_request) == before);
    // An inactive lane may have any address.
    MemoryInstruction masked = at(kLast + 1);
    masked.active = ~(1u << 3);
    CHECK_NOTHROW(bench.issue(masked));
    REQUIRE(bench.drain());
}

TEST_CASE("a fence waits for all elements of a load before it") {
    for (const isa::Scope scope : {isa::Scope::cta, isa::Scope::gpu}) {
        Bench bench;
        bench.memory.set_delay([](unsigned, std::uint64_t line, bool) { return line == kBase + 128 ? 400 : 10; });
        const isa::Instruction load = vector_of(Operation::load, 4);
        const isa::Instruction fence = make_fence(scope);
        bench.issue(strided(bench, load, kWords, kLineApart));
        bench.issue_fence(fence);
        REQUIRE(bench.drain());
        REQUIRE(bench.elements.size() == 4);
        REQUIRE(bench.completions.size() == 2);
        CHECK(bench.completions[1].instruction == &fence);
        CHECK(bench.completions[1].cycle > bench.elements[3].cycle);
        CHECK(bench.elements[3].cycle > 800);
    }
}

TEST_CASE("a pre-load of elements brings their lines, without those lanes that it may not access") {
    Bench bench;
    const isa::Instruction load = vector_of(Operation::load, 4);
    MemoryInstruction what = strided(bench, load, kWords, kLineApart);
    what.pre_load = true;
    what.addresses[9] = 0x10;  // four elements at invalid addresses
    bench.perform(what);
    CHECK(bench.unit->counters().pre_load_unmapped == 4);
    CHECK(bench.memory.count(GpuMessage::read_request) == 4);
    CHECK(bench.elements.empty());
    CHECK(bench.unit->counters().pre_loads == 1);
}

TEST_CASE("a load of an extension completes as a whole") {
    Bench bench;
    const isa::Instruction load = vector_of(Operation::load, 4);
    MemoryInstruction what = strided(bench, load, kWords, kLineApart);
    what.token = 7;
    bench.perform(what);
    CHECK(bench.tokens == std::vector<std::uint16_t>{7});
    CHECK(bench.elements.empty());
}

// ---- At random ------------------------------------------------------------------------------------------------------

/// One warp's loads and stores of elements in global, shared and generic memory. Each load has its own rows and is
/// compared with flat memory when it completes.
class RandomElements {
  public:
    static constexpr unsigned kBytes = 4096;
    static constexpr unsigned kLoads = 4;

    RandomElements(std::uint64_t seed, Bench& bench) : random_(seed), bench_(bench) {
        for (unsigned i = 0; i < kBytes; i += 4) {
            bench.memory.set_word(kBase + i, words_[0][i / 4] = static_cast<std::uint32_t>(random_()));
        }
        for (const Operation operation : {Operation::load, Operation::store}) {
            for (const unsigned elements : {4u, 8u, 16u}) {
                for (const Space space : {Space::global, Space::shared, Space::generic}) {
                    code_.push_back(vector_of(operation, elements, space));
                }
            }
        }
    }

    std::span<const isa::Instruction> code() const { return code_; }
    bool waits() const { return under_way_ > 0; }
    unsigned compared() const { return compared_; }

    /// Returns whether it issued an instruction.
    bool act() {
        if (!bench_.unit->can_accept()) { return false; }
        const isa::Instruction& what = code_[random_() % code_.size()];
        const bool loads = what.operation == Operation::load;
        const auto context = static_cast<std::uint16_t>(random_() % kLoads);
        if (loads && expected_[context].busy) { return false; }
        const auto active = static_cast<isa::LaneMask>(random_() % 3 == 0 ? isa::kFullMask : random_() | 1);
        MemoryInstruction access = make(what, active, context);
        for (unsigned element = 0; element < what.vector; ++element) {
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                const auto value = static_cast<std::uint32_t>(random_());
                access.data[element][lane] = value;
                if ((active >> lane & 1) == 0) { continue; }
                std::uint32_t& word = word_at(what.space, access.element_address(element, lane));
                if (loads) {
                    expected_[context].values[element][lane] = word;
                } else {
                    word = value;
                }
            }
        }
        if (loads) {
            expected_[context].busy = true;
            expected_[context].left = (1u << what.vector) - 1;
            expected_[context].active = active;
            ++under_way_;
        }
        bench_.unit->accept(access, bench_.now);
        return true;
    }

    void look() {
        for (; seen_ < bench_.elements.size(); ++seen_) {
            const auto& element = bench_.elements[seen_];
            Expected& expected = expected_[element.context];
            REQUIRE(expected.busy);
            REQUIRE((expected.left >> element.element & 1) == 1);  // each completes once
            expected.left &= ~(1u << element.element);
            REQUIRE(element.last == (expected.left == 0));
            const std::uint32_t* row = bench_.registers.row(16 * element.context + element.element);
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                if ((expected.active >> lane & 1) == 0) { continue; }
                REQUIRE(row[lane] == expected.values[element.element][lane]);
                ++compared_;
            }
            expected.busy = !element.last;
            under_way_ -= element.last;
        }
    }

    unsigned wrong_words() {
        unsigned wrong = 0;
        for (unsigned i = 0; i < kBytes; i += 4) { wrong += bench_.memory.word(kBase + i) != words_[0][i / 4]; }
        return wrong;
    }

  private:
    struct Expected {
        bool busy = false;
        unsigned left = 0;
        isa::LaneMask active = 0;
        std::array<std::array<std::uint32_t, isa::kWarpSize>, 16> values{};
    };

    /// Element addresses stay within the bytes: the base is in the middle.
    MemoryInstruction make(const isa::Instruction& what, isa::LaneMask active, std::uint16_t context) {
        const bool in_shared = what.space == Space::shared;
        std::array<bool, isa::kWarpSize> to_shared;
        for (bool& each : to_shared) { each = in_shared || (what.space == Space::generic && random_() % 2 == 0); }
        const bool together = random_() % 2 == 0;
        const auto first = static_cast<unsigned>(random_() % 128);
        const auto address = [&](unsigned lane) -> std::uint64_t {
            const std::uint64_t offset = kBytes / 2 + 4 * (together ? lane : first + random_() % 128);
            return (in_shared ? 0 : to_shared[lane] ? isa::kSharedWindowBase : kBase) + offset;
        };
        const auto near = [&] { return static_cast<std::int32_t>(random_() % 256) - 128; };
        if (random_() % 2 == 0) {
            const auto all = static_cast<std::int32_t>(random_() % 16) - 8;
            MemoryInstruction made = strided(
                bench_, what, address,
                [&](unsigned) { return together ? all : static_cast<std::int32_t>(random_() % 16) - 8; }, active,
                16 * context);
            made.context = context;
            return made;
        }
        MemoryInstruction made = indexed(
            bench_, what, 0, [&](unsigned, unsigned) { return near(); }, active, 16 * context);
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) { made.addresses[lane] = address(lane); }
        made.context = context;
        return made;
    }
    std::uint32_t& word_at(Space space, std::uint64_t address) {
        const bool shared = space == Space::shared || address - isa::kSharedWindowBase < isa::kSharedWindowBytes;
        const std::uint64_t base = space == Space::shared ? 0 : shared ? isa::kSharedWindowBase : kBase;
        return words_[shared ? 1 : 0].at((address - base) / 4);
    }

    std::mt19937_64 random_;
    Bench& bench_;
    std::vector<isa::Instruction> code_;
    std::array<std::array<std::uint32_t, kBytes / 4>, 2> words_{};  ///< global, shared
    std::array<Expected, kLoads> expected_;
    std::size_t seen_ = 0;
    unsigned under_way_ = 0;
    unsigned compared_ = 0;
};

std::uint64_t run(std::uint64_t seed, Way way) {
    Bench bench({"l1d.set_index=linear", "l1d.sets=2", "l1d.pinned_ways=0", "l1d.mshrs=" + std::to_string(1 + seed % 5),
                 "l1d.miss_queue=" + std::to_string(1 + seed % 3), "l1d.merges=2",
                 "coalescing.pending_loads=" + std::to_string(2 + seed % 20), "coalescing.queue=3",
                 seed % 3 == 0 ? "coalescing.overlap=16" : "coalescing.overlap=" + std::to_string(seed % 7),
                 seed % 4 < 2 ? "coalescing.lines_per_cycle=1" : "coalescing.lines_per_cycle=4",
                 seed % 2 == 0 ? "l1d.sector_bytes=128" : "l1d.sector_bytes=32"});
    bench.memory.set_delay([seed](unsigned, std::uint64_t line, bool to_owner) {
        return static_cast<Cycle>(1 + (line / kLineBytes * 2654435761u + seed) % (to_owner ? 7 : 60));
    });
    RandomElements program(seed, bench);
    for (const Cycle end = 6000; bench.now < end + 30'000; ++bench.now) {
        if (bench.now >= end && bench.unit->drained() && !program.waits()) { break; }
        const bool acts = bench.now < end && bench.now % 5 == 0 && program.act();
        bench.cycle(way, acts);
        program.look();
        if (way == Way::restored && bench.now % 13 == 0) { bench.save_and_load(program.code()); }
    }
    REQUIRE(bench.unit->drained());
    REQUIRE(!program.waits());
    CHECK(program.compared() > 100);
    CHECK(program.wrong_words() == 0);
    return bench.hash(program.code());
}

TEST_CASE("elements at random load and store what flat memory says, jumped over, or saved and loaded in between") {
    for (std::uint64_t seed = lookahead::test::random_seed(), end = seed + 12; seed < end; ++seed) {
        CAPTURE(seed);
        const std::uint64_t hash = run(seed, Way::every_cycle);
        CHECK(hash == run(seed, Way::jumping));
        CHECK(hash == run(seed, Way::restored));
    }
}

}  // namespace
}  // namespace lookahead::gpu::test::elements_tests
