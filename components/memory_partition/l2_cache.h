#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "components/cache/set_index.h"
#include "components/protocols/memory.h"

namespace lookahead {
class StateArchive;
}

namespace lookahead::gpu {

/// Tags, replacement (least recently used) and bytes of a slice's lines. A line is named by its local address in the
/// channel and, once found, by its index. Each byte of a line is valid or not, and dirty or not: a line that was
/// written without being fetched holds only the written bytes.
class L2Cache {
  public:
    static constexpr std::uint32_t kNoLine = kNoWay;
    static constexpr std::uint16_t kNoMshr = 0xffff;

    /// `sets` is a power of two.
    L2Cache(unsigned sets, unsigned ways);

    /// The line with that local address in the set, or kNoLine.
    std::uint32_t find(unsigned set, std::uint64_t local) const {
        return find_way(tags_.data(), set * ways_, ways_, local);
    }
    /// The line to be replaced: one without contents, else the least recently used one that awaits no fill, else
    /// kNoLine.
    std::uint32_t victim(unsigned set) const;
    /// The same in the set of a line.
    std::uint32_t victim_beside(std::uint32_t line) const { return victim(line / ways_); }
    unsigned set_of(std::uint64_t address_in_slice) const {
        return static_cast<unsigned>(address_in_slice / kLineBytes) & (sets_ - 1);
    }

    std::size_t size() const { return tags_.size(); }
    bool occupied(std::uint32_t line) const { return tags_[line] != kFree; }
    std::uint64_t local_address(std::uint32_t line) const { return tags_[line]; }
    /// Gives the line to another local address, with no byte valid or dirty.
    void install(std::uint32_t line, std::uint64_t local);
    void touch(std::uint32_t line) { used_[line] = ++clock_ + lines_over_copies_; }

    /// Call it first if there will be copies (copy_of). A line then takes the place of a copy in its set, if there is
    /// one, rather than that of another line.
    void expect_copies() { lines_over_copies_ = kAwaited / 4; }
    /// The place in the line's set that stands for its copy in the other half of L2 (FarCopies), or kNoLine. A copy has
    /// no bytes of its own.
    std::uint32_t copy_of(std::uint32_t line) const {
        return find_way(tags_.data(), line / ways_ * ways_, ways_, tags_[line] | kCopy);
    }
    void install_copy(std::uint32_t place, std::uint32_t line) {
        install(place, tags_[line] | kCopy);
        touch_copy(place);
    }
    void touch_copy(std::uint32_t copy) { used_[copy] = ++clock_; }
    void drop_copy(std::uint32_t line) {
        if (const std::uint32_t copy = copy_of(line); copy != kNoLine) {
            tags_[copy] = kFree;
            used_[copy] = 0;
        }
    }

    bool pending(std::uint32_t line) const { return mshr_[line] != kNoMshr; }
    std::uint16_t mshr(std::uint32_t line) const { return mshr_[line]; }
    /// Marks the line as awaiting a fill: it is not replaced until fill_done.
    void await_fill(std::uint32_t line, std::uint16_t mshr) {
        mshr_[line] = mshr;
        used_[line] = kAwaited;
    }
    /// Call it when the fill's requests have been performed: marks the line as just used.
    void fill_done(std::uint32_t line) {
        mshr_[line] = kNoMshr;
        touch(line);
    }

    ByteMask& valid(std::uint32_t line) { return states_[line].valid; }
    const ByteMask& valid(std::uint32_t line) const { return states_[line].valid; }
    ByteMask& dirty(std::uint32_t line) { return states_[line].dirty; }
    const ByteMask& dirty(std::uint32_t line) const { return states_[line].dirty; }
    std::uint64_t dirty_bytes() const;
    std::byte* data(std::uint32_t line) { return data_.get() + std::size_t{line} * kLineBytes; }
    const std::byte* data(std::uint32_t line) const { return data_.get() + std::size_t{line} * kLineBytes; }

    void fields(StateArchive& archive);

  private:
    static constexpr std::uint64_t kFree = ~std::uint64_t{0};
    static constexpr std::uint64_t kCopy = 1;  ///< in the tag of a copy; addresses of lines have it clear
    static constexpr std::uint64_t kAwaited = ~std::uint64_t{0};
    struct State {
        ByteMask valid;
        ByteMask dirty;
    };

    unsigned sets_;
    unsigned ways_;
    std::uint64_t clock_ = 0;
    std::uint64_t lines_over_copies_ = 0;  ///< added to the times of lines' uses, so that copies are replaced first
    std::vector<std::uint64_t> tags_;
    std::vector<std::uint64_t> used_;
    std::vector<std::uint16_t> mshr_;
    std::vector<State> states_;
    std::unique_ptr<std::byte[]> data_;
};

}  // namespace lookahead::gpu
