#pragma once

#include <cstdint>
#include <utility>

#include "components/isa/address_space.h"
#include "components/sm/context_states.h"

namespace lookahead::gpu {

/// Which lines of the launch's constant bank, where its parameters stand, the SM's constant cache holds. One bit a line
/// of kBytes; the cache (GPGPU-Sim's GTX480 configuration: 64 sets of two) holds them all, so that only the first use
/// of each misses. Values are the launch's: what the reply brings is not looked at.
class ConstantLines {
  public:
    /// GPGPU-Sim's GTX480 configuration.
    static constexpr unsigned kBytes = 64;
    static constexpr unsigned kWords = kBytes / 4;
    static constexpr unsigned kLines = 64;

    explicit ConstantLines(bool enabled) : enabled_(enabled), resident_(~std::uint64_t{0}) {}

    void begin_kernel() {
        resident_ = enabled_ ? 0 : ~std::uint64_t{0};
        asked_ = 0;
        wanted_ = 0;
        waiting_ = 0;
    }

    bool hold(std::uint64_t lines) const { return (lines & ~resident_) == 0; }
    /// The context waits for lines that are not held.
    void want(std::uint64_t lines, unsigned context) {
        wanted_ |= lines & ~resident_ & ~asked_;
        waiting_ |= context_bit(context);
    }
    /// Lines to be asked for.
    std::uint64_t wanted() const { return wanted_; }
    void asked(unsigned line) {
        wanted_ &= ~(std::uint64_t{1} << line);
        asked_ |= std::uint64_t{1} << line;
    }
    /// A line has come. Returns the contexts that waited, for this one or another.
    ContextMask came(unsigned line) {
        resident_ |= std::uint64_t{1} << line;
        return std::exchange(waiting_, {});
    }

    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        archive& resident_& asked_& wanted_& waiting_;
    }
    template <class Hasher>
    void hash(Hasher& hasher) const {
        for (const std::uint64_t mask : {resident_, asked_, wanted_}) {
            hasher.add(mask);
        }
        waiting_.hash(hasher);
    }

  private:
    bool enabled_;
    std::uint64_t resident_;
    std::uint64_t asked_ = 0;
    std::uint64_t wanted_ = 0;
    ContextMask waiting_ = 0;
};

}  // namespace lookahead::gpu
