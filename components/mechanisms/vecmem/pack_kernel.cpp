#include "components/mechanisms/vecmem/pack_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "components/frontend/finaliser/analysis/liveness.h"
#include "components/frontend/finaliser/simplify/simplify.h"
#include "components/mechanisms/vecmem/alias_guard.h"
#include "components/mechanisms/vecmem/unroll.h"

namespace lookahead::vecmem {

using finaliser::BitSet;

namespace {

bool is_access(const VirtualInstruction& instruction) {
    const isa::Operation op = instruction.machine.operation;
    return op == isa::Operation::load || op == isa::Operation::store;
}

class KernelPacker {
  public:
    KernelPacker(const VirtualKernel& kernel, const std::vector<BlockPlan>& plans, const VectorKinds& kinds)
        : plans_(plans), kinds_(kinds), original_(kernel.blocks.size()) {
        result_.kernel = kernel;
        result_.blocks.resize(kernel.blocks.size());
        for (std::uint32_t block = 0; block < original_.size(); ++block) { original_[block] = block; }
    }

    PackedKernel run() {
        unroll_loops();
        pack_blocks();
        count_registers();
        return std::move(result_);
    }

  private:
    struct Unrolled {
        UnrolledLoop loop;
        bool is_fewer = false;  ///< BlockPlan::fewer
    };

    VirtualKernel& kernel() { return result_.kernel; }

    /// From the last block on, so that earlier blocks keep their numbers.
    void unroll_loops() {
        const VirtualKernel before = kernel();
        const LoopBodies bodies(before);
        const finaliser::Flow& flow = bodies.flow();
        const finaliser::Values values(before, flow, finaliser::AllRows::yes);
        const Forms forms(before, flow, values);
        for (auto block = static_cast<std::uint32_t>(plans_.size()); block-- > 0;) {
            const BlockPlan& plan = plans_[block];
            if (plan.factor == 1 || !flow.reachable(block)) { continue; }
            LoopFinding finding = counted_loop(before, bodies, values, forms, block, kernel());
            if (finding.reason == Reason::none) {
                finding.reason = refuse_unrolling(before, *finding.loop, plan.factor);
            }
            result_.blocks[block].refused = finding.reason;
            if (finding.reason != Reason::none) { continue; }
            if (plan.fewer != 1) {
                put_in(unroll(kernel(), *finding.loop, plan.fewer, plan.checks_words), block, true);
            }
            const UnrolledLoop* fewer = plan.fewer == 1 ? nullptr : &loops_moved_.back().loop;
            put_in(unroll(kernel(), *finding.loop, plan.factor, plan.checks_words, fewer), block, false);
        }
        for (const Unrolled& each : loops_moved_) { loops_.emplace(each.loop.rounds, each); }
        for (const auto& [rounds, each] : loops_) {
            if (each.loop.scalar_blocks > 1) { result_.masked.push_back(rounds); }
        }
    }

    void put_in(const UnrolledLoop& loop, std::uint32_t block, bool is_fewer) {
        original_.insert(original_.begin() + block, kUnrolledBlocks, block);
        for (Unrolled& other : loops_moved_) { shift(other.loop); }
        loops_moved_.push_back({loop, is_fewer});
    }

    static void shift(UnrolledLoop& loop) {
        for (std::uint32_t* block : {&loop.entry, &loop.checks, &loop.rounds, &loop.rest, &loop.next, &loop.scalar}) {
            *block += kUnrolledBlocks;
        }
        for (ExactRecurrence& exact : loop.exact) { exact.block += kUnrolledBlocks; }
    }

    /// The loop whose left-over rounds have the block; null if there is none.
    const UnrolledLoop* remainder_of(std::uint32_t block) const {
        const auto found = std::ranges::find_if(loops_, [&](const auto& each) {
            const UnrolledLoop& loop = each.second.loop;
            return block >= loop.scalar && block < loop.scalar + loop.scalar_blocks;
        });
        return found == loops_.end() ? nullptr : &found->second.loop;
    }

    PackOptions options_for(std::uint32_t block) const {
        const BlockPlan& plan = plans_[original_[block]];
        PackOptions options{plan.lengths, nullptr};
        options.kinds = kinds_;
        const auto found = loops_.find(block);
        if (found == loops_.end()) { return options; }
        const Unrolled& loop = found->second;
        if (loop.is_fewer) { options.lengths = {plan.lengths.back()}; }
        if (plan.mixes_rounds) {
            options.rounds = loop.is_fewer ? plan.fewer : plan.factor;
            options.round_size = loop.loop.round_size;
        }
        return options;
    }

    void pack_blocks() {
        std::vector<ExactRecurrence> exact;
        for (const auto& [rounds, loop] : loops_) {
            exact.insert(exact.end(), loop.loop.exact.begin(), loop.loop.exact.end());
        }
        const finaliser::Flow flow(kernel());
        const finaliser::Values values(kernel(), flow, finaliser::AllRows::yes);
        const Forms forms(kernel(), flow, values, exact);
        KeptValues kept(kernel(), values);
        std::vector<PackedBlock> packed(kernel().blocks.size());
        std::vector<WordCopy> copies;
        const auto pack = [&](std::uint32_t block, const PackOptions& options) {
            packed[block] = pack_block(kernel(), forms, kept, block, options);
            copies.insert(copies.end(), packed[block].copies.begin(), packed[block].copies.end());
        };
        std::vector<std::pair<const UnrolledLoop*, std::vector<Assumption>>> checks;
        for (std::uint32_t block : flow.order()) {
            // The left-over rounds of a loop of several blocks keep the vectors of the unpacked blocks.
            if (const UnrolledLoop* loop = remainder_of(block); loop != nullptr && loop->scalar_blocks == 1) {
                continue;
            }
            PackOptions options = options_for(block);
            const auto found = loops_.find(block);
            if (found == loops_.end()) {
                pack(block, options);
                continue;
            }
            const AliasGuard guard(flow, values, forms, found->second.loop);
            options.can_check = [&](const Form& distance) { return guard.can_check(distance); };
            pack(block, options);
            checks.emplace_back(&found->second.loop, packed[block].assumptions);
        }
        // Uses the original code, because the checks add no accesses.
        for (const auto& [loop, assumptions] : checks) {
            const AliasGuard guard(flow, values, forms, *loop);
            if (guard.write(kernel(), kept, assumptions, copies)) { continue; }
            pack(loop->rounds, options_for(loop->rounds));  // without reordering accesses
        }
        for (std::uint32_t block = 0; block < packed.size(); ++block) { take(block, packed[block]); }
        put_copies(packed, copies);
    }

    void take(std::uint32_t block, PackedBlock& packed) {
        auto& code = kernel().blocks[block].code;
        const BlockPlan& plan = plans_[original_[block]];
        if (packed.changed) { code = std::move(packed.code); }
        const bool is_remainder = remainder_of(block) != nullptr;
        if (!is_remainder || plan.factor == 1) { count(packed, result_.blocks[original_[block]]); }
        if (is_remainder) {
            for (VirtualInstruction& instruction : code) {
                if (is_access(instruction)) { kernel().annotate(instruction, "vecmem.remainder", 0); }
            }
        }
        for (const auto& [index, reason] : packed.left) {
            if (is_remainder) { break; }
            VirtualInstruction& instruction = code[packed.changed ? packed.behind[index] : index];
            result_.blocks[original_[block]].left[instruction.origin] = reason;
            kernel().annotate(instruction, fmt::format("vecmem.stays.{}", name_of(told(plan, instruction, reason))), 0);
        }
    }

    static void count(const PackedBlock& packed, BlockOutcome& outcome) {
        outcome.vectors += packed.vectors;
        outcome.elements += packed.elements;
        outcome.strided += packed.strided;
        outcome.longest = std::max(outcome.longest, packed.longest);
    }

    /// An access that is alone in one round may not have been alone in several.
    static Reason told(const BlockPlan& plan, const VirtualInstruction& instruction, Reason reason) {
        if (reason != Reason::alone) { return reason; }
        const auto found = plan.reasons.find(instruction.origin);
        if (found != plan.reasons.end()) { return found->second; }
        return plan.reason == Reason::none ? reason : plan.reason;
    }

    /// Inserts the copies, from the last place of each block on.
    void put_copies(const std::vector<PackedBlock>& packed, std::vector<WordCopy>& copies) {
        const auto place = [&](const WordCopy& copy) -> std::uint32_t {
            if (copy.behind == kNone) { return 0; }
            return 1 + (packed[copy.block].changed ? packed[copy.block].behind[copy.behind] : copy.behind);
        };
        std::ranges::sort(copies, [&](const WordCopy& a, const WordCopy& b) {
            return std::tuple(a.block, place(b), a.row) < std::tuple(b.block, place(a), b.row);
        });
        std::uint32_t last = kNone;
        for (const WordCopy& copy : copies) {
            if (copy.row == last) { continue; }
            last = copy.row;
            auto& code = kernel().blocks[copy.block].code;
            const std::uint32_t at = place(copy);
            const VirtualInstruction& served = code.empty() ? first_instruction() : code[at == 0 ? 0 : at - 1];
            code.insert(code.begin() + at, move_of(copy.word, copy.row, VirtualInstruction(served)));
        }
    }

    const VirtualInstruction& first_instruction() {
        for (const auto& block : kernel().blocks) {
            if (!block.code.empty()) { return block.code.front(); }
        }
        return kernel().blocks.front().code.front();
    }

    void count_registers() {
        VirtualKernel simplified = kernel();
        finaliser::simplify(simplified);
        const finaliser::Liveness liveness(simplified);
        for (std::uint32_t block = 0; block < simplified.blocks.size(); ++block) {
            std::uint32_t& most = result_.blocks[original_[block]].registers;
            BitSet live = liveness.out(block);
            const auto& code = simplified.blocks[block].code;
            count_cost(block, code);
            most = std::max(most, live.count(0, simplified.rows()));
            for (std::size_t i = code.size(); i-- > 0;) {
                std::uint32_t written = 0;
                finaliser::for_each_write(simplified, code[i], [&](std::uint32_t unit) {
                    written += unit < simplified.rows() && !live.contains(unit);
                });
                most = std::max(most, live.count(0, simplified.rows()) + written);
                finaliser::step_back(simplified, code[i], live);
                most = std::max(most, live.count(0, simplified.rows()));
            }
        }
    }

    /// Adds the cost of the rounds, or of the original loop if there are none.
    void count_cost(std::uint32_t block, const std::vector<VirtualInstruction>& code) {
        const auto found = loops_.find(block);
        const bool is_unrolled =
            result_.blocks[original_[block]].refused == Reason::none && plans_[original_[block]].factor != 1;
        if (is_unrolled && (found == loops_.end() || found->second.is_fewer)) { return; }
        std::uint64_t cost = 0;
        for (const VirtualInstruction& instruction : code) { cost += cost_of(instruction); }
        result_.blocks[original_[block]].cost = cost / (is_unrolled ? plans_[original_[block]].factor : 1);
    }

    /// Instructions of two words become two (isa.expand_64bit); about every second copy survives register allocation.
    static std::uint64_t cost_of(const VirtualInstruction& instruction) {
        const Operation op = instruction.machine.operation;
        if (op == Operation::mov) {
            return instruction.source[0].kind == Operand::Kind::reg ? kCostScale / 2 : kCostScale;
        }
        const bool is_pair = !isa::is_memory(op) && isa::is_pair(instruction.machine.type);
        return is_pair ? 2 * kCostScale : kCostScale;
    }

    const std::vector<BlockPlan>& plans_;
    const VectorKinds kinds_;
    std::vector<std::uint32_t> original_;  ///< by block: its original
    std::vector<Unrolled> loops_moved_;
    std::map<std::uint32_t, Unrolled> loops_;  ///< by the block of their rounds
    PackedKernel result_;
};

}  // namespace

bool has_candidates(const VirtualKernel& kernel) {
    for (const auto& block : kernel.blocks) {
        for (const VirtualInstruction& instruction : block.code) {
            if (is_access(instruction) && fixed_reason(instruction) == Reason::none) { return true; }
        }
    }
    return false;
}

PackedKernel pack_kernel(const VirtualKernel& kernel, const std::vector<BlockPlan>& plans, const VectorKinds& kinds) {
    return KernelPacker(kernel, plans, kinds).run();
}

}  // namespace lookahead::vecmem
