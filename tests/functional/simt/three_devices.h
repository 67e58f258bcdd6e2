#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "components/device/device.h"
#include "components/isa/simt_state.h"
#include "core/error/error.h"
#include "core/transport/transport.h"

namespace lookahead::test {

/// A struct that kernels receive by value.
struct alignas(16) ByValue {
    std::array<std::uint32_t, 32> words;
};

/// A PTX kernel `k(u64 out, u32 a, ByValue table)`, its launch with `words` zeroed words at `out`, and its options.
struct Program {
    std::string text;
    LaunchConfiguration configuration;
    std::uint32_t a = 0;
    std::uint32_t words = 64;
    std::vector<std::string> options = {};  ///< configuration keys for emulator and timing model
    ByValue table = {};
};

inline const LaunchConfiguration kOneWarp{{1}, {32}};

/// `body` as kernel `k`, with %r0-31, %rd0-15, %p0-7 declared: %t is %tid.x, %base the address `out`, %out that of the
/// thread's own word, by its number in the grid, %a the parameter. `before` precedes the kernel.
std::string kernel(const std::string& body, const std::string& before = "");
/// Such a kernel and its launch.
inline Program launched(const LaunchConfiguration& configuration, std::uint32_t words, const std::string& body,
                        const std::string& before = "") {
    return {kernel(body, before), configuration, 0, words};
}

/// Launches it once on a device that has its kernel; returns the words at `out`.
std::vector<std::uint32_t> run_on(Device& device, const Program& program);
std::vector<std::uint32_t> interpret(const Program& program);
std::vector<std::uint32_t> emulate(const Program& program, isa::SimtModel simt);
/// Runs it on the timing model in one process; `options` are configuration keys, "sm.schedulers=1".
std::vector<std::uint32_t> simulate(const Program& program, isa::SimtModel simt,
                                    const std::vector<std::string>& options = {});

/// Runs it on the timing model over the ranks of `world`, all of which call it; checks that the result is `expected`.
void check_on_ranks(Transport& world, const Program& program, isa::SimtModel simt,
                    const std::vector<std::uint32_t>& expected);

struct Ending {
    ExitCode code = ExitCode::done;
    std::string message;
};
/// Runs it on the timing model; a program with a result other than `expected` counts as misbehaving.
Ending ending_of_simulation(const Program& program, isa::SimtModel simt, const std::vector<std::string>& options,
                            const std::vector<std::uint32_t>& expected);
Ending ending_of_emulation(const Program& program, isa::SimtModel simt);
Ending ending_of_simulation(const Program& program, isa::SimtModel simt, const std::vector<std::string>& options = {});
/// Checks that the program misbehaved and that the message has all of the words.
void check_mentions(const Ending& ending, std::initializer_list<std::string_view> words);

inline constexpr isa::SimtModel kModels[] = {isa::SimtModel::stack, isa::SimtModel::convergence_barrier};

/// Runs the program on the emulator and the timing model under this SIMT model and checks its result.
void expect(const Program& program, isa::SimtModel simt, const std::vector<std::uint32_t>& expected);
/// The same under both SIMT models.
void expect_everywhere(const Program& program, const std::vector<std::uint32_t>& expected);
/// The same for programs that need convergence barriers.
void expect_with_convergence_barriers(const Program& program, const std::vector<std::uint32_t>& expected);

}  // namespace lookahead::test
