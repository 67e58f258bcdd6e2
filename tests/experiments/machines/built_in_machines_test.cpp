// The built-in machines as a whole: every key is checked, and the sizes equal the published tables'.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "components/cache/l1_parameters.h"
#include "components/dram/dram_parameters.h"
#include "components/machine/machine.h"
#include "components/memory_partition/address_mapping.h"
#include "components/memory_partition/l2_parameters.h"
#include "components/protocols/memory.h"
#include "components/sm/parameters.h"
#include "core/component/catalogue.h"
#include "core/component/registered_keys.h"
#include "core/param/parameter_registry.h"
#include "experiments/energy_tables/energy_tables.h"
#include "experiments/machines/brought_transforms.h"
#include "experiments/machines/machines.h"
#include "experiments/workloads/manifest.h"

namespace lookahead {
namespace {

/// Reads, and so checks, every key of a machine.
void read_all(const Configuration& configuration) {
    gpu::Machine(configuration, {}, [](Device&) {}).check_processes();
    load_energy_table(configuration.read<EnergyParameters>("energy").table, "");
}

TEST_CASE("every parameter of a machine names the source of its default, but those that name a file") {
    for (const ParameterSetEntry& set : registered_parameter_sets()) {
        if (std::ranges::find(workload_manifest(), set.prefix, &ManifestEntry::name) != workload_manifest().end() ||
            set.prefix == "ptx") {
            continue;  // a workload's sizes
        }
        for (const Parameter& parameter : *set.parameters) {
            CAPTURE(set.prefix + "." + parameter.name);
            CHECK((!parameter.source.empty() || parameter.name == "file"));
        }
    }
}

/// Lines of a machine's file that set a value without a source, in a comment of the line or above its paragraph.
std::vector<std::string> lines_without_source(std::string_view toml) {
    std::vector<std::string> found;
    bool is_explained = false;
    std::istringstream lines{std::string(toml)};
    for (std::string line; std::getline(lines, line);) {
        const bool has_comment = line.find('#') != std::string::npos;
        if (line.empty()) {
            is_explained = false;
        } else if (line.front() == '#' || (line.front() == '[' && has_comment)) {
            is_explained = true;
        } else if (line.front() != '[' && !has_comment && !is_explained && !line.starts_with("description") &&
                   !line.starts_with("inherits") && !line.starts_with("keys_of")) {
            found.push_back(line);
        }
    }
    return found;
}

TEST_CASE("every value of a built-in machine has a source: a comment in its line, or above its paragraph") {
    CHECK(lines_without_source("[sm]\nways = 1\n") == std::vector<std::string>{"ways = 1"});
    CHECK(lines_without_source("# table\n[sm]\nways = 1\n\nsets = 2 # table\n").empty());
    CHECK(lines_without_source("# table\n[sm]\nways = 1\n\nsets = 2\n") == std::vector<std::string>{"sets = 2"});
    for (const BuiltInMachine& machine : built_in_machines()) {
        CAPTURE(machine.name);
        CHECK(lines_without_source(machine.toml) == std::vector<std::string>{});
    }
}

TEST_CASE("every built-in machine can be built, and has no key that nobody reads") {
    CHECK(built_in_machines().size() >= 7);
    for (const BuiltInMachine& machine : built_in_machines()) {
        CAPTURE(machine.name);
        const Configuration configuration = load_machine(std::string(machine.name));
        CHECK_NOTHROW(read_all(configuration));
        CHECK_NOTHROW(configuration.check_all_used());
    }
}

std::vector<std::string> effective_keys(const Configuration& configuration) {
    std::vector<std::string> keys;
    for (const EffectiveEntry& entry : configuration.effective_entries()) { keys.push_back(entry.key); }
    return keys;
}

TEST_CASE("whatever variants fill the slots, processes read no key that is not known to be read without them") {
    for (const VariantEntry& variant : registered_variants()) {
        const auto& slots = registered_slots();
        if (std::ranges::find(slots, variant.slot, &SlotEntry::name)->default_variant.empty()) { continue; }
        CAPTURE(variant.slot);
        CAPTURE(variant.name);
        Configuration configuration = load_machine("gtx480");
        configuration.override_value(variant.slot + "=" + variant.name);
        if (variant.name == "orch") { configuration.override_value("sm.warp_scheduler=group_interleaved"); }
        read_registered(configuration);
        const std::vector<std::string> known = effective_keys(configuration);
        gpu::Machine(configuration, {}, [](Device&) {}).check_processes();
        CHECK(effective_keys(configuration) == known);
    }
}

TEST_CASE("vecmem_nvidia has one scheduler an SM partition, and the table's 12 ns in its own DRAM clock") {
    const Configuration configuration = load_machine("vecmem_nvidia");
    const auto sm = configuration.read<gpu::SmParameters>("sm");
    CHECK(sm.schedulers == 1);
    CHECK(sm.sp_units == 1);
    const auto dram = configuration.read<gpu::DramParameters>("dram");
    for (const Cycle cycles : {dram.cl, dram.rcd, dram.rp}) {
        CHECK(static_cast<std::int64_t>(cycles) * 1'000'000'000 == 12 * dram.frequency);
    }
    // gtx480's other timings are no shorter in time, and longer by less than a cycle.
    const auto fermi = load_machine("gtx480").read<gpu::DramParameters>("dram");
    for (const auto member : {&gpu::DramParameters::rrd, &gpu::DramParameters::ras, &gpu::DramParameters::rc,
                              &gpu::DramParameters::cdlr, &gpu::DramParameters::wr, &gpu::DramParameters::rtpl}) {
        const std::int64_t wanted = static_cast<std::int64_t>(fermi.*member) * dram.frequency;
        CHECK(static_cast<std::int64_t>(dram.*member) * fermi.frequency >= wanted);
        CHECK(static_cast<std::int64_t>(dram.*member - 1) * fermi.frequency < wanted);
    }
}

/// The papers' sizes; the files express them by sets, ways, slices and channels.
struct PublishedSizes {
    std::string machine;
    std::int64_t sms, warps, register_kilobytes;
    std::int64_t l1_kilobytes, l1_ways, l1_mshrs;
    std::int64_t l2_kilobytes, l2_ways;
    std::int64_t row_bytes;  ///< of a channel or pseudo-channel
    double gigabytes_per_second;
};

TEST_CASE("the machines have the sizes of the published tables") {
    const PublishedSizes published[] = {
        {"gtx480", 15, 48, 128, 16, 4, 64, 768, 8, 4096, 177.4},
        {"gtx480_gpgpusim", 15, 48, 128, 16, 4, 64, 768, 8, 4096, 177.4},
        {"gpgpusim_3", 15, 48, 128, 16, 4, 32, 768, 8, 4096, 177.4},
        {"dac_gtx480", 15, 48, 128, 48, 4, 32, 768, 8, 4096, 177.4},
        {"dac_gtx480_card", 15, 48, 128, 48, 4, 32, 768, 8, 4096, 177.4},
        {"pmode_fermi", 15, 48, 128, 32, 4, 96, 768, 8, 4096, 177.4},
        {"pmode_fermi_card", 15, 48, 128, 32, 4, 96, 768, 8, 4096, 177.4},
        {"vecmem_nvidia", 32, 32, 256, 32, 4, 256, 2048, 16, 2048, 224.0},
        {"avc_fermi_sm", 1, 48, 64, 48, 6, 64, 8, 64, 4096, 14.78},
        {"caps_fermi", 15, 48, 128, 16, 4, 32, 768, 8, 4096, 177.4},
        {"caps_fermi_card", 15, 48, 128, 16, 4, 32, 768, 8, 4096, 177.4},
        {"v100", 80, 64, 256, 32, 64, 512, 6144, 24, 1024, 898.0},
        {"h100_sized", 132, 64, 256, 256, 64, 512, 51200, 20, 1024, 3352.3},
        {"h100", 132, 64, 256, 256, 64, 512, 51200, 20, 1024, 3352.3},
        {"h100_native", 132, 64, 256, 256, 64, 512, 51200, 20, 1024, 3352.3},
        {"h100_pcie", 114, 64, 256, 256, 64, 512, 51200, 20, 1024, 2039.0},
    };
    for (const PublishedSizes& sizes : published) {
        CAPTURE(sizes.machine);
        const Configuration configuration = load_machine(sizes.machine);
        const auto sm = configuration.read<gpu::SmParameters>("sm");
        const auto l1 = configuration.read<gpu::L1Parameters>("l1d");
        const auto l2 = configuration.read<gpu::L2Parameters>("l2");
        const auto dram = configuration.read<gpu::DramParameters>("dram");
        const gpu::AddressMapping mapping(configuration.read<gpu::AddressMappingParameters>("address_mapping"));
        CHECK(configuration.read<gpu::MachineParameters>("gpu").sms == sizes.sms);
        CHECK(sm.max_warps == sizes.warps);
        CHECK(sm.registers * 4 == sizes.register_kilobytes * 1024);
        CHECK(l1.sets * l1.ways * gpu::kLineBytes == sizes.l1_kilobytes * 1024);
        CHECK(l1.ways == sizes.l1_ways);
        CHECK(l1.mshrs == sizes.l1_mshrs);
        CHECK(mapping.slices() * l2.sets * l2.ways * gpu::kLineBytes == sizes.l2_kilobytes * 1024);
        CHECK(l2.ways == sizes.l2_ways);
        CHECK(mapping.banks() == 16 * dram.pseudo_channels);
        CHECK(mapping.row_bytes() == sizes.row_bytes);
        const double bytes_per_second =
            static_cast<double>(mapping.channels() * dram.pseudo_channels * dram.burst_bytes()) *
            static_cast<double>(dram.frequency) / static_cast<double>(dram.burst_cycles());
        CHECK(bytes_per_second / 1e9 == doctest::Approx(sizes.gigabytes_per_second).epsilon(0.001));
    }
}

TEST_CASE("an issue extension brings the transform of its name, unless the key is set") {
    const auto transform = [](const std::vector<std::string>& options) {
        Configuration configuration = load_machine("dac_gtx480");
        for (const std::string& option : options) { configuration.override_value(option); }
        bring_transforms(configuration);
        return configuration.is_set("kernel.transform") ? configuration.variant("kernel.transform", "none") : "unset";
    };
    CHECK(transform({}) == "unset");
    CHECK(transform({"sm.issue_extension=pmode"}) == "unset");
    CHECK(transform({"sm.issue_extension=dac"}) == "dac");
    CHECK(transform({"sm.issue_extension=pmode+dac"}) == "dac");
    CHECK(transform({"sm.issue_extension=dac", "kernel.transform=none"}) == "none");
}

TEST_CASE("on avc_fermi_sm min(48, 512 / r) warps fit, in whole CTAs, or as many as are asked for") {
    auto sm = load_machine("avc_fermi_sm").read<gpu::SmParameters>("sm");
    isa::Kernel kernel;
    const auto warps = [&](std::uint32_t registers, std::uint32_t threads) {
        kernel.registers = registers;
        return gpu::occupancy_of(sm, kernel, {threads, 1, 1}, 0).ctas * threads / 32;
    };
    CHECK(warps(10, 256) == 48);  // 51 by registers
    CHECK(warps(11, 64) == 16);   // 46 by registers, and eight CTAs at most
    CHECK(warps(11, 192) == 42);
    CHECK(warps(16, 256) == 32);
    CHECK(warps(17, 256) == 24);  // 30 by registers
    CHECK(warps(17, 192) == 30);
    sm.occupancy_registers = 10;
    CHECK(warps(17, 256) == 48);
}

}  // namespace
}  // namespace lookahead
