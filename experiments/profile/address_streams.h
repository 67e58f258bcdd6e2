#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "components/emulator/instruction_observer.h"
#include "components/isa/kernel.h"
#include "experiments/profile/instruction_roles.h"

namespace lookahead::profile {

/// The static analysis of a kernel's own code, by instruction.
struct KernelAnalysis {
    explicit KernelAnalysis(const isa::Kernel& kernel);

    std::vector<std::uint32_t> loop_of;  ///< innermost loop, or kNoLoop
    std::vector<Role> roles;
    std::vector<std::vector<std::uint32_t>> address_loads;  ///< see address_sources.h
};

/// Statistics of the addresses of one instruction in an innermost loop, over all threads. A thread's path through the
/// loop, from entry to exit, is a visit; a step is from one access of a visit to the next.
struct StreamStatistics {
    std::uint64_t accesses = 0;         ///< by threads
    std::uint64_t shared_accesses = 0;  ///< of them, to shared memory
    std::uint64_t steps = 0;
    std::map<std::int64_t, std::uint64_t> strides;  ///< steps by stride, bytes; the first kMostStrides that appear
    std::uint64_t broken_steps = 0;                 ///< of another stride than the visit's first
    std::uint64_t distance = 0;                     ///< of all steps, in instructions of the warp
    bool moves = false;                             ///< some step has a stride other than 0

    /// Addresses without a pattern have as many strides as steps.
    static constexpr std::size_t kMostStrides = 256;
    void count_steps(std::int64_t stride, std::uint64_t times);
};

/// Watches the memory instructions of innermost loops on the functional emulator: EmulatorOptions::instructions.
class AddressStreams final : public InstructionObserver {
  public:
    explicit AddressStreams(std::span<const isa::Kernel> kernels);

    const KernelAnalysis& analysis(std::size_t kernel) const { return watched_[kernel].analysis; }
    /// By instruction of the kernel's own code; empty for instructions that are not watched.
    const StreamStatistics& statistics(std::size_t kernel, std::uint32_t instruction) const;

    void begin_launch(std::uint64_t number) override;
    void executing(const ExecutionPlace& place, isa::LaneMask active, const std::uint32_t* registers,
                   const isa::LaneMask* predicates) override;

  private:
    static constexpr std::uint32_t kUnwatched = UINT32_MAX;
    struct Kernel {
        KernelAnalysis analysis;
        std::vector<std::uint32_t> stream_of;  ///< instruction -> index in statistics, or kUnwatched
        std::vector<StreamStatistics> statistics;
    };
    /// The last access of a thread by one instruction.
    struct Stream {
        std::uint64_t address = 0;
        std::uint64_t time = 0;
        std::int64_t stride = 0;
        std::uint32_t visit = 0;
        bool has_stride = false;
    };
    struct Warp {
        std::uint64_t time = 0;  ///< instructions so far
        isa::LaneMask living = 0;
        std::array<std::uint32_t, isa::kWarpSize> loop{};   ///< of the lane's last instruction
        std::array<std::uint32_t, isa::kWarpSize> visit{};  ///< counts; 0 is none
        std::vector<Stream> streams;                        ///< [stream][lane]
    };
    struct Cta {
        std::vector<Warp> warps;
        std::uint32_t living_warps = 0;
    };

    Kernel& watched(const isa::Kernel& kernel);
    Cta& cta_at(const ExecutionPlace& place, const Kernel& kernel);
    void enter(Warp& warp, isa::LaneMask active, std::uint32_t loop);
    void access(Warp& warp, Kernel& kernel, const ExecutionPlace& place, isa::LaneMask active,
                const std::uint32_t* registers);
    void leave(Cta& cta, Warp& warp, isa::LaneMask active);

    std::vector<Kernel> watched_;
    std::unordered_map<std::string, std::size_t> number_of_;
    std::unordered_map<std::uint64_t, Cta> ctas_;  ///< those under way, by their number in three dimensions
    // The key of the last instruction: the next is mostly of the same kernel and CTA.
    const isa::Kernel* last_kernel_ = nullptr;
    Kernel* last_watched_ = nullptr;
    std::uint64_t last_number_ = 0;
    Cta* last_cta_ = nullptr;
};

}  // namespace lookahead::profile
