#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/code/options.h"
#include "components/isa/dim3.h"
#include "components/isa/kernel.h"

namespace lookahead::dac::test {

/// A kernel before and after the pass, and the results of running both.
struct Outcome {
    isa::Kernel original;
    isa::Kernel decoupled;
    std::uint64_t compared = 0;   ///< accesses and predicates of warps compared with the original's
    std::size_t most_tuples = 0;  ///< of an operand
    std::uint64_t reports = 0;    ///< by warps

    /// Printed instructions of the kernel's own stream and of the affine one.
    std::vector<std::string> own() const;
    std::vector<std::string> affine() const;
    /// The pass's tags, without "dac.", for the only instruction of the kernel's own stream with `text` in it.
    std::string says(std::string_view text) const;
    bool enqueues(std::string_view text) const;
};

/// The transform `name`, with keys set as by `-o`: "dac.reports=true".
finaliser::FinaliserOptions with(const std::string& name, finaliser::FinaliserOptions options = {},
                                 const std::vector<std::string>& keys = {});

inline constexpr std::uint32_t kWords = 1 << 16;  ///< in a kernel's buffer

/// The words of the buffer after a kernel. `parameters` stand behind the address of the buffer, whose words first count
/// up from 1.
std::vector<std::uint32_t> buffer_after(Device& device, const isa::Kernel& kernel,
                                        const LaunchConfiguration& configuration,
                                        const std::vector<std::uint32_t>& parameters);
/// The same on the emulator.
std::vector<std::uint32_t> buffer_after(const isa::Kernel& kernel, const LaunchConfiguration& configuration,
                                        const std::vector<std::uint32_t>& parameters, EmulatorOptions options = {});

/// Runs the first kernel of the PTX text before and after the pass, as buffer_after. Requires that every entry equals
/// the original's value, and that both leave the same bytes.
Outcome run(const std::string& ptx, isa::Dim3 grid, isa::Dim3 block, const std::vector<std::uint32_t>& parameters,
            const finaliser::FinaliserOptions& options = {}, const std::vector<std::string>& keys = {});

/// `body` inside the kernel k(u64 out, u32 a, u32 b) with the names of finaliser::test::module_of; also %gid, the
/// thread's number, %in = out + 128 KiB, and %mine = out + 16 * gid.
std::string kernel_text(const std::string& body);

}  // namespace lookahead::dac::test
