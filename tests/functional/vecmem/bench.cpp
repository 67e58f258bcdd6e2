#include "tests/functional/vecmem/bench.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <sstream>

#include <numeric>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/emit/print.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/transform/configured_transform.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/instruction.h"
#include "core/param/configuration.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"

namespace lookahead::vecmem::test {

namespace {

std::vector<std::uint32_t> words_after(Device& device, std::uint32_t a, std::uint32_t b) {
    std::vector<std::uint32_t> words(std::size_t{kThreads} * kThreadWords);
    std::iota(words.begin(), words.end(), 1);
    const DeviceAddress buffer = device.upload(words);
    device.launch("k", {{1, 1, 1}, {kThreads, 1, 1}}, pack_parameters(buffer, a, b));
    return device.download<std::uint32_t>(buffer, words.size());
}

}  // namespace

std::string Outcome::text() const {
    return finaliser::print(packed);
}

unsigned Outcome::count(std::string_view mnemonic) const {
    unsigned found = 0;
    for (std::uint32_t pc = 0; pc < packed.code.size(); ++pc) {
        found += finaliser::print(packed, pc).find(mnemonic) != std::string::npos;
    }
    return found;
}

std::set<std::string> Outcome::reasons() const {
    const std::string prefix = "vecmem.stays.";
    std::set<std::string> all;
    for (const isa::Annotation& each : packed.annotations) {
        if (each.tag.starts_with(prefix)) { all.insert(each.tag.substr(prefix.size())); }
    }
    return all;
}

finaliser::FinaliserOptions with_pass(const std::string& length, finaliser::FinaliserOptions options) {
    Configuration configuration;
    configuration.override_value("kernel.transform=vecmem");
    std::istringstream words("length=" + length);
    for (std::string word; words >> word;) { configuration.override_value("vecmem." + word); }
    options.transform = finaliser::configured_transform(configuration);
    return options;
}

std::string kernel_text(const std::string& body) {
    return fmt::format(
        ".version 9.0\n.target sm_75\n.address_size 64\n"
        ".const .align 4 .b8 table[256];\n"
        ".visible .entry k(.param .u64 out, .param .u32 a, .param .u32 b)\n{{\n"
        ".reg .b32 %r<64>;\n.reg .b64 %rd<64>;\n.reg .f32 %f<32>;\n.reg .b16 %rs<8>;\n.reg .pred %p<16>;\n"
        ".reg .b64 %out, %mine, %own;\n.reg .b32 %a, %b, %gid;\n.shared .align 16 .b8 tile[8192];\n"
        ".local .align 16 .b8 depot[64];\n"
        "ld.param.u64 %out, [out];\ncvta.to.global.u64 %out, %out;\nld.param.u32 %a, [a];\nld.param.u32 %b, [b];\n"
        "mov.u32 %gid, %tid.x;\nmul.wide.u32 %own, %gid, {0};\nadd.s64 %mine, %out, %own;\nadd.s64 %mine, %mine, {1};\n"
        "{2}\nret;\n}}\n",
        4 * kThreadWords, 2 * kThreadWords, body);
}

isa::Kernel finalised(const std::string& body, const finaliser::FinaliserOptions& options) {
    const ptx::Module module = ptx::parse_module(kernel_text(body), "test.ptx");
    return finaliser::finalise(module, module.functions[0], options);
}

std::vector<std::uint32_t> emulated(const isa::Kernel& kernel, std::uint32_t a, std::uint32_t b,
                                    std::uint64_t* vectors) {
    EmulatorOptions options{.max_warp_instructions = 1'000'000};
    isa::KernelTable table;
    table.push_back(kernel);
    const ptx::Module module = ptx::parse_module(kernel_text(""), "test.ptx");
    table.image = finaliser::finalise_module(module, {}).image;
    EmulatedDevice device(std::move(table), options);
    std::vector<std::uint32_t> words = words_after(device, a, b);
    if (vectors != nullptr) {
        for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
            if (isa::is_vector_memory(kernel.code[pc].operation)) { *vectors += device.executed(0)[pc].warps; }
        }
    }
    return words;
}

std::vector<std::uint32_t> interpreted(const std::string& body, std::uint32_t a, std::uint32_t b) {
    const ptx::Module module = ptx::parse_module(kernel_text(body), "test.ptx");
    lookahead::test::ScalarInterpreter device(module);
    return words_after(device, a, b);
}

Outcome run(const std::string& body, const std::string& length, std::uint32_t a, std::uint32_t b,
            const finaliser::FinaliserOptions& options) {
    Outcome outcome{.packed = finalised(body, with_pass(length, options))};
    const std::string text = outcome.text();
    CAPTURE(text);
    CHECK(emulated(outcome.packed, a, b, &outcome.executed) == emulated(finalised(body, options), a, b));
    return outcome;
}

}  // namespace lookahead::vecmem::test
