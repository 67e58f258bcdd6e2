#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "components/device/device.h"
#include "components/frontend/finaliser/code/options.h"
#include "components/isa/kernel.h"

/// One vector memory instruction, executed by a CTA of one warp on words of global or shared memory.
namespace lookahead::test {

struct VectorAccess {
    bool loads = true;
    bool strided = true;
    unsigned length = 4;
    bool shared = false;
    /// The loaded words go to the registers of the indices, or of the stride and the address.
    bool aliased = false;

    std::string name() const;  ///< "ld.stride.global.v4"
};

/// Every instruction, length and space.
std::vector<VectorAccess> all_vector_accesses();

inline constexpr unsigned kLanes = 32;
/// Number of words of the accessed memory.
inline constexpr std::uint32_t kMemoryWords = 2048;
inline constexpr std::uint32_t kUntouched = 0xabadcafe;

/// A lane's inputs and results.
struct Lane {
    std::uint32_t active = 1;
    std::int32_t byte = 0;  ///< the address, from the memory's beginning
    std::int32_t stride = 0;
    std::array<std::int32_t, 16> indices{};
    std::array<std::uint32_t, 16> data{};  ///< stored or loaded; kUntouched if nothing was loaded
};
struct VectorRun {
    std::vector<Lane> lanes = std::vector<Lane>(kLanes);
    std::vector<std::uint32_t> memory = std::vector<std::uint32_t>(kMemoryWords);
};

std::string kernel_text(const VectorAccess& access);
isa::KernelTable finalised(const VectorAccess& access, const finaliser::FinaliserOptions& options = {});

/// Runs kernel_text's kernel with the inputs of `run`. Passes on the device's exceptions.
VectorRun execute(Device& device, const VectorAccess& access, const VectorRun& run);
/// The access's result, computed in C++: element by element, each lane by lane.
VectorRun expected(const VectorAccess& access, const VectorRun& run);

void check_equal(const VectorRun& found, const VectorRun& wanted);

}  // namespace lookahead::test
