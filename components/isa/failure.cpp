#include "components/isa/failure.h"

#include <algorithm>
#include <cstdio>

#include "components/isa/call_stack.h"

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
    return "[" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + "]";
}

}  // namespace

FailedAssertion FailedAssertion::read(const std::uint32_t* const* texts, const std::uint32_t* const* rest,
                                      unsigned lane) {
    return {pair(texts[0], texts[1], lane), pair(texts[2], texts[3], lane), pair(rest[0], rest[1], lane),
            rest[2][lane]};
}

std::string sentence(const FailedAssertion& assertion, const ModuleImage& image, const Dim3& ctaid, const Dim3& block,
                     std::uint32_t thread) {
    return text_at(image, assertion.file) + ":" + std::to_string(assertion.line) + ": " +
           text_at(image, assertion.function) + ": block: " + triple(ctaid.x, ctaid.y, ctaid.z) +
           ", thread: " + triple(thread % block.x, thread / block.x % block.y, thread / block.x / block.y) +
           " Assertion `" + text_at(image, assertion.expression) + "` failed.";
}

std::string wrong_call_sentence(std::uint32_t low, std::uint32_t high) {
    char address[24];
    std::snprintf(address, sizeof address, "0x%llx", low | static_cast<unsigned long long>(high) << 32);
    return std::string("an indirect call of ") + address +
           ", which is no function with the call's parameters and results";
}

std::string missing_members_sentence(LaneMask active, LaneMask missing) {
    char text[320];
    std::snprintf(text, sizeof text,
                  "lanes 0x%08x execute a .sync instruction whose member mask names lanes 0x%08x too, which have not "
                  "exited and do not execute it with them; on a reconvergence stack they cannot come later "
                  "(sm.simt=convergence_barrier lets them)",
                  active, missing);
    return text;
}

std::string stack_overflow_sentence() {
    return "the calls of recursive functions need more stack than the " + std::to_string(kCallStackBytes) +
           " bytes that a thread has";
}

}  // namespace lookahead::isa
