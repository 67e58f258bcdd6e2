#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "components/emulator/access_observer.h"
#include "components/isa/kernel.h"

namespace lookahead::profile {

/// The class of a vector that a warp loads from private memory or stores there: all its active lanes access one of
/// their words, under the activity mask (Collange and Kouyoumdjian, 2011, sections 2.3 and 3.2). `affine`: the paper's
/// encoding unit can encode it, with power-of-two strides up to 64 and bases that are multiples of them.
enum class VectorClass : std::uint8_t { zero, uniform, affine, generic, count };
inline constexpr std::size_t kVectorClasses = static_cast<std::size_t>(VectorClass::count);
std::string_view name_of(VectorClass value);

/// Why a vector with one base and one stride is nevertheless generic.
enum class Unencoded : std::uint8_t {
    no,
    stride,  ///< not a power of two, negative or above 64, or the base is not a multiple of it
    mask,    ///< sparse: no two neighbouring lanes 2i and 2i + 1 are active, so that the stride is not seen
};

struct VectorVerdict {
    VectorClass value = VectorClass::generic;
    Unencoded reason = Unencoded::no;
    bool sparse = false;  ///< affine, also unencoded, of more than one lane with a hole in the mask
    bool halves = false;  ///< generic, and each half warp is zero, uniform or affine
};
/// Classifies `values` of 32 lanes; only the lanes of the mask count, which must not be 0.
VectorVerdict judge_vector(const std::uint32_t* values, isa::LaneMask lanes);

/// One kernel's transactions, each on the word of one private address. A warp whose lanes access several words makes
/// one for each (section 2.2); these, and transactions of parts of words, count as generic, as in the affine vector
/// cache. Only executed accesses count: values left in a frame when its thread ends are no traffic.
struct PrivateTraffic {
    std::array<std::uint64_t, kVectorClasses> loads{};
    std::array<std::uint64_t, kVectorClasses> stores{};
    std::uint64_t divergent = 0;      ///< of lanes at different addresses
    std::uint64_t parts = 0;          ///< of less than a word a lane
    std::uint64_t other_strides = 0;  ///< Unencoded::stride
    std::uint64_t missed_masks = 0;   ///< Unencoded::mask
    std::uint64_t sparse = 0;         ///< VectorVerdict::sparse
    std::uint64_t halves = 0;         ///< VectorVerdict::halves

    std::uint64_t of(VectorClass value) const {
        return loads[static_cast<std::size_t>(value)] + stores[static_cast<std::size_t>(value)];
    }
    std::uint64_t transactions() const;
};

/// Watches private memory on the functional emulator: EmulatorOptions::observer.
class PrivateVectors final : public AccessObserver {
  public:
    explicit PrivateVectors(std::span<const isa::Kernel> kernels);

    const PrivateTraffic& traffic(std::size_t kernel) const { return traffic_[kernel]; }

    void begin_launch(std::uint64_t) override {}
    void access(const ExecutionPlace&, unsigned, Kind, std::uint64_t, unsigned) override {}
    void private_access(const ExecutionPlace& place, isa::LaneMask lanes, Kind kind, const std::uint64_t* offsets,
                        const std::uint32_t* values, unsigned bytes) override;

  private:
    PrivateTraffic& traffic_of(const isa::Kernel& kernel) { return traffic_[number_of_.at(kernel.name)]; }

    std::map<std::string, std::size_t, std::less<>> number_of_;
    std::vector<PrivateTraffic> traffic_;
};

}  // namespace lookahead::profile
