#pragma once

#include "components/emulator/emulated_device.h"
#include "tests/components/sm/sm_harness.h"
#include "tests/support/execution_trace/trace_checker.h"

namespace lookahead::test {

/// A launch on the functional emulator, with the initial global memory of an SmHarness.
class EmulatedRun {
  public:
    EmulatedRun(const isa::Kernel& kernel, const TestLaunch& launch, const FakeLoadStoreUnit& memory,
                isa::SimtModel simt)
        : words_(FakeLoadStoreUnit::kGlobalBytes / 4) {
        EmulatorOptions options{.instructions = &traces_, .simt = simt};
        isa::KernelTable kernels{kernel};
        kernels.image = constant_image();
        EmulatedDevice device(kernels, options);
        const DeviceAddress base = device.allocate(FakeLoadStoreUnit::kGlobalBytes);
        LOOKAHEAD_ASSERT(base == isa::kGlobalBase, "the emulator's memory begins where the harness's does");
        for (std::size_t i = 0; i < words_.size(); ++i) { words_[i] = memory.global_word(4 * i); }
        device.copy_to_device(base, std::as_bytes(std::span(words_)));
        LaunchConfiguration configuration{.grid = launch.grid, .block = launch.block};
        device.launch(kernel.name, configuration, std::as_bytes(std::span(launch.parameters)));
        device.copy_from_device(std::as_writable_bytes(std::span(words_)), base);
    }

    /// Launches the same on the harness's SM, whose issue extension must be a TracedExtension, and runs it to its end.
    /// Returns the differences: steps of warps, and words of memory at the end.
    std::vector<std::string> differences_of(SmHarness& harness, const TestLaunch& launch) const {
        TraceChecker checker(traces_);
        harness.run_to_end(launch);
        std::vector<std::string> differences = checker.finish();
        for (std::size_t i = 0; i < words_.size() && differences.size() < 8; ++i) {
            if (harness.memory().global_word(4 * i) != words_[i]) {
                differences.push_back("word " + std::to_string(i) + " of memory is " +
                                      std::to_string(harness.memory().global_word(4 * i)) + ", the emulator's " +
                                      std::to_string(words_[i]));
            }
        }
        return differences;
    }

  private:
    EmulatedTraces traces_;
    std::vector<std::uint32_t> words_;
};

}  // namespace lookahead::test
