#include "tests/components/frontend/finaliser/test_kernel.h"

#include <doctest/doctest.h>
#include <algorithm>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/emit/print.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/instruction.h"

namespace lookahead::finaliser::test {

ptx::Module module_of(const std::string& body, const std::string& before) {
    const std::string text = ".version 9.0\n.target sm_75\n.address_size 64\n" + before +
                             ".visible .entry k(.param .u64 out, .param .u32 a, .param .u32 b)\n{\n"
                             ".reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<16>;\n.reg .f64 %fd<8>;\n"
                             ".reg .b16 %rs<8>;\n.reg .pred %p<16>;\n.reg .b64 %out;\n.reg .b32 %a;\n.reg .b32 %b;\n"
                             "ld.param.u64 %out, [out];\ncvta.to.global.u64 %out, %out;\n"
                             "ld.param.u32 %a, [a];\nld.param.u32 %b, [b];\n" +
                             body + "\nret;\n}\n";
    return ptx::parse_module(text, "test.ptx");
}

isa::Kernel kernel_of(const std::string& body, const FinaliserOptions& options) {
    const ptx::Module module = module_of(body);
    return finalise(module, module.functions.back(), options);
}

std::vector<std::string> lines_of(const isa::Kernel& kernel) {
    std::vector<std::string> lines;
    for (std::uint32_t i = 0; i < kernel.code.size(); ++i) { lines.push_back(print(kernel, i)); }
    return lines;
}

unsigned count(const isa::Kernel& kernel, std::string_view text) {
    const std::vector<std::string> lines = lines_of(kernel);
    return static_cast<unsigned>(
        std::ranges::count_if(lines, [&](const std::string& line) { return line.find(text) != std::string::npos; }));
}

unsigned position(const isa::Kernel& kernel, std::string_view text) {
    const std::vector<std::string> lines = lines_of(kernel);
    const auto found =
        std::ranges::find_if(lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
    REQUIRE_MESSAGE(found != lines.end(), "no instruction reads ", std::string(text), " in\n", print(kernel));
    return static_cast<unsigned>(found - lines.begin());
}

std::vector<std::uint32_t> run(const isa::Kernel& kernel, std::uint32_t a, std::uint32_t b) {
    EmulatedDevice device({kernel}, {100'000'000});
    const DeviceAddress out = device.upload(std::vector<std::uint32_t>(64));
    device.launch(kernel.name, {{1}, {1}}, pack_parameters(out, a, b));
    return device.download<std::uint32_t>(out, 64);
}

std::vector<std::uint32_t> run(const std::string& body, std::uint32_t a, std::uint32_t b) {
    return run(kernel_of(body), a, b);
}

}  // namespace lookahead::finaliser::test
