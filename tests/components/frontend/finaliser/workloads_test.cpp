#include <fmt/format.h>

#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/emit/emit.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/isa/address_space.h"
#include "tests/components/frontend/finaliser/scalar_machine.h"
#include "tests/components/frontend/finaliser/workload_module.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

class Arrays {
  public:
    template <typename T>
    std::uint64_t add(const std::vector<T>& values) {
        const std::size_t offset = memory.size();
        memory.resize(offset + values.size() * sizeof(T));
        std::memcpy(memory.data() + offset, values.data(), values.size() * sizeof(T));
        memory.resize((memory.size() + 255) / 256 * 256);
        return isa::kGlobalBase + offset;
    }

    template <typename T>
    std::vector<T> get(std::uint64_t address, std::size_t count) const {
        std::vector<T> values(count);
        std::memcpy(values.data(), memory.data() + (address - isa::kGlobalBase), count * sizeof(T));
        return values;
    }

    Memory memory;
};

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<float> values(count);
    for (float& value : values) { value = static_cast<float>(random() >> 40) / 16777216.0F; }
    return values;
}

struct Setting {
    unsigned limit;
    bool schedule;
};

/// Finalises a workload: by default, in the program's own order, or with as few registers as possible.
isa::Kernel make(const std::string& name, Setting setting) {
    const ptx::Module module = workload_module(name);
    FinaliserOptions options;
    options.isa.registers = setting.limit;
    options.schedule = setting.schedule;
    const isa::KernelTable table = finalise_module(module, options);
    REQUIRE(table.size() == 1);
    verify(table[0]);
    CHECK(table[0].registers <= setting.limit);
    return table[0];
}

/// Runs the kernel thread by thread and on the emulator's warps; both must leave the same memory.
void execute_both(const isa::Kernel& kernel, const Launch& launch, Memory& memory) {
    EmulatedDevice device({kernel}, {10'000'000});
    const DeviceAddress base = device.upload(memory);
    REQUIRE(base == isa::kGlobalBase);
    device.launch(kernel.name, {launch.grid, launch.block, launch.dynamic_shared_bytes}, launch.parameters);
    execute(flatten(kernel), launch, memory);
    const bool equal = device.download<std::byte>(base, memory.size()) == memory;
    CHECK(equal);
}

template <typename Check>
void for_each_setting(unsigned fewest, Check check) {
    for (const Setting setting : {Setting{63, true}, Setting{63, false}, Setting{fewest, true}}) {
        CAPTURE(setting.limit);
        CAPTURE(setting.schedule);
        check(setting);
    }
}

}  // namespace

TEST_CASE("vecadd computes the sum") {
    for_each_setting(6, [](Setting setting) {
        const std::uint32_t n = 700;
        const std::vector<float> a = random_floats(n, 1), b = random_floats(n, 2);
        Arrays arrays;
        const std::uint64_t pa = arrays.add(a), pb = arrays.add(b), pc = arrays.add(std::vector<float>(n, -1.0F));
        Launch launch{{3, 1, 1}, {256, 1, 1}, {}, 0};
        for (std::uint64_t pointer : {pa, pb, pc}) { append(launch.parameters, pointer); }
        append(launch.parameters, n);
        execute_both(make("vecadd", setting), launch, arrays.memory);
        const auto c = arrays.get<float>(pc, n);
        for (std::uint32_t i = 0; i < n; ++i) { REQUIRE(c[i] == a[i] + b[i]); }
    });
}

TEST_CASE("sgemm computes the product in the order of its fused multiply-adds") {
    for_each_setting(24, [](Setting setting) {
        const std::uint32_t n = 32;
        const std::vector<float> a = random_floats(n * n, 3), b = random_floats(n * n, 4);
        Arrays arrays;
        const std::uint64_t pa = arrays.add(a), pb = arrays.add(b), pc = arrays.add(std::vector<float>(n * n));
        Launch launch{{2, 2, 1}, {16, 16, 1}, {}, 0};
        for (std::uint64_t pointer : {pa, pb, pc}) { append(launch.parameters, pointer); }
        append(launch.parameters, n);
        execute_both(make("sgemm", setting), launch, arrays.memory);
        const auto c = arrays.get<float>(pc, n * n);
        for (std::uint32_t row = 0; row < n; ++row) {
            for (std::uint32_t column = 0; column < n; ++column) {
                float sum = 0;
                for (std::uint32_t k = 0; k < n; ++k) { sum = std::fma(a[row * n + k], b[k * n + column], sum); }
                REQUIRE(c[row * n + column] == sum);
            }
        }
    });
}

TEST_CASE("hotspot computes one step of the stencil, borders included") {
    for_each_setting(13, [](Setting setting) {
        const int n = 32;
        const float rx = 0.1F, ry = 0.12F, rz = 0.01F, step = 0.3F, ambient = 80.0F;
        const auto cells = static_cast<std::size_t>(n) * n;
        const std::vector<float> t = random_floats(cells, 5), p = random_floats(cells, 6);
        Arrays arrays;
        const std::uint64_t pt = arrays.add(t), pp = arrays.add(p), out = arrays.add(std::vector<float>(cells));
        Launch launch{{2, 2, 1}, {16, 16, 1}, {}, 0};
        for (std::uint64_t pointer : {pt, pp, out}) { append(launch.parameters, pointer); }
        append(launch.parameters, n);
        for (float value : {rx, ry, rz, step, ambient}) { append(launch.parameters, value); }
        execute_both(make("hotspot", setting), launch, arrays.memory);
        const auto result = arrays.get<float>(out, cells);
        const auto at = [&](int x, int y) {
            return t[static_cast<std::size_t>(std::clamp(y, 0, n - 1) * n + std::clamp(x, 0, n - 1))];
        };
        for (int y = 0; y < n; ++y) {
            for (int x = 0; x < n; ++x) {
                const auto i = static_cast<std::size_t>(y * n + x);
                const float c = t[i];
                float d = std::fma((at(x, y - 1) + at(x, y + 1)) - (c + c), ry, p[i]);
                d = std::fma((at(x - 1, y) + at(x + 1, y)) - (c + c), rx, d);
                d = std::fma(ambient - c, rz, d);
                REQUIRE(result[i] == std::fma(d, step, c));
            }
        }
    });
}

TEST_CASE("histogram counts every value once, with reductions instead of atomics") {
    for_each_setting(7, [](Setting setting) {
        const isa::Kernel kernel = make("histogram", setting);
        for (const isa::Instruction& instruction : kernel.code) {
            CHECK(instruction.operation != isa::Operation::atomic);
        }
        std::mt19937 random(7);
        std::vector<std::uint32_t> in(5000), expected(256);
        for (std::uint32_t& value : in) {
            value = static_cast<std::uint32_t>(random());
            ++expected[value & 255];
        }
        Arrays arrays;
        const std::uint64_t pin = arrays.add(in), bins = arrays.add(std::vector<std::uint32_t>(256));
        Launch launch{{3, 1, 1}, {256, 1, 1}, {}, 0};
        append(launch.parameters, pin);
        append(launch.parameters, bins);
        append(launch.parameters, static_cast<std::uint32_t>(in.size()));
        execute_both(kernel, launch, arrays.memory);
        CHECK(arrays.get<std::uint32_t>(bins, 256) == expected);
    });
}

TEST_CASE("bfs finds the levels of a random graph") {
    for_each_setting(11, [](Setting setting) {
        const isa::Kernel kernel = make("bfs", setting);
        std::mt19937 random(8);
        const std::uint32_t n = 600;
        std::vector<std::int32_t> row{0}, column;
        for (std::uint32_t node = 0; node < n; ++node) {
            for (std::uint32_t degree = 1 + random() % 7; degree > 0; --degree) {
                column.push_back(static_cast<std::int32_t>(random() % n));
            }
            row.push_back(static_cast<std::int32_t>(column.size()));
        }
        std::vector<std::int32_t> expected(n, -1), open{0};
        expected[0] = 0;
        for (std::size_t i = 0; i < open.size(); ++i) {
            const auto node = static_cast<std::size_t>(open[i]);
            for (auto edge = row[node]; edge < row[node + 1]; ++edge) {
                const auto next = column[static_cast<std::size_t>(edge)];
                if (expected[static_cast<std::size_t>(next)] >= 0) { continue; }
                expected[static_cast<std::size_t>(next)] = expected[node] + 1;
                open.push_back(next);
            }
        }
        std::vector<std::int32_t> distance(n, -1);
        distance[0] = 0;
        Arrays arrays;
        const std::uint64_t prow = arrays.add(row), pcolumn = arrays.add(column), pdistance = arrays.add(distance),
                            pchanged = arrays.add(std::vector<std::int32_t>(1));
        std::int32_t level = 0;
        for (bool changed = true; changed; ++level) {
            std::memset(arrays.memory.data() + (pchanged - isa::kGlobalBase), 0, 4);
            Launch launch{{3, 1, 1}, {256, 1, 1}, {}, 0};
            for (std::uint64_t pointer : {prow, pcolumn, pdistance, pchanged}) { append(launch.parameters, pointer); }
            append(launch.parameters, n);
            append(launch.parameters, level);
            execute_both(kernel, launch, arrays.memory);
            changed = arrays.get<std::int32_t>(pchanged, 1)[0] != 0;
        }
        CHECK(arrays.get<std::int32_t>(pdistance, n) == expected);
    });
}

TEST_CASE("the workloads need no more registers than NVIDIA's assembler uses for sm_75") {
    // ptxas 13.0 -v -arch=sm_75 on the same PTX.
    const std::map<std::string, unsigned> ptxas{
        {"vecadd", 12}, {"sgemm", 60}, {"hotspot", 22}, {"histogram", 10}, {"bfs", 18}};
    for (const auto& [name, registers] : ptxas) {
        CAPTURE(name);
        const isa::Kernel kernel = make(name, {63, true});
        MESSAGE(fmt::format("{}: {} registers (ptxas: {}), {} instructions", name, kernel.registers, registers,
                            kernel.code.size()));
        CHECK(kernel.registers <= registers);
    }
}
