#include "components/mechanisms/dac/affine_stack.h"

#include "components/mechanisms/dac/plan.h"
#include "core/error/error.h"

namespace lookahead::dac {

void AffineStack::erase_empty() {
    std::erase_if(paths_, [](const Path& path) { return none(path.threads); });
}

void AffineStack::advance() {
    ++paths_.back().pc;
    while (!paths_.empty() && paths_.back().pc == paths_.back().join) { paths_.pop_back(); }
}

void AffineStack::branch(const isa::Instruction& instruction, const SmThreads& taken) {
    Path& top = paths_.back();
    const SmThreads falling = without(top.threads, taken);
    if (none(taken) || none(falling) || instruction.target == top.pc + 1) {
        top.pc = none(taken) ? top.pc : instruction.target - 1;
        return advance();
    }
    const std::uint32_t fallthrough = top.pc + 1;
    const std::uint32_t join = instruction.reconvergence == isa::kNoTarget ? top.join : instruction.reconvergence;
    const bool waits = join != top.join;
    top.pc = join;
    const Path taken_path{instruction.target, join, taken};
    const Path falling_path{fallthrough, join, falling};
    if (!waits) { paths_.pop_back(); }
    if (instruction.target != join) { paths_.push_back(taken_path); }
    if (fallthrough != join) { paths_.push_back(falling_path); }
    LOOKAHEAD_ASSERT(paths_.size() <= kStackDepth,
                     "an affine stream needs more of its SIMT stack than the pass has found");
}

void AffineStack::leave(const SmThreads& threads) {
    const bool all = none(without(paths_.back().threads, threads));
    for (Path& path : paths_) { path.threads = without(path.threads, threads); }
    erase_empty();
    if (!all) { advance(); }
}

void AffineStack::drop(unsigned context) {
    for (Path& path : paths_) { path.threads[context] = 0; }
    erase_empty();
}

}  // namespace lookahead::dac
