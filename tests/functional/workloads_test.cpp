// Every workload on devices without timing: the emulator, and the scalar interpreter of its original PTX.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "components/emulator/emulated_device.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/component/catalogue.h"
#include "core/error/error.h"
#include "experiments/run/program.h"
#include "experiments/workloads/manifest.h"
#include "experiments/workloads/workload.h"
#include "experiments/workloads/xorshift.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"
#include "tests/support/seed.h"

namespace lookahead {
namespace {

const std::vector<std::string> kWorkloads = [] {
    std::vector<std::string> names;
    for (const ManifestEntry& entry : workload_manifest()) { names.emplace_back(entry.name); }
    return names;
}();

/// A workload in one form of its kernels.
struct Program {
    std::string name;
    std::vector<std::string> settings = {};  ///< configuration keys that choose the form
};

/// All workloads in all forms, those of several elements with `factors` of their factors, drawn by this run's seed.
std::vector<Program> programs_with(std::uint64_t factors) {
    std::mt19937 random(lookahead::test::random_seed());
    std::vector<Program> programs;
    for (const std::string& name : kWorkloads) {
        programs.push_back({name});
        const auto variant = std::ranges::find_if(registered_variants(), [&](const VariantEntry& entry) {
            return entry.slot == "workload" && entry.name == name;
        });
        const auto words_of = [&](std::string_view parameter) {
            const auto found = std::ranges::find(*variant->parameters, parameter, &Parameter::name);
            return found == variant->parameters->end() ? std::vector<std::string>{} : found->choices;
        };
        // A form's loops are unrolled by `unroll`, or by the `length` of its vector memory instructions.
        const std::map<std::string, std::string> factor_of{{"looped", "unroll"}, {"vector", "length"}};
        for (const std::string& form : words_of("form")) {
            const std::string setting = name + ".form=" + form;
            if (form == "original") { continue; }
            const auto factor = factor_of.find(form);
            if (factor == factor_of.end()) {
                programs.push_back({name, {setting}});
                continue;
            }
            for (const std::string& value : lookahead::test::some_of(words_of(factor->second), factors, random)) {
                programs.push_back({name, {setting, name + "." + factor->second + "=" + value}});
            }
        }
    }
    return programs;
}

std::unique_ptr<Workload> tiny(const Program& program, std::uint32_t seed) {
    Configuration configuration;
    for (const std::string& setting : program.settings) { configuration.override_value(setting); }
    return make_variant<Workload>(program.name, configuration, WorkloadContext{Size::tiny, seed});
}

std::unique_ptr<Workload> tiny(const std::string& name, std::uint32_t seed) {
    return tiny(Program{name}, seed);
}

/// Passes on all calls and keeps a copy of everything copied back.
class RecordingDevice : public Device {
  public:
    explicit RecordingDevice(Device& device) : device_(device) {}

    DeviceAddress allocate(std::uint64_t bytes) override { return device_.allocate(bytes); }
    void release(DeviceAddress address) override { device_.release(address); }
    void copy_to_device(DeviceAddress to, std::span<const std::byte> from) override {
        device_.copy_to_device(to, from);
    }
    void copy_from_device(std::span<std::byte> to, DeviceAddress from) override {
        device_.copy_from_device(to, from);
        copies.emplace_back(to.begin(), to.end());
    }
    void fill(DeviceAddress to, std::byte value, std::uint64_t bytes) override { device_.fill(to, value, bytes); }
    DeviceAddress variable(std::string_view name) const override { return device_.variable(name); }
    void launch(std::string_view kernel, const LaunchConfiguration& configuration,
                std::span<const std::byte> parameters) override {
        device_.launch(kernel, configuration, parameters);
    }

    std::vector<std::vector<std::byte>> copies;

  private:
    Device& device_;
};

using Copies = std::vector<std::vector<std::byte>>;

/// The data that the workload copies back from the emulator.
Copies emulated(Workload& workload, const Configuration& configuration = {}, const EmulatorOptions& options = {}) {
    EmulatedDevice device(load_kernels(workload, configuration), options);
    RecordingDevice recorder(device);
    workload.run(recorder);
    return recorder.copies;
}

TEST_CASE("an array is filled with the numbers that come one after another, whatever its length") {
    for (const std::size_t length : {0, 100, 16'384, 50'003}) {
        XorShift32 one(2026);
        XorShift32 many(2026);
        std::vector<float> expected(length);
        for (float& value : expected) { value = one.next_float(); }
        std::vector<float> values(length);
        many.fill(std::span(values));
        CHECK(values == expected);
        std::vector<std::uint32_t> words(length);
        for (std::uint32_t& word : words) { word = one.next(); }
        CHECK(many.words(length) == words);
        CHECK(many.next() == one.next());
    }
}

TEST_CASE("the manifest holds the workloads with the papers that use them, in the papers' order") {
    CHECK(kWorkloads.size() >= 5);
    const auto bfs = std::ranges::find(workload_manifest(), "bfs", &ManifestEntry::name);
    REQUIRE(bfs != workload_manifest().end());
    CHECK(bfs->suite == "Rodinia, bfs");
    REQUIRE(bfs->papers.size() >= 2);
    CHECK(bfs->papers[0].paper == "CAPS");
    CHECK(bfs->papers[0].name == "BFS");
    CHECK(bfs->papers[0].kind == "irregular");
    CHECK(bfs->papers[1].kind == "Type-L");
    CHECK(bfs->is_in("DAC"));
    CHECK(!bfs->is_in("AVC"));
    const auto of_no_paper = std::ranges::find(workload_manifest(), "imageDenoising", &ManifestEntry::name);
    REQUIRE(of_no_paper != workload_manifest().end());
    CHECK(of_no_paper->papers.empty());
}

/// Runs the workload on the scalar interpreter; returns false if its PTX has approximations or texture fetches, whose
/// bits PTX does not determine.
bool interpret(Workload& workload, Copies& copies, const Configuration& configuration = {}) {
    const ProgramCode code = ptx_of(workload, configuration);
    const ptx::Module module = ptx::parse_module(code.text, std::string(code.file));
    test::ScalarInterpreter interpreter(module);
    RecordingDevice recorder(interpreter);
    try {
        workload.run(recorder);
    } catch (const InputError& error) {
        const std::string_view message = error.what();
        const bool is_left_open = message.find(".approx") != std::string_view::npos ||
                                  message.find("`div.full") != std::string_view::npos ||
                                  message.find("`tex.") != std::string_view::npos;
        if (!is_left_open || !message.ends_with("to the scalar interpreter")) { throw; }
        MESSAGE(std::string(error.what()));
        return false;
    }
    copies = std::move(recorder.copies);
    return true;
}

// With one factor of each form that has some; with all of them if LOOKAHEAD_TEST_TIMES=10.
TEST_CASE(
    "every workload's outputs in every form on the emulator match its CPU reference, are the same on both SIMT models, "
    "and are the bytes that the scalar interpreter returns") {
    const std::vector<Program> programs = programs_with(1);
    std::size_t compared = 0;
    for (const Program& program : programs) {
        CAPTURE(program.name);
        CAPTURE(program.settings.empty() ? "" : program.settings.back());
        Copies copies[2];
        for (const isa::SimtModel simt : {isa::SimtModel::stack, isa::SimtModel::convergence_barrier}) {
            CAPTURE(static_cast<int>(simt));
            const auto workload = tiny(program, 77);
            copies[static_cast<std::size_t>(simt)] = emulated(*workload, {}, {.simt = simt});
            const CheckReport report = workload->check();
            CHECK_MESSAGE(report.outputs == Outputs::match, report.message);
        }
        CHECK(copies[0] == copies[1]);
        Copies expected;
        if (!interpret(*tiny(program, 77), expected)) { continue; }
        ++compared;
        CHECK(copies[0] == expected);
    }
    CHECK(compared * 3 >= programs.size() * 2);
}

TEST_CASE("code as compilers of the papers' time made it has right outputs, with addresses of 32 and 64 bits") {
    std::size_t compared = 0, run = 0;
    for (const Program& program : programs_with(1)) {
        CAPTURE(program.name);
        CAPTURE(program.settings.empty() ? "" : program.settings.back());
        const bool is_looped = !program.settings.empty() && !program.settings.back().ends_with("form=wide");
        const std::string_view text = tiny(program, 5)->code().period_text;
        CHECK(text.empty() == (program.name == "imageDenoising" || is_looped || program.name.ends_with("_premise")));
        if (text.empty()) { continue; }
        Copies copies[2];
        for (const int bits : {32, 64}) {
            CAPTURE(bits);
            Configuration configuration;
            configuration.override_value("program.compiler=period");
            configuration.override_value("isa.pointers=" + std::to_string(bits));
            const auto workload = tiny(program, 5);
            const auto simt = bits == 32 ? isa::SimtModel::stack : isa::SimtModel::convergence_barrier;
            copies[bits / 64] = emulated(*workload, configuration, {.simt = simt});
            const CheckReport report = workload->check();
            CHECK_MESSAGE(report.outputs == Outputs::match, report.message);
            Copies expected;
            // dct8x8's warps keep together, as they did then; the interpreter's threads run one after the other.
            if (bits == 64 && program.name != "dct8x8" && interpret(*tiny(program, 5), expected, configuration)) {
                CHECK(copies[1] == expected);
                ++compared;
            }
        }
        CHECK(copies[0] == copies[1]);
        ++run;
    }
    CHECK(run >= 55);
    CHECK(compared >= 20);
}

TEST_CASE("what vector memory instructions bring is bit by bit what the loops without them bring") {
    std::size_t compared = 0;
    std::map<std::string, Copies> looped;
    for (const Program& program : programs_with(10)) {
        if (program.settings.empty()) { continue; }
        const bool is_looped = program.settings[0].ends_with("form=looped");
        const bool is_vector = program.settings[0].ends_with("form=vector");
        if (!is_vector && !(is_looped && program.settings[1].ends_with("unroll=1"))) { continue; }
        CAPTURE(program.name);
        CAPTURE(program.settings[1]);
        const Copies copies = emulated(*tiny(program, 31));
        if (is_looped) {
            looped[program.name] = copies;
            continue;
        }
        CHECK(copies == looped.at(program.name));
        ++compared;
    }
    CHECK(compared >= 3 * 16);
}

TEST_CASE("an unroll factor is of form=looped alone, and a length of form=vector") {
    CHECK_NOTHROW(tiny(Program{"vecadd", {"vecadd.form=vector", "vecadd.length=8"}}, 1));
    CHECK_NOTHROW(tiny(Program{"vecadd", {"vecadd.form=looped", "vecadd.unroll=2"}}, 1));
    CHECK_THROWS_WITH_AS(tiny(Program{"vecadd", {"vecadd.form=vector", "vecadd.unroll=2"}}, 1),
                         doctest::Contains("unroll=2 belongs to form=looped"), ConfigurationError);
    CHECK_THROWS_WITH_AS(tiny(Program{"vecadd", {"vecadd.form=looped", "vecadd.length=8"}}, 1),
                         doctest::Contains("length=8 belongs to form=vector"), ConfigurationError);
    CHECK_THROWS_WITH_AS(tiny(Program{"vecadd", {"vecadd.length=16"}}, 1),
                         doctest::Contains("length=16 belongs to form=vector"), ConfigurationError);
}

TEST_CASE("results do not depend on the finaliser's freedom: order, any register limit, the width of pointers") {
    std::mt19937 random(lookahead::test::random_seed());
    for (const std::string& name : kWorkloads) {
        CAPTURE(name);
        Copies expected;
        const std::vector<std::vector<std::string>> settings = {
            {"finaliser.schedule=true"},
            {"finaliser.schedule=false"},
            {"isa.registers=" + std::to_string(10 + random() % 54),
             random() % 2 == 0 ? "isa.pointers=32" : "isa.expand_64bit=true"}};
        for (const std::vector<std::string>& setting : settings) {
            Configuration configuration;
            for (const std::string& option : setting) { configuration.override_value(option); }
            CAPTURE(setting.front());
            CAPTURE(setting.back());
            const Copies copies = emulated(*tiny(name, 9), configuration);
            if (expected.empty()) { expected = copies; }
            CHECK(copies == expected);
        }
    }
}

TEST_CASE("the programs of the published comparison match their references, in any order and in few registers") {
    for (const std::string name : {"vecadd", "sgemm", "hotspot", "histogram", "bfs"}) {
        for (const char* setting : {"finaliser.schedule=true", "finaliser.schedule=false", "isa.registers=10"}) {
            CAPTURE(name);
            CAPTURE(setting);
            Configuration input, configuration;
            input.override_value(name + ".input=peer");
            configuration.override_value(setting);
            const auto workload = make_variant<Workload>(name, input, WorkloadContext{Size::small, 1});
            emulated(*workload, configuration);
            const CheckReport report = workload->check();
            CHECK_MESSAGE(report.outputs == Outputs::match, report.message);
        }
    }
}

TEST_CASE("carries of split additions find predicates at any register limit") {
    const auto workload = tiny("hpgmg", 1);
    for (unsigned limit = 10; limit < 40; ++limit) {
        CAPTURE(limit);
        Configuration configuration;
        configuration.override_value("isa.expand_64bit=true");
        configuration.override_value("isa.registers=" + std::to_string(limit));
        for (const isa::Kernel& kernel : load_kernels(*workload, configuration)) { CHECK(kernel.refusal == ""); }
    }
}

TEST_CASE("rows of a tile that a thread of transpose takes divide the tile's 32") {
    for (const int share : {1, 3, 16, 31, 32}) {
        CAPTURE(share);
        const auto workload =
            tiny({"transpose", {"transpose.form=looped", "transpose.share=" + std::to_string(share)}}, 1);
        EmulatedDevice device(load_kernels(*workload, Configuration{}));
        if (32 % share == 0) {
            workload->run(device);
            CHECK(workload->check().outputs == Outputs::match);
        } else {
            CHECK_THROWS_WITH_AS(workload->run(device), doctest::Contains(std::to_string(share).c_str()),
                                 ConfigurationError);
        }
    }
}

TEST_CASE("a wrong output is reported with its place") {
    const auto workload = tiny("vecadd", 1);
    EmulatedDevice device(load_kernels(*workload, Configuration{}));

    class Corrupting : public RecordingDevice {
      public:
        using RecordingDevice::RecordingDevice;
        void copy_from_device(std::span<std::byte> to, DeviceAddress from) override {
            RecordingDevice::copy_from_device(to, from);
            to[40] ^= std::byte{1};
        }
    } corrupting(device);
    workload->run(corrupting);
    const CheckReport report = workload->check();
    CHECK(report.outputs == Outputs::mismatch);
    CHECK(report.message.find("C[10]") != std::string::npos);
}

}  // namespace
}  // namespace lookahead
