#include "tests/functional/dac/bench.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "components/frontend/finaliser/emit/print.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/transform/configured_transform.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/mechanisms/dac/streams.h"
#include "tests/functional/dac/reference_queues.h"
#include "tests/functional/dac/shadow.h"

namespace lookahead::dac::test {

namespace {

std::vector<std::string> lines(const isa::Kernel& kernel, std::uint32_t first, std::uint32_t end) {
    std::vector<std::string> result;
    for (std::uint32_t pc = first; pc < end; ++pc) {
        const std::string text = finaliser::print(kernel, pc);
        result.push_back(text.substr(0, text.find(" ;")));
    }
    return result;
}

}  // namespace

std::vector<std::uint32_t> buffer_after(Device& device, const isa::Kernel& kernel,
                                        const LaunchConfiguration& configuration,
                                        const std::vector<std::uint32_t>& parameters) {
    std::vector<std::uint32_t> words(kWords);
    std::iota(words.begin(), words.end(), 1);
    const DeviceAddress buffer = device.upload(words);
    std::vector<std::byte> bytes(kernel.parameter_bytes);
    std::memcpy(bytes.data(), &buffer, kernel.parameter_sizes[0]);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        std::memcpy(bytes.data() + kernel.parameter_offsets[i + 1], &parameters[i], 4);
    }
    device.launch(kernel.name, configuration, bytes);
    return device.download<std::uint32_t>(buffer, kWords);
}

std::vector<std::uint32_t> buffer_after(const isa::Kernel& kernel, const LaunchConfiguration& configuration,
                                        const std::vector<std::uint32_t>& parameters, EmulatorOptions options) {
    options.max_warp_instructions = 20'000'000;
    EmulatedDevice device({kernel}, options);
    return buffer_after(device, kernel, configuration, parameters);
}

std::vector<std::string> Outcome::own() const {
    return lines(decoupled, 0, decoupled.own_size());
}

std::vector<std::string> Outcome::affine() const {
    const isa::Program* program = affine_program(decoupled);
    return program == nullptr ? std::vector<std::string>{} : lines(decoupled, program->entry, program->end);
}

std::string Outcome::says(std::string_view text) const {
    std::string said = "nothing", all;
    for (std::uint32_t pc = 0; pc < decoupled.own_size(); ++pc) {
        const std::string line = finaliser::print(decoupled, pc);
        all += line + "\n";
        if (line.find(text) == std::string::npos) { continue; }
        for (const isa::Annotation& each : decoupled.annotations) {
            if (each.instruction == pc) { return each.tag.substr(each.tag.find('.') + 1); }
        }
        said = "no annotation";
    }
    CAPTURE(all);
    CHECK_MESSAGE(said != "nothing", "no instruction reads ", std::string(text), " in\n", all);
    return said;
}

bool Outcome::enqueues(std::string_view text) const {
    const std::vector<std::string> code = affine();
    return std::ranges::any_of(code, [&](const std::string& line) {
        return line.find("ENQ.") != std::string::npos && line.find(text) != std::string::npos;
    });
}

finaliser::FinaliserOptions with(const std::string& name, finaliser::FinaliserOptions options,
                                 const std::vector<std::string>& keys) {
    Configuration configuration;
    configuration.override_value("kernel.transform=" + name);
    for (const std::string& key : keys) { configuration.override_value(key); }
    options.transform = finaliser::configured_transform(configuration);
    return options;
}

Outcome run(const std::string& text, isa::Dim3 grid, isa::Dim3 block, const std::vector<std::uint32_t>& parameters,
            const finaliser::FinaliserOptions& options, const std::vector<std::string>& keys) {
    const ptx::Module module = ptx::parse_module(text, "test.ptx");
    Outcome outcome;
    // Whole comparisons under their guards: halves of one have its origin too, and one with a result in a register runs
    // in lanes where its guard fails.
    finaliser::FinaliserOptions whole = options;
    whole.isa.expand_64bit = false;
    whole.isa.registers = finaliser::IsaOptions{}.registers;
    whole.predicate_limit = isa::kPredicateRegisters;
    outcome.original = finaliser::finalise(module, module.functions[0], with("test_marks", whole));
    outcome.decoupled = finaliser::finalise(module, module.functions[0], with("dac", options, keys));
    const LaunchConfiguration configuration{grid, block};

    isa::KernelTable table;
    table.push_back(outcome.decoupled);
    Shadow shadow(table, true);
    EmulatorOptions watched{.instructions = &shadow};
    const auto right = buffer_after(outcome.original, configuration, parameters, watched);
    shadow.end();
    outcome.compared = shadow.compared();

    ReferenceQueues queues(true);
    EmulatorOptions streams{.queues = &queues};
    CHECK(buffer_after(outcome.decoupled, configuration, parameters, streams) == right);
    outcome.most_tuples = queues.most_tuples();
    outcome.reports = queues.reports();
    return outcome;
}

std::string kernel_text(const std::string& body) {
    return ".version 9.0\n.target sm_75\n.address_size 64\n"
           ".visible .entry k(.param .u64 out, .param .u32 a, .param .u32 b)\n{\n"
           ".reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<16>;\n.reg .b16 %rs<4>;\n.reg .pred %p<32>;\n"
           ".reg .b64 %out, %in, %mine;\n.reg .b32 %a, %b, %gid, %t;\n.reg .b64 %m;\n"
           "ld.param.u64 %out, [out];\nld.param.u32 %a, [a];\nld.param.u32 %b, [b];\n"
           "mov.u32 %gid, %ctaid.y;\nmov.u32 %t, %nctaid.x;\nmul.lo.u32 %gid, %gid, %t;\nmov.u32 %t, %ctaid.x;\n"
           "add.u32 %gid, %gid, %t;\nmov.u32 %t, %ntid.y;\nmul.lo.u32 %gid, %gid, %t;\nmov.u32 %t, %tid.y;\n"
           "add.u32 %gid, %gid, %t;\nmov.u32 %t, %ntid.x;\nmul.lo.u32 %gid, %gid, %t;\nmov.u32 %t, %tid.x;\n"
           "add.u32 %gid, %gid, %t;\nmul.wide.u32 %m, %gid, 16;\nadd.s64 %mine, %out, %m;\n"
           "add.s64 %in, %out, 131072;\n" +
           body + "\nret;\n}\n";
}

}  // namespace lookahead::dac::test
