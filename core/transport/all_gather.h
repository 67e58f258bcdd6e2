#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/transport/transport.h"

namespace lookahead {

/// Returns each rank's value, on all ranks.
template <class T>
std::vector<T> all_gather(Transport& transport, const T& mine) {
    static_assert(sizeof(T) % 8 == 0 && std::is_trivially_copyable_v<T>);
    std::array<std::uint64_t, sizeof(T) / 8> words;
    std::memcpy(words.data(), &mine, sizeof mine);
    std::vector<T> values(static_cast<std::size_t>(transport.size()));
    std::vector<std::uint64_t> all(words.size() * values.size());
    transport.all_gather(words, all);
    std::memcpy(static_cast<void*>(values.data()), all.data(), all.size() * 8);
    return values;
}

}  // namespace lookahead
