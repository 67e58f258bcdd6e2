#include <map>
#include <optional>
#include <set>

#include "components/isa/modes.h"
#include "tests/components/isa/handler_harness.h"

namespace lookahead::isa {
namespace {

std::uint32_t random_word() {
    return static_cast<std::uint32_t>(test::random_bits()());
}

struct Result {
    std::optional<std::uint32_t> word;
    std::optional<bool> predicate;
};

/// Three source pairs and a destination of random words, and the operands that name them.
struct Fixture {
    Row source[3][2];
    Row destination, before;
    OperandRows rows{};

    Fixture() {
        for (unsigned s = 0; s < 3; ++s) {
            for (unsigned i = 0; i < 2; ++i) {
                for (auto& word : source[s][i].lanes) { word = random_word(); }
                rows.source[s][i] = source[s][i].lanes;
            }
        }
        for (auto& word : destination.lanes) { word = random_word(); }
        before = destination;
        rows.destination[0] = destination.lanes;
        rows.source_predicate = random_word();
        rows.destination_predicate = random_word();
    }
    void set(unsigned s, std::uint32_t value) {
        for (auto& word : source[s][0].lanes) { word = value; }
    }
    void run(const Instruction& instruction, LaneMask active) {
        select_handler(instruction)(rows, active, instruction);
    }
    /// Runs the instruction. Then each active lane has the word and the predicate that `expected` gives for it; what
    /// it gives none for, and all of the other lanes, is as before.
    template <class Expected>
    void check(const Instruction& instruction, LaneMask active, Expected expected) {
        const LaneMask predicates = rows.destination_predicate;
        run(instruction, active);
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            const Result result = active >> lane & 1 ? expected(lane) : Result{};
            INFO("mode " << unsigned{instruction.mode} << " lane " << lane);
            REQUIRE(destination.lanes[lane] == result.word.value_or(before.lanes[lane]));
            REQUIRE((rows.destination_predicate >> lane & 1) == result.predicate.value_or(predicates >> lane & 1));
        }
    }
};

template <class Mode>
Instruction make(Operation operation, Mode mode) {
    return test::instruction_of(operation, Type::b32, {.mode = static_cast<std::uint8_t>(mode)});
}

/// CUDA's __shfl_*_sync with a width, as its guide describes them; the clamp operand is the one that nvcc makes.
TEST_CASE("shuffles within segments of every width read the lanes that CUDA's functions name") {
    for (const int width : {1, 2, 4, 8, 16, 32}) {
        for (int b = 0; b < 32; ++b) {
            for (const ShuffleMode mode : {ShuffleMode::up, ShuffleMode::down, ShuffleMode::bfly, ShuffleMode::idx}) {
                Fixture f;
                const Row values = f.source[0][0];
                f.set(1, static_cast<std::uint32_t>(b));
                f.set(2, static_cast<std::uint32_t>((32 - width) << 8 | (mode == ShuffleMode::up ? 0 : 31)));
                INFO("width " << width << " b " << b);
                f.check(make(Operation::shuffle, mode), b % 2 == 0 ? kFullMask : random_word(), [&](unsigned number) {
                    const int lane = static_cast<int>(number), within = lane % width, base = lane - within;
                    bool in_range = true;
                    int from = lane;
                    if (mode == ShuffleMode::up) { in_range = within - b >= 0, from = lane - b; }
                    if (mode == ShuffleMode::down) { in_range = within + b < width, from = lane + b; }
                    if (mode == ShuffleMode::bfly) { in_range = (lane ^ b) < base + width, from = lane ^ b; }
                    if (mode == ShuffleMode::idx) { from = base + b % width; }
                    return Result{values.lanes[in_range ? from : lane], in_range};
                });
            }
        }
    }
}

TEST_CASE("a shuffle may overwrite the register that it reads, and lanes may name lanes of their own") {
    Fixture f;
    const Row values = f.source[0][0];
    f.set(2, 31);
    f.rows.destination[0] = f.source[0][0].lanes;
    const Row lanes = f.source[1][0];
    f.run(make(Operation::shuffle, ShuffleMode::idx), kFullMask);
    for (unsigned lane = 0; lane < 32; ++lane) {
        CHECK(f.source[0][0].lanes[lane] == values.lanes[lanes.lanes[lane] % 32]);
    }
}

TEST_CASE("votes count the active lanes in the member mask only") {
    for (int round = 0; round < 300; ++round) {
        for (const bool has_mask : {false, true}) {
            for (const VoteMode mode : {VoteMode::all, VoteMode::any, VoteMode::uni, VoteMode::ballot}) {
                Fixture f;
                Instruction instruction = make(Operation::vote, mode);
                const LaneMask active = round % 2 == 0 ? kFullMask : random_word();
                const LaneMask members = has_mask ? random_word() | random_word() : kFullMask;
                if (has_mask) { instruction.source[0].kind = Operand::Kind::reg; }
                f.set(0, members);
                if (round % 5 == 0) { f.rows.source_predicate = round % 10 == 0 ? kFullMask : 0; }
                std::set<bool> votes;
                std::uint32_t ballot = 0;
                for (unsigned lane = 0; lane < 32; ++lane) {
                    if ((active & members) >> lane & 1) {
                        const bool vote = f.rows.source_predicate >> lane & 1;
                        votes.insert(vote);
                        ballot |= std::uint32_t{vote} << lane;
                    }
                }
                const std::map<VoteMode, bool> results = {{VoteMode::all, votes.count(false) == 0},
                                                          {VoteMode::any, votes.count(true) != 0},
                                                          {VoteMode::uni, votes.size() < 2}};
                f.check(instruction, active, [&](unsigned) {
                    return mode == VoteMode::ballot ? Result{ballot, {}} : Result{{}, results.at(mode)};
                });
            }
        }
    }
}

TEST_CASE("match finds the lanes with the same value") {
    for (int round = 0; round < 300; ++round) {
        for (const Type type : {Type::b32, Type::b64}) {
            for (const MatchMode mode : {MatchMode::any, MatchMode::all}) {
                Fixture f;
                Instruction instruction = make(Operation::match, mode);
                instruction.type = type;
                const std::uint32_t kinds = round % 3 == 0 ? 1 : 4;
                for (auto& word : f.source[0][0].lanes) { word %= kinds; }
                for (auto& word : f.source[0][1].lanes) { word %= kinds == 1 ? 1 : 2; }
                const LaneMask members = round % 2 == 0 ? kFullMask : random_word();
                if (round % 2 != 0) { instruction.source[1].kind = Operand::Kind::reg; }
                f.set(1, members);
                const LaneMask active = round % 4 < 2 ? kFullMask : random_word();
                const auto value = [&](unsigned lane) {
                    return std::pair(f.source[0][0].lanes[lane], type == Type::b64 ? f.source[0][1].lanes[lane] : 0);
                };
                f.check(instruction, active, [&](unsigned lane) {
                    std::uint32_t same = 0;
                    bool all = true;
                    for (unsigned other = 0; other < 32; ++other) {
                        if (!((active & members) >> other & 1)) { continue; }
                        if (value(other) == value(lane)) {
                            same |= 1u << other;
                        } else {
                            all = false;
                        }
                    }
                    if (mode == MatchMode::any) { return Result{same, {}}; }
                    return Result{all ? same : 0, all};
                });
            }
        }
    }
}

TEST_CASE("activemask tells each active lane who is active") {
    for (const LaneMask active : {kFullMask, LaneMask{0x80000001}, LaneMask{0x00ff00f0}}) {
        Fixture f;
        f.check(make(Operation::activemask, 0), active, [&](unsigned) { return Result{active, {}}; });
    }
}

TEST_CASE("redux combines the values of the members that execute it, in the type's order") {
    for (const AtomicOp op :
         {AtomicOp::add, AtomicOp::min, AtomicOp::max, AtomicOp::bit_and, AtomicOp::bit_or, AtomicOp::bit_xor}) {
        for (const Type type : {Type::u32, Type::s32}) {
            for (int round = 0; round < 12; ++round) {
                Fixture f;
                Instruction instruction = make(Operation::redux, 0);
                instruction.type = type;
                instruction.atomic = op;
                instruction.source[1].kind = Operand::Kind::reg;
                const LaneMask active = round % 2 == 0 ? kFullMask : random_word() | 1;
                const LaneMask half = random_word();
                // Two sets of members; each lane names its own.
                for (unsigned lane = 0; lane < 32; ++lane) {
                    f.source[1][0].lanes[lane] = half >> lane & 1 ? half : ~half;
                }
                f.check(instruction, active, [&](unsigned lane) {
                    std::set<std::int64_t> values;
                    std::uint32_t sum = 0, all = ~0u, any = 0, odd = 0;
                    for (unsigned other = 0; other < 32; ++other) {
                        if (!((active & f.source[1][0].lanes[lane]) >> other & 1)) { continue; }
                        const std::uint32_t word = f.source[0][0].lanes[other];
                        values.insert(type == Type::s32 ? std::int64_t{static_cast<std::int32_t>(word)}
                                                        : std::int64_t{word});
                        sum += word;
                        all &= word;
                        any |= word;
                        odd ^= word;
                    }
                    const std::map<AtomicOp, std::uint32_t> results = {
                        {AtomicOp::add, sum},     {AtomicOp::min, static_cast<std::uint32_t>(*values.begin())},
                        {AtomicOp::bit_and, all}, {AtomicOp::max, static_cast<std::uint32_t>(*values.rbegin())},
                        {AtomicOp::bit_or, any},  {AtomicOp::bit_xor, odd}};
                    return Result{results.at(op), {}};
                });
            }
        }
    }
}

}  // namespace
}  // namespace lookahead::isa
