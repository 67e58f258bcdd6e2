#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/time/time.h"

namespace lookahead {

/// Sources of messages, distinguished by how soon they reach other LPs: the events and messages of each kind of LP
/// (LpDescription::kind) and, for all kinds together, messages that are answered only (Model::answer_only). So an
/// LP that sends to all LPs at once but seldom does not bound LPs that send often over long channels.
inline constexpr std::size_t kMostKinds = 7;  ///< if a model has more kinds, the further ones count as the last
inline constexpr std::size_t kAnswers = kMostKinds;
inline constexpr std::size_t kSourceCount = kMostKinds + 1;

/// A time for each source, or for each kind of LP.
using SourceTimes = std::array<Time, kSourceCount>;
using KindTimes = std::array<Time, kMostKinds>;

template <std::size_t kCount>
constexpr std::array<Time, kCount> all_at(Time time) {
    std::array<Time, kCount> times{};
    times.fill(time);
    return times;
}

template <std::size_t kCount>
void lower_each(std::array<Time, kCount>& times, const std::array<Time, kCount>& others) {
    for (std::size_t i = 0; i < kCount; ++i) { times[i] = std::min(times[i], others[i]); }
}

inline Time least_of(const SourceTimes& times) {
    return *std::min_element(times.begin(), times.end());
}

}  // namespace lookahead
