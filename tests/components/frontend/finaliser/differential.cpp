#include "tests/components/frontend/finaliser/differential.h"

#include <doctest/doctest.h>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"

namespace lookahead::finaliser::test {
namespace {

std::vector<std::uint32_t> run_on(Device& device, const LaunchConfiguration& configuration, std::uint32_t a,
                                  std::uint32_t words) {
    const DeviceAddress out = device.upload(std::vector<std::uint32_t>(words));
    device.launch("k", configuration, pack_parameters(out, a));
    return device.download<std::uint32_t>(out, words);
}

}  // namespace

std::vector<std::uint32_t> interpret(const ptx::Module& module, const LaunchConfiguration& configuration,
                                     std::uint32_t a, std::uint32_t words) {
    lookahead::test::ScalarInterpreter device(module);
    return run_on(device, configuration, a, words);
}

std::vector<std::uint32_t> emulate(const ptx::Module& module, const FinaliserOptions& options,
                                   const LaunchConfiguration& configuration, std::uint32_t a, std::uint32_t words) {
    EmulatedDevice device(finalise_module(module, options), {100'000'000});
    return run_on(device, configuration, a, words);
}

std::vector<std::uint32_t> run_everywhere(const std::string& text, const LaunchConfiguration& configuration,
                                          std::uint32_t a, std::uint32_t words, Oracle oracle) {
    const ptx::Module module = ptx::parse_module(text, "test.ptx");
    const auto expected = oracle == Oracle::interpreter ? interpret(module, configuration, a, words)
                                                        : emulate(module, {}, configuration, a, words);
    for (const bool schedule : {true, false}) {
        for (const unsigned registers : {63U, 12U}) {
            for (const bool words_only : {false, true}) {
                CAPTURE(schedule);
                CAPTURE(registers);
                CAPTURE(words_only);
                FinaliserOptions options;
                options.schedule = schedule;
                options.isa.registers = registers;
                options.isa.expand_64bit = options.isa.single_constant = words_only;
                options.fuse_products = words_only;
                options.isa.wide_multiply = schedule;
                CHECK(emulate(module, options, configuration, a, words) == expected);
            }
        }
    }
    // Only if registers of 32 bits can hold the addresses; pointers_test.cpp has the other cases.
    FinaliserOptions narrow;
    narrow.isa.pointers = 32;
    try {
        finalise_module(module, narrow);
    } catch (const InputError& error) {
        CHECK(std::string(error.what()).find("isa.pointers") != std::string::npos);
        return expected;
    }
    CHECK(emulate(module, narrow, configuration, a, words) == expected);
    return expected;
}

std::string kernel_text(const std::string& body, const std::string& before) {
    return ".version 9.0\n.target sm_75\n.address_size 64\n" + before +
           "\n.visible .entry k(.param .u64 out, .param .u32 a)\n{\n"
           ".reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<16>;\n.reg .f64 %fd<8>;\n.reg .b16 %rs<8>;\n"
           ".reg .pred %p<8>;\n.reg .b64 %out;\n.reg .b64 %at;\n.reg .b32 %t;\n.reg .b32 %a;\n"
           "ld.param.u64 %out, [out];\ncvta.to.global.u64 %out, %out;\nld.param.u32 %a, [a];\n"
           "mov.u32 %t, %tid.x;\nmul.wide.u32 %at, %t, 4;\nadd.s64 %out, %out, %at;\n" +
           body + "\nret;\n}\n";
}

ptx::Module kernel_module(const std::string& body, const std::string& before) {
    return ptx::parse_module(kernel_text(body, before), "test.ptx");
}

}  // namespace lookahead::finaliser::test
