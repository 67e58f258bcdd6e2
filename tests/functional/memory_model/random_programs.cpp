#include "tests/functional/memory_model/random_programs.h"

#include <array>
#include <random>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/machine/machine.h"
#include "core/sync/simulation.h"
#include "partitioning/partitioners/partition.h"
#include "tests/functional/memory_model/history_checker.h"

namespace lookahead::gpu::test {
namespace {

using lookahead::test::check_history;
using lookahead::test::History;
using lookahead::test::Operation;
using Kind = Operation::Kind;
using Shape = ProgramShape;

/// Words in lines of several slices and several sets of L1.
constexpr std::uint32_t kLineStride = 1152;
constexpr std::uint32_t kWordsOfLine = 4;

/// One step of all threads; each thread has its own location.
struct Step {
    Kind kind;
    const char* instruction;  ///< with %a for the address, %v for the value read, %w for the value written
    std::uint32_t factor;
    std::uint32_t offset;

    std::uint32_t location(std::uint32_t thread, const Shape& shape) const {
        const std::uint32_t mixed = thread * factor + offset;
        return ((mixed ^ (mixed >> 9)) >> 3) % shape.locations;
    }
};

std::uint32_t bytes_of(const Shape& shape) {
    return shape.locations / kWordsOfLine * kLineStride;
}
std::uint32_t value_of(std::uint32_t thread, std::uint32_t step) {
    return (thread + 1) << 8 | step;
}
std::uint32_t byte_of(std::uint32_t location) {
    return location / kWordsOfLine * kLineStride + location % kWordsOfLine * 12;
}

constexpr struct {
    Kind kind;
    const char* instruction;
} kChoices[] = {{Kind::read, "ld.global.u32 %v, [%a];"},
                {Kind::read, "ld.global.u32 %v, [%a];"},
                {Kind::read, "ld.global.u32 %v, [%a];"},
                {Kind::read, "ld.relaxed.gpu.global.u32 %v, [%a];"},
                {Kind::read, "ld.volatile.global.u32 %v, [%a];"},
                {Kind::write, "st.global.u32 [%a], %w;"},
                {Kind::write, "st.global.u32 [%a], %w;"},
                {Kind::write, "st.relaxed.gpu.global.u32 [%a], %w;"},
                {Kind::exchange, "atom.global.exch.b32 %v, [%a], %w;"},
                {Kind::exchange, "atom.relaxed.gpu.global.exch.b32 %v, [%a], %w;"},
                {Kind::fence, "membar.gl;"},
                {Kind::fence, "fence.acq_rel.gpu;"}};

/// One access to a thread's local array of words, by a local or a generic address, with the same word in all lanes or
/// different ones.
struct LocalStep {
    static constexpr std::uint32_t kWords = 16;

    bool store;
    bool generic;
    std::uint32_t factor;  ///< 0: the same word for all threads
    std::uint32_t offset;

    std::uint32_t word(std::uint32_t thread) const { return ((thread * factor + offset) >> 5) % kWords; }
    std::string text(std::uint32_t number) const {
        const std::string space = generic ? "" : ".local";
        const std::string access = store ? "st" + space + ".u32 [%rd7], %r7;\n"
                                         : "ld" + space + ".u32 %r5, [%rd7];\nmad.lo.u32 %r6, %r6, 33, %r5;\n";
        return "mul.lo.u32 %r3, %r1, " + std::to_string(factor) + ";\nadd.u32 %r3, %r3, " + std::to_string(offset) +
               ";\nshr.u32 %r3, %r3, 5;\nand.b32 %r3, %r3, " + std::to_string(kWords - 1) +
               ";\nshl.b32 %r3, %r3, 2;\ncvt.u64.u32 %rd7, %r3;\nadd.u64 %rd7, %rd7, " + (generic ? "%rd8" : "%rd6") +
               ";\nor.b32 %r7, %r2, " + std::to_string(number) + ";\n" + access;
    }
};

class RandomKernel {
  public:
    /// With `waits` a thread uses each value as soon as it has read it.
    RandomKernel(std::uint32_t seed, const Shape& shape, bool waits) : shape_(shape), waits_(waits) {
        std::mt19937 random(seed);
        for (std::uint32_t i = 0; i < shape_.steps; ++i) {
            const auto& choice = kChoices[random() % std::size(kChoices)];
            const auto factor = static_cast<std::uint32_t>(random() | 1u);
            steps_.push_back({choice.kind, choice.instruction, factor, static_cast<std::uint32_t>(random())});
        }
        for (std::uint32_t i = 0; shape_.local && i < shape_.steps; ++i) {
            const auto draw = static_cast<std::uint32_t>(random());
            local_steps_.push_back({draw % 2 == 0, draw % 8 < 2,
                                    draw % 3 == 0 ? 0 : static_cast<std::uint32_t>(random()),
                                    static_cast<std::uint32_t>(random())});
        }
    }

    /// PTX in which every thread keeps its read values in registers and stores them at its end.
    std::string ptx() const {
        std::string text =
            ".version 7.0\n.target sm_75\n.address_size 64\n"
            ".visible .entry random(.param .u64 memory, .param .u64 log) {\n"
            ".local .align 4 .b32 words[16];\n.reg .b32 %r<8>;\n.reg .b64 %rd<9>;\n.reg .b32 %v<" +
            std::to_string(shape_.steps) +
            ">;\nld.param.u64 %rd1, [memory];\nld.param.u64 %rd2, [log];\nmov.u32 %r1, %ctaid.x;\n"
            "mov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r1, %r1, %r2, %r3;\n"
            "add.u32 %r2, %r1, 1;\nshl.b32 %r2, %r2, 8;\nmov.u32 %r6, 0;\n";
        if (shape_.local) {
            text += "mov.u64 %rd6, words;\ncvta.local.u64 %rd8, %rd6;\n";
            for (std::uint32_t word = 0; word < LocalStep::kWords; ++word) {
                text += "st.local.u32 [%rd6+" + std::to_string(4 * word) + "], %r1;\n";
            }
        }
        for (std::uint32_t i = 0; i < shape_.steps; ++i) {
            text += (shape_.local ? local_steps_[i].text(i) : std::string()) + step_text(i);
        }
        text += "mul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd3, %rd3, %rd2;\n";
        for (std::uint32_t i = 0; i < shape_.steps; ++i) {
            if (reads(i)) {
                text += "st.global.u32 [%rd3+" + std::to_string(i * shape_.threads() * 4) + "], %v" +
                        std::to_string(i) + ";\n";
            }
        }
        // Stores the results of using the values, after the log.
        text += "st.global.u32 [%rd3+" + std::to_string(shape_.steps * shape_.threads() * 4) + "], %r6;\n";
        return text + "ret;\n}\n";
    }

    /// The thread's digest of its loads of local memory.
    std::uint32_t local_digest(std::uint32_t thread) const {
        std::array<std::uint32_t, LocalStep::kWords> words;
        words.fill(thread);
        std::uint32_t digest = 0;
        for (std::uint32_t i = 0; i < local_steps_.size(); ++i) {
            std::uint32_t& word = words[local_steps_[i].word(thread)];
            if (local_steps_[i].store) {
                word = value_of(thread, i);
            } else {
                digest = digest * 33 + word;
            }
        }
        return digest;
    }

    History history(const std::vector<std::uint32_t>& log, const std::vector<std::uint32_t>& memory) const {
        History history;
        for (std::uint32_t thread = 0; thread < shape_.threads(); ++thread) {
            auto& operations = history.threads.emplace_back();
            for (std::uint32_t i = 0; i < shape_.steps; ++i) {
                const Step& step = steps_[i];
                operations.push_back(
                    {step.kind, step.location(thread, shape_), reads(i) ? log[i * shape_.threads() + thread] : 0,
                     step.kind == Kind::write || step.kind == Kind::exchange ? value_of(thread, i) : 0});
            }
        }
        for (std::uint32_t location = 0; location < shape_.locations; ++location) {
            history.final_values.push_back(memory[byte_of(location) / 4]);
        }
        return history;
    }

  private:
    bool reads(std::uint32_t step) const {
        return steps_[step].kind == Kind::read || steps_[step].kind == Kind::exchange;
    }

    std::string step_text(std::uint32_t number) const {
        const Step& step = steps_[number];
        std::string text = step.instruction;
        if (step.kind == Kind::fence) { return text + "\n"; }
        const auto put = [&text](const std::string& name, const std::string& value) {
            if (const std::size_t at = text.find(name); at != std::string::npos) {
                text.replace(at, name.size(), value);
            }
        };
        put("%v", "%v" + std::to_string(number));
        put("%a", "%rd5");
        put("%w", "%r7");
        const std::string address =
            "mul.lo.u32 %r3, %r1, " + std::to_string(step.factor) + ";\nadd.u32 %r3, %r3, " +
            std::to_string(step.offset) + ";\nshr.u32 %r4, %r3, 9;\nxor.b32 %r3, %r3, %r4;\nshr.u32 %r3, %r3, 3;\n" +
            "and.b32 %r3, %r3, " + std::to_string(shape_.locations - 1) +
            ";\nshr.u32 %r4, %r3, 2;\nand.b32 %r5, %r3, 3;\nmul.lo.u32 %r5, %r5, 12;\nmad.lo.u32 %r4, %r4, " +
            std::to_string(kLineStride) + ", %r5;\ncvt.u64.u32 %rd4, %r4;\nadd.u64 %rd5, %rd1, %rd4;\n";
        const std::string use =
            waits_ && reads(number) ? "\nadd.u32 %r6, %r6, %v" + std::to_string(number) + ";" : std::string();
        return address + "or.b32 %r7, %r2, " + std::to_string(number) + ";\n" + text + use + "\n";
    }

    Shape shape_;
    bool waits_;
    std::vector<Step> steps_;
    std::vector<LocalStep> local_steps_;
};

/// Returns the first thread whose loads of local memory differ from its last stores, or an empty text.
std::string local_fault(const RandomKernel& kernel, const std::vector<std::uint32_t>& digests) {
    for (std::uint32_t thread = 0; thread < digests.size(); ++thread) {
        if (digests[thread] != kernel.local_digest(thread)) {
            return "Local memory: thread " + std::to_string(thread) + " has read what it did not store last";
        }
    }
    return "";
}

}  // namespace

std::string random_program_fault(std::uint32_t seed, const ProgramShape& shape, const std::vector<std::string>& options,
                                 Transport& transport, bool waits) {
    Configuration configuration;
    configuration.override_value("gpu.sms=4");
    for (const std::string& each : options) { configuration.override_value(each); }
    const RandomKernel kernel(seed, shape, waits);
    std::vector<std::uint32_t> log;
    std::vector<std::uint32_t> memory;
    std::vector<std::uint32_t> digests;
    const auto program = [&](Device& device) {
        const std::uint32_t bytes = bytes_of(shape);
        const std::uint32_t values = shape.steps * shape.threads();
        const DeviceAddress words = device.allocate(bytes);
        const DeviceAddress out = device.allocate((values + shape.threads()) * 4);
        device.fill(words, std::byte{0}, bytes);
        device.fill(out, std::byte{0}, (values + shape.threads()) * 4);
        device.launch("random", {{shape.ctas, 1, 1}, {shape.threads_of_cta, 1, 1}}, pack_parameters(words, out));
        log = device.download<std::uint32_t>(out, values);
        memory = device.download<std::uint32_t>(words, bytes / 4);
        if (shape.local) { digests = device.download<std::uint32_t>(out + std::uint64_t{values} * 4, shape.threads()); }
    };
    Machine machine(
        configuration,
        finaliser::finalise_module(ptx::parse_module(kernel.ptx(), "random.ptx"), finaliser::FinaliserOptions{}),
        program);
    SimulationOptions simulation_options;
    simulation_options.sync = transport.size() > 1 ? "window" : "serial";
    Simulation simulation(machine.model(), partition(machine.model(), transport.size(), "round_robin"), transport,
                          simulation_options);
    const SimulationResult result = simulation.run();
    if (result.outcome != Outcome::finished) { return result.message; }
    const std::string local = local_fault(kernel, digests);
    return log.empty() || !local.empty() ? local : check_history(kernel.history(log, memory));
}

}  // namespace lookahead::gpu::test
