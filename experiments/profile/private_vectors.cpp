#include "experiments/profile/private_vectors.h"

#include <bit>
#include <numeric>

#include "components/mechanisms/avc/affine_vector.h"

namespace lookahead::profile {
namespace {

using isa::kWarpSize;
using isa::LaneMask;

/// Whether the values have a base and one stride, modulo 2^32. The stride is the difference of the first two active
/// lanes' values divided by their distance.
bool has_one_stride(const std::uint32_t* values, LaneMask lanes) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const LaneMask others = lanes & (lanes - 1);
    if (others == 0) { return true; }
    const auto distance = static_cast<std::int64_t>(std::countr_zero(others)) - first;
    const auto difference = static_cast<std::int32_t>(values[first + distance] - values[first]);
    if (difference % distance != 0) { return false; }
    const auto stride = static_cast<std::uint32_t>(difference / distance);
    for (LaneMask left = others; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        if (values[lane] != values[first] + (lane - first) * stride) { return false; }
    }
    return true;
}

bool has_hole(LaneMask lanes) {
    const LaneMask aligned = lanes >> std::countr_zero(lanes);
    return (aligned & (aligned + 1)) != 0;
}

bool has_pair(LaneMask lanes) {
    return (lanes & lanes >> 1 & 0x5555'5555u) != 0;
}

bool encodes_by_halves(const std::uint32_t* values, LaneMask lanes) {
    constexpr unsigned kHalf = kWarpSize / 2;
    const LaneMask lower = lanes & 0xffff;
    const LaneMask upper = lanes >> kHalf;
    return (lower == 0 || gpu::encode(values, lower, kHalf)) &&
           (upper == 0 || gpu::encode(values + kHalf, upper, kHalf));
}

}  // namespace

std::string_view name_of(VectorClass value) {
    static constexpr std::array<std::string_view, kVectorClasses> kNames{"zero", "uniform", "affine", "generic"};
    return kNames[static_cast<std::size_t>(value)];
}

VectorVerdict judge_vector(const std::uint32_t* values, LaneMask lanes) {
    VectorVerdict verdict;
    const auto encoded = gpu::encode(values, lanes, kWarpSize);
    const bool one_stride = encoded.has_value() || has_one_stride(values, lanes);
    verdict.sparse = one_stride && has_hole(lanes);
    if (encoded) {
        const bool uniform = encoded->stride == gpu::AffineVector::kUniform;
        verdict.value = !uniform ? VectorClass::affine : encoded->base == 0 ? VectorClass::zero : VectorClass::uniform;
    } else {
        verdict.reason = !one_stride ? Unencoded::no : has_pair(lanes) ? Unencoded::stride : Unencoded::mask;
        verdict.halves = encodes_by_halves(values, lanes);
    }
    return verdict;
}

std::uint64_t PrivateTraffic::transactions() const {
    return std::accumulate(loads.begin(), loads.end(), std::uint64_t{0}) +
           std::accumulate(stores.begin(), stores.end(), std::uint64_t{0});
}

PrivateVectors::PrivateVectors(std::span<const isa::Kernel> kernels) : traffic_(kernels.size()) {
    for (const isa::Kernel& kernel : kernels) { number_of_.emplace(kernel.name, number_of_.size()); }
}

void PrivateVectors::private_access(const ExecutionPlace& place, LaneMask lanes, Kind kind,
                                    const std::uint64_t* offsets, const std::uint32_t* values, unsigned bytes) {
    PrivateTraffic& traffic = traffic_of(place.kernel);
    auto& by_class = kind == Kind::read ? traffic.loads : traffic.stores;
    const auto word_of = [&](unsigned lane) { return offsets[lane] / 4; };
    LaneMask same = 0;
    for (LaneMask left = lanes; left != 0; left &= ~same) {
        const auto first = static_cast<unsigned>(std::countr_zero(left));
        same = 0;
        isa::for_each_lane(left, [&](unsigned lane) { same |= LaneMask{word_of(lane) == word_of(first)} << lane; });
        if (same != lanes || bytes < 4) {
            ++(same != lanes ? traffic.divergent : traffic.parts);
            ++by_class[static_cast<std::size_t>(VectorClass::generic)];
            continue;
        }
        const VectorVerdict verdict = judge_vector(values, lanes);
        ++by_class[static_cast<std::size_t>(verdict.value)];
        traffic.other_strides += verdict.reason == Unencoded::stride;
        traffic.missed_masks += verdict.reason == Unencoded::mask;
        traffic.sparse += verdict.sparse;
        traffic.halves += verdict.halves;
    }
}

}  // namespace lookahead::profile
