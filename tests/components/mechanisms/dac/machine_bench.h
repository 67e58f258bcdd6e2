#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/isa/dim3.h"
#include "components/isa/kernel.h"
#include "components/mechanisms/cae/cae.h"
#include "components/mechanisms/dac/dac_counters.h"
#include "core/time/time.h"

namespace lookahead::dac::test {

struct MachineRun {
    std::vector<std::uint32_t> words;  ///< in its buffer at the end
    std::string fault;                 ///< empty: it ran to its end
    DacCounters dac;                   ///< zeros without the extension
    cae::CaeCounters cae;              ///< zeros without the extension
    std::uint64_t warp_instructions = 0;
    std::uint64_t slot_held = 0;  ///< summed over the schedulers
    std::uint64_t state_hash = 0;
    Cycle cycles = 0;
};

/// Runs the first kernel of the PTX text with `extension` as sm.issue_extension, `transform` as kernel.transform, and
/// dac.check or cae.check; `options` are further keys. Buffer and parameters are those of dac::test::run
/// (tests/functional/dac/bench.h).
MachineRun run_on_machine(const std::string& ptx, isa::Dim3 grid, isa::Dim3 block,
                          const std::vector<std::uint32_t>& parameters, const std::vector<std::string>& options,
                          const std::string& extension = "dac", const std::string& transform = "dac");

/// The same, and checks that the kernel runs to its end and leaves the right words.
MachineRun run_rightly(const std::string& ptx, isa::Dim3 grid, isa::Dim3 block,
                       const std::vector<std::uint32_t>& parameters, const std::vector<std::string>& options,
                       const std::string& extension = "dac", const std::string& transform = "dac");

inline const std::vector<std::uint32_t> kParameters{40, 7};
/// The same for the kernel around `body`, with these parameters.
MachineRun good(const std::string& body, isa::Dim3 grid, isa::Dim3 block, const std::vector<std::string>& options = {});
/// The same for the random kernel with that seed.
MachineRun run_random_kernel(std::uint64_t seed, const std::vector<std::string>& options,
                             const std::string& extension = "dac", const std::string& transform = "dac");

/// The words that the emulator gives for the kernel without a transform.
std::vector<std::uint32_t> right_words(const std::string& ptx, isa::Dim3 grid, isa::Dim3 block,
                                       const std::vector<std::uint32_t>& parameters);

}  // namespace lookahead::dac::test
