#include "experiments/workloads/xorshift.h"

#include <algorithm>

namespace lookahead {

namespace {

/// A linear map of 32-bit words: the images of the single bits.
using LinearMap = std::array<std::uint32_t, 32>;

std::uint32_t apply(const LinearMap& map, std::uint32_t word) {
    std::uint32_t image = 0;
    for (std::size_t bit = 0; bit < map.size(); ++bit) { image ^= (word >> bit & 1) != 0 ? map[bit] : 0; }
    return image;
}

/// `steps` steps of the generator, which is linear, in one map.
LinearMap map_of_steps(std::size_t steps) {
    LinearMap power;  // of one step, then of two, four ..
    LinearMap result;
    for (std::size_t bit = 0; bit < power.size(); ++bit) {
        result[bit] = std::uint32_t{1} << bit;
        power[bit] = XorShift32(result[bit]).next();
    }
    for (; steps != 0; steps /= 2) {
        const LinearMap before = power;
        for (std::size_t bit = 0; bit < power.size(); ++bit) {
            result[bit] = (steps & 1) != 0 ? apply(before, result[bit]) : result[bit];
            power[bit] = apply(before, before[bit]);
        }
    }
    return result;
}

}  // namespace

template <auto next, class T>
void XorShift32::fill_in_parts(std::span<T> values) {
    constexpr std::size_t kParts = 8;
    constexpr std::size_t kWorthwhile = 1 << 14;  // below this the maps take longer than the numbers
    if (values.size() < kWorthwhile) {
        for (T& value : values) { value = (this->*next)(); }
        return;
    }
    const std::size_t length = values.size() / kParts;
    const LinearMap map = map_of_steps(length);
    std::array<std::uint32_t, kParts> states;
    for (std::uint32_t& state : states) {
        state = state_;
        state_ = apply(map, state_);
    }
    constexpr std::size_t kBlock = 16;
    std::array<std::array<T, kParts>, kBlock> block;
    for (std::size_t begin = 0; begin < length; begin += kBlock) {
        const std::size_t count = std::min(kBlock, length - begin);
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t part = 0; part < kParts; ++part) {
                XorShift32 random(states[part]);
                block[i][part] = (random.*next)();
                states[part] = random.state_;
            }
        }
        for (std::size_t part = 0; part < kParts; ++part) {
            for (std::size_t i = 0; i < count; ++i) { values[part * length + begin + i] = block[i][part]; }
        }
    }
    for (T& value : values.subspan(kParts * length)) { value = (this->*next)(); }
}

void XorShift32::fill(std::span<std::uint32_t> values) {
    fill_in_parts<&XorShift32::next>(values);
}

void XorShift32::fill(std::span<float> values) {
    fill_in_parts<&XorShift32::next_float>(values);
}

}  // namespace lookahead
