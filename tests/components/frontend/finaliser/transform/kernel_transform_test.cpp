
#include <doctest/doctest.h>

#include <algorithm>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/transform/configured_transform.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/function_transform.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

const std::string kWideSum =
    "mul.wide.u32 %rd0, %a, 4; add.s64 %rd1, %out, %rd0; ld.global.u64 %rd2, [%rd1]; add.s64 %rd2, %rd2, %rd0;"
    "st.global.u64 [%rd1], %rd2;";

bool has_wide_sum(VirtualKernel& code) {
    bool found = false;
    for_each_instruction(code, [&](VirtualInstruction& instruction) {
        found |= instruction.machine.operation == isa::Operation::add && instruction.destination_rows == 2;
    });
    return found;
}

/// Annotates the first instruction, to show where the transform ran.
template <char kMark>
class Marks final : public KernelTransform {
  public:
    void before_allocation(KernelUnderWork& kernel, const FinaliserOptions&) const override {
        const auto count = static_cast<std::int64_t>(kernel.main.annotations.size());
        kernel.main.annotate(kernel.main.blocks[0].code.front(), std::string("test.") + kMark, count);
    }
};
using MarksA = Marks<'a'>;
using MarksB = Marks<'b'>;
LOOKAHEAD_REGISTER_VARIANT(KernelTransform, MarksA, "test_a", "Annotates.", "this test")
LOOKAHEAD_REGISTER_VARIANT(KernelTransform, MarksB, "test_b", "Annotates.", "this test")

std::shared_ptr<const KernelTransform> transform_named(const std::string& name) {
    Configuration configuration;
    configuration.override_value("kernel.transform=" + name);
    return configured_transform(configuration);
}

}  // namespace

TEST_CASE("64-bit sums are whole at the early point and in words at the late one") {
    FinaliserOptions options;
    options.isa.expand_64bit = true;
    bool early = false, late = true;
    options = with_transform(
        [&](KernelUnderWork& kernel, const FinaliserOptions&) { early = has_wide_sum(kernel.main); },
        [&](KernelUnderWork& kernel, const FinaliserOptions&) { late = has_wide_sum(kernel.main); }, options);
    kernel_of(kWideSum, options);
    CHECK(early);
    CHECK_FALSE(late);
}

TEST_CASE("at the early point every instruction has an origin of its own") {
    unsigned instructions = 0;
    std::vector<std::uint32_t> origins;
    kernel_of(kWideSum, with_transform([&](KernelUnderWork& kernel, const FinaliserOptions&) {
                  for_each_instruction(kernel.main, [&](VirtualInstruction& instruction) {
                      ++instructions;
                      if (std::ranges::find(origins, instruction.origin) == origins.end()) {
                          origins.push_back(instruction.origin);
                      }
                      CHECK(instruction.origin < kernel.main.origins);
                  });
              }));
    CHECK(instructions > 4);
    CHECK(origins.size() == instructions);
}

TEST_CASE("what a transform knows of registers is what the program gets, reserved ones left out") {
    FinaliserOptions options;
    options.isa.registers = 20;
    options.isa.reserved_registers = 3;
    unsigned limit = 0;
    options = with_transform(
        {}, [&](KernelUnderWork&, const FinaliserOptions& given) { limit = given.isa.registers; }, options);
    kernel_of(kWideSum, options);
    CHECK(limit == 17);
}

TEST_CASE("what a transform puts in is simplified, and dropped if nobody needs it") {
    const auto twice = [](KernelUnderWork& kernel, const FinaliserOptions&) {
        auto& code = kernel.main.blocks[0].code;
        const auto product = std::ranges::find_if(code, [](const VirtualInstruction& instruction) {
            return instruction.machine.operation == isa::Operation::mul_wide;
        });
        REQUIRE(product != code.end());
        VirtualInstruction again = *product;
        again.destination = kernel.main.new_rows(2);
        code.insert(product, again);
    };
    CHECK(lines_of(kernel_of(kWideSum, with_transform(twice))) == lines_of(kernel_of(kWideSum)));
    FinaliserOptions plain;
    plain.simplify = false;
    CHECK(kernel_of(kWideSum, with_transform(twice, {}, plain)).code.size() ==
          kernel_of(kWideSum, plain).code.size() + 1);
}

TEST_CASE("the key names no transform, one, or several in their order") {
    CHECK(configured_transform(Configuration()) == nullptr);
    CHECK(transform_named("none") == nullptr);
    FinaliserOptions options;
    options.schedule = false;
    options.transform = transform_named("test_a");
    CHECK(kernel_of(kWideSum, options).annotation(0, "test.a") == 0);
    options.transform = transform_named("test_a+test_b");
    isa::Kernel kernel = kernel_of(kWideSum, options);
    CHECK(kernel.annotation(0, "test.a") == 0);
    CHECK(kernel.annotation(0, "test.b") == 1);
    options.transform = transform_named("test_b+test_a");
    kernel = kernel_of(kWideSum, options);
    CHECK(kernel.annotation(0, "test.a") == 1);
    CHECK(kernel.annotation(0, "test.b") == 0);
}

TEST_CASE("names that are not known, stand twice or are missing are refused") {
    for (const char* name : {"test_c", "test_a+test_c", "test_a+test_a", "test_a+", "+test_a", "test_a+none"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(transform_named(name), ConfigurationError);
    }
    CHECK_THROWS_WITH_AS(transform_named("test_a+test_a"), doctest::Contains("twice"), ConfigurationError);
}
