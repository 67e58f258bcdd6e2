// Threads of the scalar interpreter that wait for one another: lanes named by a mask, and warps at barriers.
#include <vector>

#include "core/error/error.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"
#include "tests/functional/scalar_interpreter/scalar_state.h"

namespace lookahead::test {

using ptx::Opcode;

namespace {

bool is_barrier(const ptx::Instruction& instruction) {
    return instruction.opcode == Opcode::bar || instruction.opcode == Opcode::barrier;
}

/// Whether the instructions are equal except for the registers that they name.
bool same_kind(const ptx::Instruction& a, const ptx::Instruction& b) {
    const ptx::Modifiers &x = a.modifiers, &y = b.modifiers;
    return a.opcode == b.opcode && x.types == y.types && x.shuffle == y.shuffle && x.vote == y.vote &&
           x.atomic == y.atomic && x.barrier == y.barrier && x.combine == y.combine;
}

std::uint32_t bit(std::size_t lane) {
    return std::uint32_t{1} << lane;
}

}  // namespace

/// The last operand of the `.sync` forms; all lanes for others.
std::uint32_t ScalarInterpreter::members_of(const Block& block, const Thread& thread) const {
    const ptx::Instruction& instruction = *thread.waits_at;
    if (instruction.opcode != Opcode::bar_warp_sync && !instruction.modifiers.sync) { return 0xffffffffu; }
    return static_cast<std::uint32_t>(value(block, thread, instruction.sources().back()));
}

bool ScalarInterpreter::let_threads_meet(Block& block, std::vector<Thread>& threads) {
    bool goes_on = false;
    for (std::size_t first = 0; first < threads.size(); first += isa::kWarpSize) {
        const std::span warp = std::span(threads).subspan(first, std::min<std::size_t>(32, threads.size() - first));
        goes_on |= let_lanes_meet(block, warp);
        goes_on |= let_warp_arrive(block, warp);
    }
    return open_barriers(block, threads) || goes_on;
}

bool ScalarInterpreter::let_lanes_meet(Block& block, std::span<Thread> warp) {
    bool goes_on = false;
    for (Thread& thread : warp) {
        if (thread.waits_at == nullptr || is_barrier(*thread.waits_at)) { continue; }
        const std::uint32_t members = members_of(block, thread);
        std::uint32_t there = 0;
        bool all = true;
        for (std::size_t lane = 0; lane < warp.size(); ++lane) {
            const Thread& other = warp[lane];
            if ((members & bit(lane)) == 0 || other.ended) { continue; }
            there |= bit(lane);
            all = all && other.waits_at != nullptr && same_kind(*other.waits_at, *thread.waits_at) &&
                  members_of(block, other) == members;
        }
        if (!all) { continue; }
        execute_together(block, warp, there);
        goes_on = true;
    }
    return goes_on;
}

void ScalarInterpreter::set_result(Thread& thread, std::size_t destination, std::uint64_t bits) {
    const auto destinations = thread.waits_at->destinations();
    if (destination >= destinations.size() || destinations[destination].kind != ptx::OperandKind::reg) { return; }
    const std::uint32_t reg = destinations[destination].reg;
    thread.top().registers[reg] = truncated(bits, thread.top().function->registers[reg].type);
}

namespace {

/// The lane that shfl reads, after its description in the PTX ISA; -1: out of range.
int shuffled(ptx::ShuffleMode mode, int lane, int b, int c) {
    const int segment = c >> 8 & 31, clamp = c & 31;
    const int least = lane & segment, greatest = least | (clamp & ~segment);
    switch (mode) {
        case ptx::ShuffleMode::up:
            return lane - b >= greatest ? lane - b : -1;
        case ptx::ShuffleMode::down:
            return lane + b <= greatest ? lane + b : -1;
        case ptx::ShuffleMode::bfly:
            return (lane ^ b) <= greatest ? lane ^ b : -1;
        default:
            return (least | (b & ~segment)) <= greatest ? (least | (b & ~segment)) : -1;
    }
}

}  // namespace

void ScalarInterpreter::execute_together(const Block& block, std::span<Thread> warp, std::uint32_t lanes) {
    const auto for_each = [&](auto&& act) {
        for (std::size_t lane = 0; lane < warp.size(); ++lane) {
            if (lanes & bit(lane)) { act(lane, warp[lane]); }
        }
    };
    const auto source = [&](const Thread& thread, std::size_t i) {
        return value(block, thread, thread.waits_at->sources()[i]);
    };
    std::vector<std::uint64_t> first(warp.size()), result(warp.size()), flag(warp.size());
    std::uint32_t ballot = 0;
    for_each([&](std::size_t lane, const Thread& thread) {
        if (thread.waits_at->opcode != Opcode::bar_warp_sync) { first[lane] = source(thread, 0); }
        ballot |= first[lane] != 0 ? bit(lane) : 0;
    });
    for_each([&](std::size_t lane, const Thread& thread) {
        const ptx::Instruction& instruction = *thread.waits_at;
        const ptx::Modifiers& modifiers = instruction.modifiers;
        switch (instruction.opcode) {
            case Opcode::shfl: {
                const int from =
                    shuffled(modifiers.shuffle, static_cast<int>(lane), static_cast<int>(source(thread, 1) & 31),
                             static_cast<int>(source(thread, 2)));
                flag[lane] = from >= 0;
                result[lane] = first[from >= 0 ? static_cast<std::size_t>(from) : lane];
                break;
            }
            case Opcode::vote:
                result[lane] = modifiers.vote == ptx::VoteMode::ballot ? ballot
                               : modifiers.vote == ptx::VoteMode::any  ? ballot != 0
                               : modifiers.vote == ptx::VoteMode::all  ? ballot == lanes
                                                                       : ballot == lanes || ballot == 0;
                break;
            case Opcode::match: {
                std::uint32_t equal = 0;
                for_each(
                    [&](std::size_t other, const Thread&) { equal |= first[other] == first[lane] ? bit(other) : 0; });
                flag[lane] = equal == lanes;
                result[lane] = modifiers.vote == ptx::VoteMode::any ? equal : equal == lanes ? lanes : 0;
                break;
            }
            case Opcode::redux: {
                Wide all = as_integer(first[lane], instruction.type());
                for_each([&](std::size_t other, const Thread&) {
                    const Wide operand = as_integer(first[other], instruction.type());
                    if (other != lane) { all = reduced(modifiers.atomic, all, operand).value(); }
                });
                result[lane] = static_cast<std::uint64_t>(all);
                break;
            }
            default:
                break;
        }
    });
    for_each([&](std::size_t lane, Thread& thread) {
        set_result(thread, 0, result[lane]);
        set_result(thread, 1, flag[lane]);
        thread.waits_at = nullptr;
    });
}

/// PTX ISA, "bar, barrier": a thread waits for all threads of its warp that have not ended; then the warp arrives.
bool ScalarInterpreter::let_warp_arrive(Block& block, std::span<Thread> warp) {
    const Thread* one = nullptr;
    for (const Thread& thread : warp) {
        if (thread.ended) { continue; }
        if (thread.waits_at == nullptr || !is_barrier(*thread.waits_at) || thread.arrived) { return false; }
        if (one != nullptr && !same_kind(*one->waits_at, *thread.waits_at)) { return false; }
        one = &thread;
    }
    if (one == nullptr) { return false; }
    const auto kind = one->waits_at->modifiers.barrier;
    const bool reduces = kind == ptx::BarrierKind::red;
    const auto number = value(block, *one, one->waits_at->sources()[0]);
    const std::size_t numbers = one->waits_at->sources().size() - (reduces ? 1 : 0);
    Barrier& barrier = block.barriers.at(number);
    barrier.expected = numbers > 1 ? value(block, *one, one->waits_at->sources()[1]) : 0;
    barrier.threads += isa::kWarpSize;
    for (Thread& thread : warp) {
        if (thread.ended) { continue; }
        if (reduces) {
            ++barrier.asked_threads;
            barrier.true_threads += value(block, thread, thread.waits_at->sources().back()) != 0;
        }
        if (kind == ptx::BarrierKind::arrive) {
            thread.waits_at = nullptr;
        } else {
            thread.arrived = true;
        }
    }
    return true;
}

bool ScalarInterpreter::open_barriers(Block& block, std::vector<Thread>& threads) {
    std::uint64_t alive = 0;
    for (std::size_t first = 0; first < threads.size(); first += isa::kWarpSize) {
        const auto end = threads.begin() + static_cast<std::ptrdiff_t>(std::min(first + 32, threads.size()));
        const auto begin = threads.begin() + static_cast<std::ptrdiff_t>(first);
        if (!std::all_of(begin, end, [](const Thread& thread) { return thread.ended; })) { alive += isa::kWarpSize; }
    }
    bool opened = false;
    for (std::size_t number = 0; number < block.barriers.size(); ++number) {
        Barrier& barrier = block.barriers[number];
        if (barrier.threads == 0 || barrier.threads < (barrier.expected != 0 ? barrier.expected : alive)) { continue; }
        for (Thread& thread : threads) {
            if (!thread.arrived || value(block, thread, thread.waits_at->sources()[0]) != number) { continue; }
            const ptx::Combine combine = thread.waits_at->modifiers.combine;
            set_result(thread, 0,
                       combine == ptx::Combine::popc   ? barrier.true_threads
                       : combine == ptx::Combine::and_ ? barrier.true_threads == barrier.asked_threads
                                                       : barrier.true_threads != 0);
            thread.waits_at = nullptr;
            thread.arrived = false;
        }
        barrier = {};
        opened = true;
    }
    return opened;
}

}  // namespace lookahead::test
