// The duties of every kernel transform (components/frontend/finaliser/transform/kernel_transform.h), for all registered
// ones and two of this file. LOOKAHEAD_SEED chooses other random kernels.
#include "components/frontend/finaliser/transform/kernel_transform.h"

#include <fmt/format.h>

#include <doctest/doctest.h>
#include <cstdlib>
#include <set>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/emit/print.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/lower/lower.h"
#include "components/frontend/finaliser/transform/configured_transform.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/instruction.h"
#include "tests/components/frontend/finaliser/random_ptx.h"
#include "tests/support/variants.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

/// Redirects loads to new rows and copies them to their own.
class CopyLoads final : public KernelTransform {
  public:
    void before_expansion(KernelUnderWork& kernel, const FinaliserOptions&) const override {
        for (VirtualBlock& block : kernel.main.blocks) {
            std::vector<VirtualInstruction> code;
            for (VirtualInstruction instruction : block.code) {
                if (instruction.machine.operation != isa::Operation::load || instruction.guarded()) {
                    code.push_back(instruction);
                    continue;
                }
                const std::uint32_t rows = instruction.destination;
                instruction.destination = kernel.main.new_rows(instruction.destination_rows);
                kernel.main.annotate(instruction, "test.copied", rows);
                code.push_back(instruction);
                for (unsigned i = 0; i < instruction.destination_rows; ++i) {
                    code.push_back(copy_of(instruction, i, rows));
                }
            }
            block.code = std::move(code);
        }
    }

  private:
    static VirtualInstruction copy_of(const VirtualInstruction& load, unsigned word, std::uint32_t rows) {
        VirtualInstruction copy = beside(load);
        copy.machine.operation = isa::Operation::mov;
        copy.machine.type = isa::Type::b32;
        copy.source[0] = {isa::Operand::Kind::reg, 1, load.destination + word};
        copy.destination = rows + word;
        copy.destination_rows = 1;
        return copy;
    }
};
LOOKAHEAD_REGISTER_VARIANT(KernelTransform, CopyLoads, "test_copy_loads", "Copies what is loaded.", "this test")

class CopyKernel final : public KernelTransform {
  public:
    void before_allocation(KernelUnderWork& kernel, const FinaliserOptions&) const override {
        kernel.programs.push_back({"copy", kernel.main});
    }
};
LOOKAHEAD_REGISTER_VARIANT(KernelTransform, CopyKernel, "test_copy_kernel", "Adds a program.", "this test")

constexpr std::uint32_t kThreads = 40;
constexpr unsigned kKernels = 40;

std::uint64_t first_seed() {
    const char* const given = std::getenv("LOOKAHEAD_SEED");
    const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 31'000;
    MESSAGE("LOOKAHEAD_SEED=" << seed);
    return seed;
}

FinaliserOptions options_for(std::uint64_t seed) {
    FinaliserOptions options;
    options.isa.expand_64bit = seed % 2 == 0;
    options.isa.single_constant = seed % 3 == 0;
    options.fuse_products = seed % 5 == 0;
    options.isa.registers = seed % 4 == 0 ? 20 : 63;
    return options;
}

std::shared_ptr<const KernelTransform> transform_named(const std::string& name) {
    Configuration configuration;
    configuration.override_value("kernel.transform=" + name);
    return configured_transform(configuration);
}

std::vector<std::byte> memory_left_by(const isa::Kernel& kernel, std::uint64_t seed) {
    EmulatedDevice device({kernel}, {10'000'000});
    return memory_after(device, seed, kThreads);
}

/// The finaliser's whole result, as text.
std::string text_of(const isa::Kernel& kernel) {
    std::string text = print(kernel);
    for (const isa::Annotation& each : kernel.annotations) {
        text += fmt::format("{} {} {}\n", each.instruction, each.tag, each.value);
    }
    for (const isa::Program& each : kernel.programs) {
        text += fmt::format("{} {} {} {} {}\n", each.name, each.entry, each.end, each.registers, each.predicates);
    }
    for (const std::uint32_t origin : kernel.origins) { text += fmt::format("{} ", origin); }
    return text;
}

void check_programs(const isa::Kernel& kernel, const FinaliserOptions& options) {
    std::uint32_t end = kernel.own_size();
    std::set<std::string> names;
    for (const isa::Program& program : kernel.programs) {
        CHECK(program.entry == end);
        CHECK(program.end > program.entry);
        CHECK(program.registers <= options.isa.registers);
        CHECK(program.predicates <= options.predicate_limit);
        CHECK(names.insert(program.name).second);
        end = program.end;
    }
    CHECK(end == kernel.code.size());
}

void check_origins(const isa::Kernel& kernel, std::uint32_t selected) {
    REQUIRE(kernel.origins.size() == kernel.code.size());
    for (const std::uint32_t origin : kernel.origins) { CHECK(origin < selected); }
    std::uint32_t last = 0;
    for (const isa::Annotation& each : kernel.annotations) {
        CHECK(each.instruction >= last);
        CHECK(each.instruction < kernel.code.size());
        CHECK(each.tag.find('.') != std::string::npos);
        last = each.instruction;
    }
}

}  // namespace

TEST_CASE("every registered transform keeps the contract on random kernels") {
    const std::uint64_t first = first_seed();
    for (const std::string& name : lookahead::test::at_least(2, variant_names<KernelTransform>())) {
        CAPTURE(name);
        const auto transform = transform_named(name);
        for (std::uint64_t seed = first; seed < first + kKernels; ++seed) {
            CAPTURE(seed);
            const ptx::Module module = ptx::parse_module(random_ptx(seed, kThreads), "random.ptx");
            FinaliserOptions options = options_for(seed);
            const isa::Kernel alone = finalise(module, module.functions[0], options);
            options.transform = transform;
            const isa::Kernel kernel = finalise(module, module.functions[0], options);

            CHECK(text_of(finalise(module, module.functions[0], options)) == text_of(kernel));
            CHECK(kernel.name == alone.name);
            CHECK(kernel.parameter_bytes == alone.parameter_bytes);
            CHECK(kernel.parameter_offsets == alone.parameter_offsets);
            CHECK(kernel.parameter_sizes == alone.parameter_sizes);
            CHECK(kernel.max_threads_per_cta == alone.max_threads_per_cta);
            CHECK(kernel.registers <= options.isa.registers);
            check_programs(kernel, options);
            check_origins(kernel, lower(module, module.functions[0]).origins);
            // Only the mechanism's machine can run several programs together.
            if (kernel.programs.empty() || name == "test_copy_kernel") {
                CHECK(memory_left_by(kernel, seed) == memory_left_by(alone, seed));
            }
        }
    }
}

TEST_CASE("the transform `none` leaves kernels as they are, and is not even called") {
    CHECK(transform_named("none") == nullptr);
    CHECK(variant_names<KernelTransform>().size() >= 3);
}
