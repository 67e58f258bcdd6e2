#include "tests/support/execution_trace/trace_checker.h"

#include <bit>
#include <cstdio>

#include "components/isa/instruction.h"
#include "core/error/error.h"

namespace lookahead::test {
namespace {

std::string hexadecimal(std::uint32_t word) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", word);
    return text;
}

std::string describe(const WarpName& name) {
    std::string text = "launch " + std::to_string(name[0]) + ", CTA (";
    for (unsigned i = 1; i < 4; ++i) { text += std::to_string(name[i]) + (i < 3 ? ", " : ""); }
    return text + "), warp " + std::to_string(name[4] / isa::kWarpSize);
}

std::string describe(const isa::Kernel& kernel, std::uint32_t pc) {
    return kernel.source_file + ":" + std::to_string(kernel.code[pc].line) + " (PC " +
           hexadecimal(pc * isa::kInstructionBytes) + ")";
}

/// Whether the instruction reads a special register that depends on the machine or on time.
bool is_the_machines(const isa::Instruction& instruction) {
    if (instruction.operation != isa::Operation::read_special) { return false; }
    return instruction.special >= isa::SpecialRegister::clock ||
           (instruction.special >= isa::SpecialRegister::warpid && instruction.special <= isa::SpecialRegister::nsmid);
}

/// The name of a word in the order of append_written(): "R5 of lane 3".
std::string describe_word(const isa::Instruction& instruction, isa::LaneMask active, std::size_t word) {
    const auto lanes = static_cast<std::size_t>(std::popcount(active));
    if (word >= instruction.destination_rows * lanes) { return "the lanes of a predicate"; }
    isa::LaneMask left = active;
    for (std::size_t i = word % lanes; i > 0; --i) { left &= left - 1; }
    return "R" + std::to_string(instruction.destination + word / lanes) + " of lane " +
           std::to_string(std::countr_zero(left));
}

}  // namespace

TraceChecker* TraceChecker::current_ = nullptr;

TraceChecker::TraceChecker(const EmulatedTraces& expected) : expected_(expected) {
    LOOKAHEAD_ASSERT(current_ == nullptr, "two checkers at a time");
    current_ = this;
}

TraceChecker::~TraceChecker() {
    current_ = nullptr;
}

void TraceChecker::differ(const WarpName& name, const std::string& how) {
    if (differences_.size() < kDifferences) { differences_.push_back(describe(name) + ": " + how); }
}

std::size_t TraceChecker::issued(const WarpName& name, const isa::Kernel& kernel, std::uint32_t pc,
                                 isa::LaneMask active) {
    Progress& warp = warps_[name];
    const std::size_t step = warp.issued++;
    if (warp.lost) { return step; }
    ++steps_;
    const WarpTrace* trace = expected_.find(name);
    if (trace == nullptr || step >= trace->size()) {
        warp.lost = true;
        differ(name,
               "instruction " + std::to_string(step) + ", " + describe(kernel, pc) + ", is none of the emulator's");
        return step;
    }
    const WarpTrace::Step& expected = (*trace)[step];
    if (pc != expected.pc || active != expected.active) {
        warp.lost = true;
        differ(name, "instruction " + std::to_string(step) + " is " + describe(kernel, pc) + " in lanes " +
                         hexadecimal(active) + "; the emulator's is " + describe(kernel, expected.pc) + " in lanes " +
                         hexadecimal(expected.active));
    }
    return step;
}

void TraceChecker::written(const WarpName& name, const isa::Kernel& kernel, std::size_t step,
                           std::span<const std::uint32_t> words) {
    Progress& warp = warps_[name];
    ++warp.written;
    if (warp.lost) { return; }
    const WarpTrace& trace = *expected_.find(name);
    const WarpTrace::Step& at = trace[step];
    if (is_the_machines(kernel.code[at.pc])) { return; }
    const std::span<const std::uint32_t> expected = trace.written(step);
    LOOKAHEAD_ASSERT(words.size() == expected.size(), "what an instruction writes is known by it and its lanes");
    words_ += words.size();
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] != expected[i]) {
            return differ(name, "instruction " + std::to_string(step) + ", " + describe(kernel, at.pc) + ", writes " +
                                    hexadecimal(words[i]) + " to " + describe_word(kernel.code[at.pc], at.active, i) +
                                    ", the emulator's " + hexadecimal(expected[i]));
        }
    }
}

const std::vector<std::string>& TraceChecker::finish() {
    expected_.for_each([&](const WarpName& name, const WarpTrace& trace) {
        const Progress& warp = warps_[name];
        if (!warp.lost && (warp.issued != trace.size() || warp.written != trace.size())) {
            differ(name, std::to_string(warp.issued) + " instructions were issued and " + std::to_string(warp.written) +
                             " written; the emulator's are " + std::to_string(trace.size()));
        }
    });
    return differences_;
}

}  // namespace lookahead::test
