#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "components/device/device.h"
#include "components/frontend/cudart/fat_binary.h"
#include "core/component/slot.h"

namespace lookahead {

/// The size of a run: tiny for tests, small and medium for studies (1-3 million and at most tens of millions of warp
/// instructions), large for scaling.
enum class Size { tiny, small, medium, large };

/// "tiny", "small", "medium", "large"; anything else is a ConfigurationError.
Size parse_size(std::string_view name);

struct WorkloadContext {
    Size size = Size::small;
    std::uint32_t seed = 1;  ///< of the inputs; not 0
};

enum class Outputs { match, mismatch, unchecked };

constexpr const char* name_of(Outputs outputs) {
    constexpr const char* kNames[] = {"match", "mismatch", "unchecked"};
    return kNames[static_cast<std::size_t>(outputs)];
}

/// The result of comparing a workload's outputs with its CPU reference.
struct CheckReport {
    Outputs outputs = Outputs::match;
    std::string message;  ///< the first difference, or the compared outputs
};

/// A module of code for the GPU.
struct ProgramCode {
    std::string_view text;
    std::string_view file;                         ///< for messages
    std::string_view language = "ptx";             ///< LOOKAHEAD_REGISTER_LANGUAGE
    std::span<const cudart::CubinImage> cubins{};  ///< native code that the program has with its PTX
    std::string_view period_text{};                ///< PTX as compilers made it at the papers' time; empty: none
    std::string_view period_file{};
};

/// Slot "workload": a program for the GPU with its host side. Contract: `run` depends only on the context, the
/// parameters and the device's results (no clock, no global); it may be run again from the start. `check` is called
/// after a complete `run`.
class Workload {
  public:
    static constexpr SlotDeclaration kSlot{"workload", "",
                                           "A GPU program with its inputs, host side and CPU reference."};
    using Arguments = std::tuple<const WorkloadContext&>;

    virtual ~Workload() = default;
    /// The module with the workload's kernels; valid as long as the workload.
    virtual ProgramCode code() const = 0;
    /// Threads of the largest CTA that `run` launches of a kernel; 0: unknown before the run. The kernel gets no more
    /// registers than leave room for such a CTA, as with .maxntid.
    virtual std::uint32_t most_threads(std::string_view) const { return 0; }
    /// Kernel launches of `run`; 0: unknown before the run.
    virtual std::uint64_t launches() const { return 0; }
    /// The host program: makes inputs, launches kernels, reads outputs back.
    virtual void run(Device& device) = 0;
    virtual CheckReport check() const = 0;
};

inline constexpr std::string_view kInputHelp =
    "Where inputs come from: `seeded` draws them from --seed; `peer` makes exactly those of the published comparison "
    "with GPGPU-Sim (sizes small and medium).";

/// The seed for random inputs: the context's, or the peers'. ConfigurationError for peer inputs at sizes other than
/// small and medium.
std::uint32_t input_seed(std::string_view workload, std::string_view input, const WorkloadContext& context);

}  // namespace lookahead
