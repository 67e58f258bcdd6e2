#include "tests/functional/vector_memory/vector_kernel.h"

#include <fmt/format.h>

#include <doctest/doctest.h>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"

namespace lookahead::test {
namespace {

std::string list(const char* prefix, unsigned count) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i) { text += fmt::format("{}{}{}", i == 0 ? "" : ", ", prefix, i); }
    return text + "}";
}

/// Copies the memory to the CTA's shared memory, or back.
std::string copy(const char* name, const char* from, const char* to) {
    return fmt::format(
        "mov.u32 %i, %tid.x;\n{0}:\n"
        "mul.wide.u32 %at, %i, 4;\nadd.u64 %global, %memory, %at;\n"
        "mul.lo.u32 %tile_at, %i, 4;\nadd.u32 %tile_at, %tile_at, %tile;\n"
        "{1};\n{2};\nadd.u32 %i, %i, 32;\nsetp.lt.u32 %p, %i, {3};\n@%p bra {0};\nbar.sync 0;\n",
        name, from, to, kMemoryWords);
}

/// The instruction; the loaded words are in %d afterwards unless aliased.
std::string instruction(const VectorAccess& access) {
    const char* const address = access.shared ? "[%tile_address]" : "[%address]";
    const std::string pattern = access.strided ? "%s" : list("%x", access.length);
    const std::string data = list(access.loads && access.aliased ? "%x" : "%d", access.length);
    const std::string mnemonic = "@%active " + access.name() + ".b32 ";
    if (access.loads) { return mnemonic + data + ", " + address + ", " + pattern + ";\n"; }
    return mnemonic + address + ", " + pattern + ", " + data + ";\n";
}

constexpr unsigned kRecordWords = 3 + 16 + 16;

}  // namespace

std::string VectorAccess::name() const {
    return fmt::format("{}.{}.{}.v{}", loads ? "ld" : "st", strided ? "stride" : "indirect",
                       shared ? "shared" : "global", length);
}

std::vector<VectorAccess> all_vector_accesses() {
    std::vector<VectorAccess> all;
    for (const bool loads : {true, false}) {
        for (const bool strided : {true, false}) {
            for (const unsigned length : {4u, 8u, 16u}) {
                for (const bool shared : {false, true}) { all.push_back({loads, strided, length, shared, false}); }
            }
        }
    }
    return all;
}

/// A lane's record has the members of Lane in order.
std::string kernel_text(const VectorAccess& access) {
    std::string text =
        ".version 7.8\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 p_memory, .param .u64 p_lanes)\n{\n"
        ".reg .pred %p, %active;\n.reg .b32 %x<16>, %d<16>, %s, %i, %w, %tile, %tile_at, %tile_address;\n"
        ".reg .b64 %memory, %lanes, %global, %at, %address;\n";
    if (access.shared) { text += fmt::format(".shared .align 16 .b8 words[{}];\n", 4 * kMemoryWords); }
    text +=
        "ld.param.u64 %memory, [p_memory];\nld.param.u64 %lanes, [p_lanes];\n"
        "cvta.to.global.u64 %memory, %memory;\ncvta.to.global.u64 %lanes, %lanes;\n";
    text += fmt::format("mov.u32 %tile, {};\n", access.shared ? "words" : "0");
    if (access.shared) { text += copy("fill", "ld.global.u32 %w, [%global]", "st.shared.u32 [%tile_at], %w"); }
    text +=
        fmt::format("mov.u32 %i, %tid.x;\nmul.wide.u32 %at, %i, {};\nadd.u64 %lanes, %lanes, %at;\n", 4 * kRecordWords);
    text +=
        "ld.global.u32 %w, [%lanes];\nsetp.ne.u32 %active, %w, 0;\n"
        "ld.global.s32 %w, [%lanes+4];\ncvt.s64.s32 %address, %w;\nadd.s64 %address, %address, %memory;\n"
        "add.s32 %tile_address, %tile, %w;\nld.global.u32 %s, [%lanes+8];\n";
    for (unsigned i = 0; i < access.length; ++i) {
        text += fmt::format("ld.global.u32 %x{0}, [%lanes+{1}];\nld.global.u32 %d{0}, [%lanes+{2}];\n", i, 12 + 4 * i,
                            76 + 4 * i);
    }
    text += instruction(access);
    for (unsigned i = 0; i < access.length && access.loads; ++i) {
        text += fmt::format("st.global.u32 [%lanes+{}], {}{};\n", 76 + 4 * i, access.aliased ? "%x" : "%d", i);
    }
    if (access.shared) {
        text += "bar.sync 0;\n" + copy("drain", "ld.shared.u32 %w, [%tile_at]", "st.global.u32 [%global], %w");
    }
    return text + "ret;\n}\n";
}

isa::KernelTable finalised(const VectorAccess& access, const finaliser::FinaliserOptions& options) {
    return finaliser::finalise_module(ptx::parse_module(kernel_text(access), access.name() + ".ptx"), options);
}

VectorRun execute(Device& device, const VectorAccess& access, const VectorRun& run) {
    std::vector<std::uint32_t> records;
    for (const Lane& lane : run.lanes) {
        records.push_back(lane.active);
        records.push_back(static_cast<std::uint32_t>(lane.byte));
        records.push_back(static_cast<std::uint32_t>(lane.stride));
        for (const std::int32_t index : lane.indices) { records.push_back(static_cast<std::uint32_t>(index)); }
        records.insert(records.end(), lane.data.begin(), lane.data.end());
    }
    // In this order, so that no allocation follows the memory.
    const DeviceAddress lanes = device.upload(records);
    const DeviceAddress memory = device.upload(run.memory);
    device.launch("k", {{1, 1, 1}, {kLanes, 1, 1}}, pack_parameters(memory, lanes));
    VectorRun result = run;
    result.memory = device.download<std::uint32_t>(memory, kMemoryWords);
    records = device.download<std::uint32_t>(lanes, records.size());
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned i = 0; i < access.length; ++i) {
            result.lanes[lane].data[i] = records[std::size_t{lane} * kRecordWords + 19 + i];
        }
    }
    return result;
}

VectorRun expected(const VectorAccess& access, const VectorRun& run) {
    VectorRun result = run;
    for (unsigned k = 0; k < access.length; ++k) {
        for (unsigned l = 0; l < kLanes; ++l) {
            const Lane& lane = run.lanes[l];
            if (lane.active == 0) {
                // An aliased register held the index.
                if (access.loads && access.aliased) {
                    result.lanes[l].data[k] = static_cast<std::uint32_t>(lane.indices[k]);
                }
                continue;
            }
            const std::int64_t steps = access.strided ? std::int64_t{lane.stride} * k : lane.indices[k];
            const auto word = static_cast<std::size_t>(lane.byte / 4 + steps);
            if (access.loads) {
                result.lanes[l].data[k] = run.memory.at(word);
            } else {
                result.memory.at(word) = lane.data[k];
            }
        }
    }
    return result;
}

void check_equal(const VectorRun& found, const VectorRun& wanted) {
    CHECK(found.memory == wanted.memory);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        CAPTURE(lane);
        CHECK(found.lanes[lane].data == wanted.lanes[lane].data);
    }
}

}  // namespace lookahead::test
