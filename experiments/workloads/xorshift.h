#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lookahead {

/// Marsaglia's 32-bit xorshift with shifts 13, 17, 5: the generator of all workloads' inputs. The seed must not be 0.
class XorShift32 {
  public:
    explicit XorShift32(std::uint32_t seed) : state_(seed) {}

    std::uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_;
    }

    /// A number in [0, 1), a multiple of 2^-24, so exact in single precision.
    float next_float() { return static_cast<float>(next() >> 8) / 16777216.0f; }

    std::vector<std::uint32_t> words(std::size_t count) {
        std::vector<std::uint32_t> values(count);
        fill(std::span(values));
        return values;
    }

    /// `count` of next_float(), each scaled and shifted in single precision.
    std::vector<float> floats(std::size_t count, float low = 0.0f, float high = 1.0f) {
        std::vector<float> values(count);
        fill(std::span(values));
        for (float& value : values) { value = low + (high - low) * value; }
        return values;
    }

    /// Fills with next() or next_float(), several parts of a long array at once, because each number waits for the one
    /// before.
    void fill(std::span<std::uint32_t> values);
    void fill(std::span<float> values);

  private:
    template <auto next, class T>
    void fill_in_parts(std::span<T> values);

    std::uint32_t state_;
};

}  // namespace lookahead
