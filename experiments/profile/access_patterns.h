#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "components/emulator/emulated_device.h"
#include "experiments/profile/address_sources.h"
#include "experiments/profile/address_streams.h"
#include "experiments/profile/instruction_roles.h"

namespace lookahead::profile {

/// The pattern of a static load's or store's addresses in a thread (Crago et al., TACO 2018, section 4.1 and figure 4).
enum class Pattern : std::uint8_t { strided, regular_indirect, irregular_indirect, other, count };
inline constexpr std::size_t kPatterns = static_cast<std::size_t>(Pattern::count);
std::string_view name_of(Pattern pattern);

/// Why an access counts as `other`.
enum class Unfit : std::uint8_t { no, outside_loops, once_a_visit, far_apart, stride_varies };
std::string_view sentence_of(Unfit reason);

struct PatternOptions {
    /// The most instructions of the warp between two accesses of a thread, on average; beyond it a pattern "cannot be
    /// realistically exploited". The paper gives no number. 512 instructions of 8 bytes, times the shortest vector of
    /// four, are 16 KB of code for an unrolled loop.
    std::uint64_t farthest = 512;
};

/// The class of an access in an innermost loop. An indirect access is so even if its indices happen to be evenly
/// spaced, because a compiler cannot know; an access is strided only if no step of any visit breaks the visit's stride.
/// A stride of 0 counts as one.
struct Verdict {
    Pattern pattern = Pattern::other;
    Unfit reason = Unfit::no;
};
Verdict judge(const StreamStatistics& statistics, Indirection indirection, const PatternOptions& options);

/// A load or store of global, generic or shared memory.
struct AccessReport {
    std::uint32_t instruction = 0;
    std::uint32_t line = 0;  ///< of the PTX
    bool stores = false;
    bool shared = false;
    Verdict verdict;
    InstructionCount executed;
    std::map<std::int64_t, std::uint64_t> strides;  ///< steps by stride, bytes; strided accesses alone
    std::uint64_t distance = 0;                     ///< mean of a step, instructions of the warp
};

struct KernelReport {
    std::string kernel;
    std::uint64_t launches = 0;
    std::array<std::uint64_t, kRoles> warps_by_role{};
    std::vector<AccessReport> accesses;  ///< in the order of the code, those that were executed
};

/// Sums over the instructions of one launched kernel or several, in warp instructions.
struct PatternSums {
    std::array<std::uint64_t, kRoles> by_role{};
    std::array<std::uint64_t, kPatterns> global{};
    std::array<std::uint64_t, kPatterns> shared{};
    std::map<std::int64_t, std::uint64_t> strides;  ///< steps of threads by stride, bytes

    std::uint64_t instructions() const;
};

/// The kernels that `device` has launched, watched by `streams`, in the table's order.
std::vector<KernelReport> report_patterns(const EmulatedDevice& device, const AddressStreams& streams,
                                          const PatternOptions& options);
PatternSums sum_of(std::span<const KernelReport> kernels);

}  // namespace lookahead::profile
