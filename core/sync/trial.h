#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace lookahead {

/// Chooses between two ways of doing the same work by what they took on this host: of each, for windows of about the same
/// size, the mean over the last few is kept, and the quicker one is chosen. The other one is tried again now and then, more
/// and more seldom while it stays the slower one.
class Trial {
  public:
    /// Whether to go the second way next. `size`: of the work, in any unit; only its magnitude counts.
    bool choose(std::uint64_t size) {
        Class& of = classes_[static_cast<std::size_t>(std::bit_width(size))];
        current_ = &of;
        second_ = of.quicker();
        if (of.ways[!second_].tries == 0 ? of.ways[second_].tries > 0 : ++of.since_trial >= of.pause) {
            of.since_trial = 0;
            second_ = !second_;
        }
        return second_;
    }

    /// What the work that was chosen for took, for each unit of it.
    void took(double time) {
        const bool quicker = current_->quicker();
        Way& way = current_->ways[second_];
        way.mean = way.tries == 0 ? time : way.mean + (time - way.mean) / kMemory;
        ++way.tries;
        if (current_->quicker() != quicker) {
            current_->pause = kLeastPause;
        } else if (second_ != quicker && current_->pause < kMostPause) {
            current_->pause *= 2;
        }
    }

  private:
    static constexpr double kMemory = 8;
    static constexpr unsigned kLeastPause = 4;
    static constexpr unsigned kMostPause = 1024;

    struct Way {
        double mean = 0;
        std::uint64_t tries = 0;
    };
    struct Class {
        std::array<Way, 2> ways{};
        unsigned since_trial = 0;
        unsigned pause = kLeastPause;  ///< from one trial of the slower way to the next

        /// The second way, which has been tried and took less.
        bool quicker() const { return ways[1].tries > 0 && ways[1].mean < ways[0].mean; }
    };

    std::array<Class, 65> classes_{};  ///< by magnitude of the size
    Class* current_ = nullptr;
    bool second_ = false;
};

}  // namespace lookahead
