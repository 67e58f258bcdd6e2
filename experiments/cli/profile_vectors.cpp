// `profile vectors`: the vectors that warps load from and store to private memory, with fewer and fewer registers.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/register_profile.h"
#include "components/sm/simt/simt_model.h"
#include "core/json/json.h"
#include "core/text/read_number.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/machine_options.h"
#include "experiments/cli/percentage.h"
#include "experiments/cli/session.h"
#include "experiments/profile/private_vectors.h"
#include "experiments/run/program.h"

namespace lookahead::cli {
namespace {

using profile::kVectorClasses;
using profile::PrivateTraffic;
using profile::VectorClass;

struct VectorsOptions {
    MachineOptions machine;
    WorkloadOptions workload;
    std::vector<std::string> registers;
    bool json = false;
};

/// A number of registers, or a share of r_base.
struct Amount {
    std::string text;
    double value;

    unsigned limit(const finaliser::RegisterProfile& kernel) const {
        return value <= 1 ? finaliser::limit_at_share(kernel, value)
                          : std::max(static_cast<unsigned>(value), kernel.least);
    }
};

Amount amount_of(const std::string& text) {
    double value = 0;
    if (!read_number(text, value) || !(value > 0) || value > 255 || (value > 1 && value != std::floor(value))) {
        throw ConfigurationError(
            "--registers {} is neither a share of r_base, above 0 and up to 1, nor a number of registers, 2 to 255",
            text);
    }
    return {text, value};
}

struct KernelVectors {
    std::string kernel;
    finaliser::RegisterProfile profile;
    unsigned limit = 0;
    std::uint32_t registers = 0;
    std::uint32_t spill_bytes = 0;
    std::uint64_t instructions = 0;  ///< of warps
    std::uint64_t global = 0;        ///< those that load from or store to global memory
    PrivateTraffic traffic;
};

/// The vectors of the kernels that the workload launches.
std::vector<KernelVectors> run_at(const Amount& amount, const VectorsOptions& options,
                                  const Configuration& configuration,
                                  std::vector<std::optional<finaliser::RegisterProfile>>& profiles) {
    const auto workload = checked_workload(options.workload.workload, configuration, options.workload.context());
    const ptx::Module module = load_module(*workload, configuration);
    finaliser::FinaliserOptions limits = finaliser_options(configuration);
    isa::KernelTable kernels = finaliser::finalise_module(module, limits);
    profiles.resize(kernels.size());
    std::vector<unsigned> limit_of(kernels.size(), 0);
    for (const ptx::Function& function : module.functions) {
        const auto at = std::ranges::find(kernels, function.name, &isa::Kernel::name);
        if (!function.is_kernel || !function.is_defined || at == kernels.end() || !at->refusal.empty()) { continue; }
        const auto number = static_cast<std::size_t>(at - kernels.begin());
        if (!profiles[number]) { profiles[number] = finaliser::profile_registers(module, function, limits); }
        limits.isa.registers = limit_of[number] = amount.limit(*profiles[number]);
        *at = finaliser::finalise(module, function, limits);
        limits.isa.registers = finaliser_options(configuration).isa.registers;
    }
    profile::PrivateVectors vectors(kernels);
    EmulatedDevice device(std::move(kernels), {.observer = &vectors, .simt = gpu::simt_model(configuration)});
    workload->run(device);
    if (const CheckReport check = workload->check(); check.outputs == Outputs::mismatch) {
        throw ProgramError("{} with --registers {}: wrong output: {}", options.workload.workload, amount.text,
                           check.message);
    }
    std::vector<KernelVectors> found;
    for (std::uint32_t number = 0; number < device.kernels().size(); ++number) {
        if (device.executed(number).empty()) { continue; }
        const isa::Kernel& kernel = device.kernels()[number];
        const ExecutionCounts counts = summarise(kernel, device.executed(number));
        found.push_back({kernel.name, *profiles[number], limit_of[number], kernel.registers, kernel.spill_bytes,
                         counts.total.warps,
                         counts.loads_from(isa::Space::global).warps + counts.stores_to(isa::Space::global).warps,
                         vectors.traffic(number)});
    }
    return found;
}

Json::Object as_json(const KernelVectors& each) {
    return {{"kernel", each.kernel},
            {"r_default", each.profile.preferred},
            {"r_base", each.profile.base},
            {"r_least", each.profile.least},
            {"limit", each.limit},
            {"registers", each.registers},
            {"spill_bytes", each.spill_bytes},
            {"warp_instructions", each.instructions},
            {"global_accesses", each.global},
            {"loads", counts_as_json<VectorClass>(each.traffic.loads)},
            {"stores", counts_as_json<VectorClass>(each.traffic.stores)},
            {"divergent", each.traffic.divergent},
            {"parts_of_words", each.traffic.parts},
            {"other_strides", each.traffic.other_strides},
            {"masks_without_stride", each.traffic.missed_masks},
            {"sparse_masks", each.traffic.sparse},
            {"affine_by_half_warps", each.traffic.halves}};
}

void print(const KernelVectors& each) {
    const PrivateTraffic& traffic = each.traffic;
    say("  {:32} {:6} {:6} {:6} {:12} {:10}", each.kernel, each.profile.preferred, each.profile.base, each.registers,
        each.instructions, traffic.transactions());
    for (std::size_t i = 0; i < kVectorClasses; ++i) {
        say(" {:7.1f}%", percentage(traffic.of(static_cast<VectorClass>(i)), traffic.transactions()));
    }
    say("\n");
}

ExitCode profile_vectors(const VectorsOptions& options) {
    std::vector<Amount> amounts;
    for (const std::string& text : options.registers) { amounts.push_back(amount_of(text)); }
    if (amounts.empty()) { amounts = {{"1", 1}, {"0.75", 0.75}, {"0.5", 0.5}}; }
    Configuration configuration = options.machine.configuration();
    options.workload.apply_to(configuration);
    std::vector<std::optional<finaliser::RegisterProfile>> profiles;
    Json::Array all;
    for (const Amount& amount : amounts) {
        const std::vector<KernelVectors> kernels = run_at(amount, options, configuration, profiles);
        if (options.json) {
            Json::Array each;
            for (const KernelVectors& kernel : kernels) { each.push_back(as_json(kernel)); }
            all.push_back(Json::Object{{"registers", amount.text}, {"kernels", each}});
            continue;
        }
        say("{}, registers {}{}\n", options.workload.workload, amount.text, amount.value <= 1 ? " of r_base" : "");
        say("  {:32} {:>6} {:>6} {:>6} {:>12} {:>10} {:>8} {:>8} {:>8} {:>8}\n", "kernel", "r_def", "r_base", "r",
            "instructions", "private", "zero", "uniform", "affine", "generic");
        for (const KernelVectors& kernel : kernels) { print(kernel); }
    }
    if (options.json) {
        say("{}\n", Json(Json::Object{{"workload", options.workload.workload}, {"points", all}}).page());
    }
    return ExitCode::done;
}

}  // namespace

void add_profile_vectors(Command profile, Session& session) {
    Command vectors = profile.add_command(
        "vectors",
        "Classify warps' vectors in private memory with few registers: zero, uniform, affine or generic; on the "
        "functional emulator.");
    auto options = std::make_shared<VectorsOptions>();
    options->workload.add_to(vectors);
    options->machine.add_to(vectors);
    vectors
        .add_option(
            "--registers", options->registers,
            "Registers per thread, or a share of each kernel's r_base up to 1; several, as in 0.5,16 [1,0.75,0.5]")
        .split_at(',')
        .one_value_each();
    vectors.add_flag("--json", options->json, "Print one JSON object on stdout and nothing else");
    session.on_first_rank(vectors, [options] { return profile_vectors(*options); });
}

}  // namespace lookahead::cli
