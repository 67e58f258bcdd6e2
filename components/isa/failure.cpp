#include "components/isa/failure.h"

#include <algorithm>

#include <fmt/format.h>

#include "components/isa/code_address.h"

namespace lookahead::isa {

namespace {

std::uint64_t pair(const std::uint32_t* low, const std::uint32_t* high, unsigned lane) {
    return low[lane] | std::uint64_t{high[lane]} << 32;
}

std::string text_at(const ModuleImage& image, std::uint64_t address) {
    const auto after = std::ranges::upper_bound(image, address, {}, &ModuleVariable::address);
    if (after == image.begin()) { return "?"; }
    const ModuleVariable& variable = *std::prev(after);
    std::string text;
    for (std::uint64_t at = address - variable.address; at < variable.contents.size(); ++at) {
        if (variable.contents[at] == std::byte{0}) { return text; }
        text += static_cast<char>(variable.contents[at]);
    }
    return "?";
}

std::string triple(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return fmt::format("[{},{},{}]", x, y, z);
}

}  // namespace

FailedAssertion FailedAssertion::read(const std::uint32_t* const* texts, const std::uint32_t* const* rest,
                                      unsigned lane) {
    return {pair(texts[0], texts[1], lane), pair(texts[2], texts[3], lane), pair(rest[0], rest[1], lane),
            rest[2][lane]};
}

std::string sentence(const FailedAssertion& assertion, const ModuleImage& image, const Dim3& ctaid, const Dim3& block,
                     std::uint32_t thread) {
    return fmt::format("{}:{}: {}: block: {}, thread: {} Assertion `{}` failed.", text_at(image, assertion.file),
                       assertion.line, text_at(image, assertion.function), triple(ctaid.x, ctaid.y, ctaid.z),
                       triple(thread % block.x, thread / block.x % block.y, thread / block.x / block.y),
                       text_at(image, assertion.expression));
}

std::string wrong_call_sentence(std::uint32_t low, std::uint32_t high) {
    return fmt::format("an indirect call of {:#x}, which is not a function with the call's parameters and results",
                       low | std::uint64_t{high} << 32);
}

std::string missing_members_sentence(LaneMask active, LaneMask missing) {
    return fmt::format(
        "lanes {:#010x} execute a .sync instruction whose member mask names lanes {:#010x} too, which have not "
        "exited and do not execute it with them; on a reconvergence stack they cannot come later "
        "(sm.simt=convergence_barrier lets them)",
        active, missing);
}

std::string stack_overflow_sentence() {
    return fmt::format("the calls of recursive functions need more stack than the {} bytes that a thread has",
                       kCallStackBytes);
}

}  // namespace lookahead::isa
