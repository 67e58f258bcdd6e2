// Every state that an affine vector cache and an L1 of one line each can come to, with two lines of memory of two words
// each: whatever order stores, loads, requests and replies come in, each load gives what was stored last.
#include <doctest/doctest.h>

#include <deque>
#include <unordered_set>

#include "tests/components/mechanisms/avc/private_caches.h"

namespace lookahead::gpu::test {
namespace {

class Saver final : public StateArchive {
  public:
    Saver() : StateArchive(false) {}
    std::string bytes_so_far;

  private:
    void bytes(void* data, std::size_t size) override { bytes_so_far.append(static_cast<const char*>(data), size); }
};
class Loader final : public StateArchive {
  public:
    explicit Loader(const std::string& from) : StateArchive(true), from_(from) {}

  private:
    void bytes(void* data, std::size_t size) override {
        std::memcpy(data, from_.data() + at_, size);
        at_ += size;
    }
    const std::string& from_;
    std::size_t at_ = 0;
};
template <class T>
std::size_t size_of(T object) {
    Saver saver;
    saver& object;
    return saver.bytes_so_far.size();
}

struct Action {
    enum Kind { store, part_store, load, add, send, receive } kind;
    std::uint64_t row = 0;
    WordMask words = 0;
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    bool as_vector = true;
};

/// The caches and what is under way; and an access that has begun and must end before another one may begin.
struct State {
    std::string l1;
    std::string avc;
    std::string rest;
    std::size_t begun = 0;  ///< its action's number from 1; 0: none
    WordMask left = 0;      ///< of a load that was served in part

    std::size_t hash() const {
        std::string all;
        for (const std::string* each : {&l1, &avc, &rest}) {
            all += std::to_string(each->size()) + ' ' + *each;
        }
        all += std::to_string(begun) + ' ' + std::to_string(left);
        return std::hash<std::string>()(all);
    }
};

class Explorer {
  public:
    /// `all`: also accesses that are no vectors, and atomics.
    Explorer(const std::vector<std::string>& overrides, const std::vector<std::uint64_t>& rows, bool all)
        : caches_(overrides) {
        for (const std::uint64_t row : rows) {
            caches_.flat[row] = caches_.memory[row] = {};
            if (row != rows.front()) {  // it drives the first line out, of the AVC and of L1
                actions_.push_back({Action::store, row, 3, 1, 1});
                if (row == rows.front() + 1) {
                    actions_.push_back({Action::store, row, 3, 1, 0});
                }
                actions_.push_back({Action::load, row, 3});
                continue;
            }
            // Words of two values: 00 and 11 are uniform, 01 is affine, 10 is generic.
            for (WordMask words = 1; words < 4; ++words) {
                for (std::uint32_t values = 0; values < 4; ++values) {
                    if ((values & ~words) == 0) {
                        actions_.push_back({Action::store, row, words, values & 1, values >> 1});
                    }
                }
                actions_.push_back({Action::load, row, words});
            }
            if (all) {
                actions_.push_back({Action::store, row, 1, 1, 0, false});  // of lanes at different addresses
                actions_.push_back({Action::load, row, 2, 0, 0, false});
                actions_.push_back({Action::part_store, row, 2, 0, 1, false});
                actions_.push_back({Action::add, row, 2});
            }
        }
        sends_ = actions_.size();
        actions_.push_back({Action::send});
        receives_ = actions_.size();
        actions_.push_back({Action::receive});
        caches_.loads.resize(2);
    }

    /// Visits states, the latest first, until none is left or the limit is reached; throws WrongWord at the first wrong
    /// word.
    void run(std::size_t limit) {
        visit(save(0, 0));
        while (!open_.empty() && seen_.size() < limit) {
            const State state = std::move(open_.back());
            open_.pop_back();
            for (std::size_t action = 0; action < actions_.size(); ++action) {
                const bool moves = action == sends_ || action == receives_;
                if (state.begun == 0 || moves || action + 1 == state.begun) {
                    restore(state);
                    take(state, action, moves);
                }
            }
        }
    }
    bool complete() const { return open_.empty(); }
    /// The places in L1's state are those that clear_what_nobody_reads takes them for.
    bool knows_l1() {
        const State empty = save(0, 0);
        caches_.store(3, bytes_of_words(3), {2, 1});
        const std::string partial = save(0, 0).l1;
        caches_.store(3, bytes_of_words(~WordMask{0}), {2, 1});
        const std::string whole = save(0, 0).l1;
        restore(empty);
        return partial.compare(kBytesOfLine, 8, std::string("\2\0\0\0\1\0\0\0", 8)) == 0 &&
               partial.compare(kDirtyBytes, 2, "\xff\0", 2) == 0 && partial[kValidSectors] == 0 &&
               whole[kValidSectors] == kAllSectors && whole.compare(kDirtyBytes, 2, "\xff\xff") == 0;
    }
    std::size_t states() const { return seen_.size(); }

  private:
    void take(const State& from, std::size_t number, bool moves) {
        const Action& action = actions_[number];
        Row values{};
        values[0] = action.first;
        values[1] = action.second;
        WordMask left = 0;
        bool done = true;
        switch (action.kind) {
            case Action::store:
                done = caches_.store(action.row, bytes_of_words(action.words), values, action.as_vector);
                break;
            case Action::part_store: {
                ByteMask mask;
                mask.set(4, 1);
                done = caches_.store(action.row, mask, values, false);
                break;
            }
            case Action::load:
                if (caches_.loads[0].words != 0 && caches_.loads[1].words != 0) {
                    return;  // no load may begin, and one that waits does so until a reply has come
                }
                left = caches_.load(action.row, from.begun != 0 ? from.left : action.words, action.as_vector);
                done = left == 0;
                break;
            case Action::add:
                done = caches_.flat[action.row][1] < 2 && caches_.add(action.row, 1);
                if (!done && caches_.flat[action.row][1] >= 2) {
                    return;  // values stay few
                }
                break;
            case Action::send:
                if (!caches_.can_send()) return;
                caches_.send();
                break;
            case Action::receive:
                if (!caches_.can_receive()) return;
                caches_.receive();
                break;
        }
        visit(moves ? save(from.begun, from.left) : done ? save(0, 0) : save(number + 1, left));
    }
    void visit(State state) {
        if (seen_.insert(state.hash()).second) {
            open_.push_back(std::move(state));
        }
    }

    /// Bytes of L1's way that are neither valid nor dirty: whatever they are, nobody asks for them.
    void clear_what_nobody_reads(std::string& l1) const {
        ByteMask dirty;
        std::memcpy(&dirty, l1.data() + kDirtyBytes, sizeof dirty);
        const bool valid = l1[kValidSectors] != 0;
        for (unsigned byte = 0; byte < kLineBytes; ++byte) {
            l1[kBytesOfLine + byte] = valid || dirty.test(byte) ? l1[kBytesOfLine + byte] : '\0';
        }
    }

    /// Counters, which are listed last, are no part of a state.
    State save(std::size_t begun, WordMask left) {
        Saver l1;
        caches_.l1->fields(l1);
        l1.bytes_so_far.resize(l1.bytes_so_far.size() - kL1Counters);
        clear_what_nobody_reads(l1.bytes_so_far);
        Saver avc;
        caches_.avc->fields(avc);
        avc.bytes_so_far.resize(avc.bytes_so_far.size() - kAvcCounters);
        Saver rest;
        rest& caches_.flat& caches_.memory& caches_.replies& caches_.loads;
        return {std::move(l1.bytes_so_far), std::move(avc.bytes_so_far), std::move(rest.bytes_so_far), begun, left};
    }
    void restore(const State& state) {
        const auto load = [](auto& object, const std::string& bytes, std::size_t counters) {
            const std::string all = bytes + std::string(counters, '\0');
            Loader loader(all);
            object.fields(loader);
        };
        load(*caches_.l1, state.l1, kL1Counters);
        load(*caches_.avc, state.avc, kAvcCounters);
        Loader rest(state.rest);
        rest& caches_.flat& caches_.memory& caches_.replies& caches_.loads;
    }

    // Of L1Data::fields with one way; checked where the test begins.
    static constexpr std::size_t kValidSectors = 25;
    static constexpr std::size_t kBytesOfLine = 28;
    static constexpr std::size_t kDirtyBytes = kBytesOfLine + kLineBytes;
    static inline const std::size_t kL1Counters = size_of(L1Counters{});
    static inline const std::size_t kAvcCounters = size_of(AvcCounters{});

    PrivateCaches caches_;
    std::vector<Action> actions_;
    std::size_t sends_ = 0;
    std::size_t receives_ = 0;
    std::unordered_set<std::size_t> seen_;
    std::vector<State> open_;
};

/// Words of one warp share a line of the AVC; those of two warps of sixteen words do not, and drive each other out.
const std::vector<std::uint64_t> kOneWarp = {3, 4};
const std::vector<std::uint64_t> kTwoWarps = {3, 19};

std::vector<std::string> smallest(std::vector<std::string> more) {
    std::vector<std::string> all{"l1d.companion=avc",
                                 "l1d.set_index=linear",
                                 "l1d.pinned_ways=0",
                                 "l1d.sets=1",
                                 "l1d.ways=1",
                                 "l1d.mshrs=1",
                                 "l1d.merges=1",
                                 "l1d.miss_queue=1",
                                 "avc.sets=1",
                                 "avc.ways=1",
                                 "l1d.replacement=tree_plru"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

void explore(const std::vector<std::string>& overrides, const std::vector<std::uint64_t>& rows, bool all,
             std::size_t at_least) {
    CAPTURE(overrides.back());
    CAPTURE(rows.size());
    Explorer explorer(smallest(overrides), rows, all);
    REQUIRE_NOTHROW(explorer.run(2'000'000));
    CHECK(explorer.complete());
    CHECK(explorer.states() >= at_least);
}

TEST_CASE("L1's state is laid out as the exploration takes it to be") {
    CHECK(Explorer(smallest({}), {3}, false).knows_l1());
}

TEST_CASE("every state of one line: all masks, all kinds of values") {
    explore({"avc.partial_writes=word_masks"}, {3}, false, 30'000);
    explore({"avc.partial_writes=read_modify_write"}, {3}, true, 25'000);
}

TEST_CASE("every state of two words of a warp") {
    explore({"avc.partial_writes=word_masks"}, kOneWarp, false, 400'000);
}

TEST_CASE("every state of words of two warps") {
    explore({"avc.partial_writes=word_masks"}, kTwoWarps, false, 30'000);
}

}  // namespace
}  // namespace lookahead::gpu::test
