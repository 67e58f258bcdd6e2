#include "components/mechanisms/vecmem/counted_loop.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "components/frontend/finaliser/analysis/dependences.h"
#include "components/mechanisms/vecmem/masked_runs.h"
#include "core/mutation/rule.h"

namespace lookahead::vecmem {

using finaliser::BitSet;
using finaliser::PredicateUse;

namespace {

/// Whether the block is a loop by itself: it ends in a guarded branch to its beginning.
bool is_loop_of_one_block(const VirtualKernel& kernel, std::uint32_t block) {
    const auto& code = kernel.blocks[block].code;
    return !code.empty() && code.back().machine.operation == Operation::bra && code.back().guarded() &&
           code.back().target == block;
}

class IfConverter {
  public:
    IfConverter(const VirtualKernel& kernel, const finaliser::Flow& flow, const finaliser::Liveness& liveness,
                const finaliser::Loop& loop, VirtualKernel& names)
        : kernel_(kernel), flow_(flow), liveness_(liveness), loop_(loop), names_(names) {
        for (std::uint32_t block : flow.order()) {
            if (!loop.blocks.contains(block)) { continue; }
            place_[block] = static_cast<std::uint32_t>(order_.size());
            order_.push_back(block);
        }
    }

    std::optional<LoopBody> run() {
        if (!has_shape() || !find_conditions()) { return std::nullopt; }
        body_.header = order_.front();
        body_.latch = order_.back();
        for (std::uint32_t block : order_) {
            if (!append(block)) { return std::nullopt; }
        }
        if (masked_ > kMostMasked) { return std::nullopt; }
        if (LOOKAHEAD_RULE(masks_hold_for_the_round) && !masks_stay()) { return std::nullopt; }
        return std::move(body_);
    }

  private:
    /// One side of a block's branch.
    struct Side {
        std::uint32_t block = kNone;
        bool taken = false;
        auto operator<=>(const Side&) const = default;
    };

    const std::vector<VirtualInstruction>& code(std::uint32_t block) const { return kernel_.blocks[block].code; }
    std::uint32_t latch() const { return order_.back(); }

    bool has_shape() const {
        const std::uint32_t header = order_.front();
        if (header != loop_.header || latch() < header || latch() - header + 1 != order_.size()) { return false; }
        for (std::uint32_t block : order_) {
            if (block < header || block > latch() || !jumps_plainly(block)) { return false; }
            if (block == latch()) { continue; }
            for (std::uint32_t next : flow_.graph().successors[block]) {
                if (next == header || !loop_.blocks.contains(next)) { return false; }
            }
        }
        if (code(latch()).empty()) { return false; }
        const VirtualInstruction& back = code(latch()).back();
        return back.machine.operation == Operation::bra && back.guarded() && back.target == header;
    }

    bool jumps_plainly(std::uint32_t block) const {
        return std::ranges::all_of(code(block), [&](const VirtualInstruction& instruction) {
            return !finaliser::is_jump(instruction) ||
                   (instruction.machine.operation == Operation::bra && &instruction == &code(block).back());
        });
    }

    bool find_conditions() {
        for (std::uint32_t block : order_) {
            std::vector<std::uint32_t> controllers = flow_.controllers(block);
            std::erase_if(controllers,
                          [&](std::uint32_t from) { return from == latch() || !loop_.blocks.contains(from); });
            if (LOOKAHEAD_RULE(blocks_have_one_condition) && controllers.size() > 1) { return false; }
            if (controllers.empty()) { continue; }
            const Side side{controllers[0], leads(*flow_.branch(controllers[0]), controllers[0], block)};
            condition_[block] = side;
            masks_[side] = {};
        }
        return true;
    }

    bool leads(const VirtualInstruction& branch, std::uint32_t from, std::uint32_t to) const {
        for (std::uint32_t at = branch.target; at != flow_.post_dominator(from); at = flow_.post_dominator(at)) {
            if (at == to) { return true; }
        }
        return false;
    }

    PredicateUse mask_of(std::uint32_t block) const {
        const auto found = condition_.find(block);
        return found == condition_.end() ? PredicateUse{kAlways, false} : masks_.at(found->second);
    }

    bool append(std::uint32_t block) {
        const PredicateUse mask = mask_of(block);
        const BitSet needed = mask.index == kAlways ? BitSet{} : needed_elsewhere(block);
        for (std::uint32_t index = 0; index < code(block).size(); ++index) {
            VirtualInstruction copy = code(block)[index];
            if (finaliser::is_jump(copy) && block != latch()) { continue; }
            if (mask.index != kAlways) {
                if (LOOKAHEAD_RULE(masks_are_not_masked) && copy.guarded()) { return false; }
                if (copy.machine.operation == Operation::activemask) { return false; }
                ++masked_;
                if (is_masked(copy, needed)) { copy.guard = mask; }
            }
            body_.code.push_back(copy);
            body_.from.push_back({block, index});
        }
        if (block != latch()) { set_masks(block); }
        return true;
    }

    bool is_masked(const VirtualInstruction& instruction, const BitSet& needed) const {
        if (!only_computes(instruction)) { return true; }
        bool writes = false;
        finaliser::for_each_write(kernel_, instruction, [&](std::uint32_t unit) { writes |= needed.contains(unit); });
        return writes && LOOKAHEAD_RULE(other_ways_keep_their_values);
    }

    /// Units that lanes on other paths need after the block: these lanes wait before the next block on their path.
    BitSet needed_elsewhere(std::uint32_t block) const {
        BitSet needed(finaliser::unit_count(kernel_));
        std::set<std::uint32_t> seen;
        for (auto at = condition_.find(block); at != condition_.end(); at = condition_.find(at->second.block)) {
            const Side& side = at->second;
            std::vector<std::uint32_t> open{other_way(side)};
            while (!open.empty()) {
                const std::uint32_t way = open.back();
                open.pop_back();
                if (!seen.insert(way).second) { continue; }
                if (place_.at(way) > place_.at(block)) {
                    liveness_.for_each_in(way, [&](std::uint32_t unit) { needed.insert(unit); });
                } else {
                    for (std::uint32_t next : flow_.graph().successors[way]) { open.push_back(next); }
                }
            }
        }
        return needed;
    }

    std::uint32_t other_way(const Side& side) const {
        return side.taken ? side.block + 1 : flow_.branch(side.block)->target;
    }

    /// Sets the masks of the blocks that depend on the branch at the block's end.
    void set_masks(std::uint32_t block) {
        const PredicateUse mask = mask_of(block);
        for (const bool taken : {true, false}) {
            const auto found = masks_.find({block, taken});
            if (found == masks_.end()) { continue; }
            const PredicateUse guard = flow_.branch(block)->guard;
            const PredicateUse own{guard.index, guard.negated == taken};
            found->second = mask.index == kAlways ? own : both(mask, own, block);
        }
    }

    PredicateUse both(const PredicateUse& mask, const PredicateUse& own, std::uint32_t block) {
        if (const auto folded = fold(mask, own, block)) { return *folded; }
        VirtualInstruction made = finaliser::beside(code(block).back(), Operation::pred_and);
        made.source_predicate = {mask, own};
        made.destination_predicate[0] = names_.new_predicate();
        body_.code.push_back(made);
        body_.from.push_back({block, static_cast<std::uint32_t>(code(block).size() - 1)});
        return {made.destination_predicate[0], false};
    }

    /// One comparison gives both masks: p|q = (a cmp b) and mask|not (a cmp b) and mask. If it is not masked itself,
    /// only code under the mask reads it.
    std::optional<PredicateUse> fold(const PredicateUse& mask, const PredicateUse& own, std::uint32_t block) {
        VirtualInstruction* test = nullptr;
        for (std::size_t i = body_.code.size(); test == nullptr && i-- > 0 && body_.from[i].block == block;) {
            if (std::ranges::find(body_.code[i].destination_predicate, own.index) !=
                body_.code[i].destination_predicate.end()) {
                test = &body_.code[i];
            }
        }
        if (test == nullptr || test->machine.operation != Operation::setp || test->guarded() ||
            test->machine.combine != isa::Combine::none || test->machine.mode != 0 ||
            test->destination_predicate[1] != kNone) {
            return std::nullopt;
        }
        test->machine.combine = isa::Combine::bit_and;
        test->source_predicate[0] = mask;
        if (own.negated) { test->destination_predicate[1] = names_.new_predicate(); }
        return PredicateUse{test->destination_predicate[own.negated ? 1 : 0], false};
    }

    /// Whether the predicates in the masks keep their values for the whole round.
    bool masks_stay() const {
        return std::ranges::all_of(masks_, [&](const auto& mask) {
            const std::uint32_t unit = finaliser::predicate_unit(names_, mask.second.index);
            bool is_read = false, is_written = false;
            for (const VirtualInstruction& each : body_.code) {
                bool writes = false;
                finaliser::for_each_read(names_, each, [&](std::uint32_t read) { is_read |= read == unit; });
                finaliser::for_each_write(names_, each, [&](std::uint32_t written) { writes |= written == unit; });
                if (writes && (is_read || is_written)) { return false; }
                is_written |= writes;
            }
            return true;
        });
    }

    const VirtualKernel& kernel_;
    const finaliser::Flow& flow_;
    const finaliser::Liveness& liveness_;
    const finaliser::Loop& loop_;
    VirtualKernel& names_;
    std::vector<std::uint32_t> order_;              ///< the loop's blocks in topological order
    std::map<std::uint32_t, std::uint32_t> place_;  ///< by block: index in order_
    std::map<std::uint32_t, Side> condition_;       ///< by block: its condition; absent: it runs in every round
    std::map<Side, PredicateUse> masks_;
    std::uint32_t masked_ = 0;
    LoopBody body_;
};

}  // namespace

const finaliser::Loop* LoopBodies::loop(std::uint32_t header) const {
    const auto& loops = flow_.loops();
    const auto found = std::ranges::find(loops, header, &finaliser::Loop::header);
    if (found == loops.end()) { return nullptr; }
    const bool has_inner = std::ranges::any_of(loops, [&](const finaliser::Loop& inner) {
        return inner.header != header && found->blocks.contains(inner.header);
    });
    return has_inner ? nullptr : &*found;
}

std::vector<std::uint32_t> LoopBodies::blocks(std::uint32_t header) const {
    if (is_loop_of_one_block(kernel_, header)) { return {header}; }
    std::vector<std::uint32_t> blocks;
    if (const finaliser::Loop* found = loop(header)) {
        found->blocks.for_each([&](std::uint32_t block) { blocks.push_back(block); });
    }
    return blocks;
}

std::optional<LoopBody> LoopBodies::find(std::uint32_t header, VirtualKernel& names) const {
    if (is_loop_of_one_block(kernel_, header)) {
        LoopBody body{header, header, kernel_.blocks[header].code, {}};
        for (std::uint32_t index = 0; index < body.code.size(); ++index) { body.from.push_back({header, index}); }
        return body;
    }
    const finaliser::Loop* several = loop(header);
    return several == nullptr ? std::nullopt : IfConverter(kernel_, flow_, liveness_, *several, names).run();
}

}  // namespace lookahead::vecmem
