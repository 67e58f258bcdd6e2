// Every reachable state of an affine vector cache and an L1 of one line each, with two lines of memory of two words
// each: in any order of stores, loads, requests and replies, each load gives the last stored value.
#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
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

struct State {
    std::string l1;
    std::string avc;
    std::string rest;

    std::size_t hash() const {
        const std::hash<std::string> of;
        return (of(l1) * 31 + of(avc)) * 31 + of(rest);
    }
};

/// Keeps the number of states small without losing behaviour:
/// - A waiting access may be given up. Then no saved state has a begun access, and more can happen than in the machine,
///   where the access comes again.
/// - Copies older than the last store are set to a word that is never stored. A correct design never reads them; a
///   design that does is detected at once, whatever was stored.
/// - Likewise, invalid bytes and empty entries are cleared.
class Explorer {
  public:
    /// `all`: adds accesses to the first line that are not vectors, and atomics.
    Explorer(const std::vector<std::string>& overrides, const std::vector<std::uint64_t>& rows, bool all)
        : caches_(overrides) {
        for (const std::uint64_t row : rows) {
            caches_.flat[row] = caches_.memory[row] = {};
            // Words of two values: 00 and 11 are uniform, 01 is affine, 10 is generic.
            for (WordMask words = 1; words < 4; ++words) {
                for (std::uint32_t values = 0; values < 4; ++values) {
                    if ((values & ~words) == 0) {
                        actions_.push_back({Action::store, row, words, values & 1, values >> 1});
                    }
                }
                actions_.push_back({Action::load, row, words});
            }
            if (all && row == rows.front()) {
                actions_.push_back({Action::store, row, 1, 1, 0, false});  // by lanes at different addresses
                actions_.push_back({Action::load, row, 2, 0, 0, false});
                actions_.push_back({Action::part_store, row, 2, 0, 1, false});
                actions_.push_back({Action::add, row, 2});
            }
        }
        actions_.push_back({Action::send});
        actions_.push_back({Action::receive});
        caches_.loads.resize(1);
    }

    /// Visits states, latest first, until none is left or the limit is reached. Throws WrongWord at the first wrong
    /// word.
    void run(std::size_t limit) {
        visit(save());
        while (!open_.empty() && seen_.size() < limit) {
            const State state = std::move(open_.back());
            open_.pop_back();
            restore(state);
            for (const Action& action : actions_) {
                if (!take(action)) { continue; }
                visit(save());
                restore(state);
            }
        }
    }
    bool complete() const { return open_.empty(); }
    /// Whether L1's state has the layout that this test reads and writes.
    bool knows_l1() {
        const State empty = save();
        caches_.store(3, bytes_of_words(3), {2, 1});
        const std::string partial = save().l1;
        caches_.store(3, bytes_of_words(~WordMask{0}), {2, 1});
        const std::string whole = save().l1;
        restore(empty);
        caches_.load(3, 3);
        const std::string awaited = save().l1;
        restore(empty);
        return std::memcmp(partial.data(), &kFirstLine, sizeof kFirstLine) == 0 &&
               partial.compare(kBytesOfLine, 8, std::string("\2\0\0\0\1\0\0\0", 8)) == 0 &&
               partial.compare(kDirtyBytes, 2, "\xff\0", 2) == 0 && partial[kValidSectors] == 0 &&
               whole[kValidSectors] == kAllSectors && whole.compare(kDirtyBytes, 2, "\xff\xff") == 0 &&
               partial.compare(kMshrs, kMshrBytes, empty.l1, kMshrs, kMshrBytes) == 0 && awaited[kMshrs] == 1 &&
               std::memcmp(awaited.data() + kMshrs + kMshrBytes - 8, "\0\0\0\0\3\0\0\0", 8) == 0;
    }
    std::size_t states() const { return seen_.size(); }

  private:
    /// Returns false if the action is impossible in this state, which then stays as it is.
    bool take(const Action& action) {
        Row values{};
        values[0] = action.first;
        values[1] = action.second;
        switch (action.kind) {
            case Action::store:
                caches_.store(action.row, bytes_of_words(action.words), values, action.as_vector);
                return true;
            case Action::part_store: {
                ByteMask mask;
                mask.set(4, 1);
                caches_.store(action.row, mask, values, false);
                return true;
            }
            case Action::load:
                // A waiting access waits for a reply, and no other may begin.
                if (caches_.loads.front().words != 0) { return false; }
                caches_.load(action.row, action.words, action.as_vector);
                return true;
            case Action::add:
                if (caches_.flat[action.row][1] >= 2) {
                    return false;  // limits the number of values
                }
                caches_.add(action.row, 1);
                return true;
            case Action::send:
                if (!caches_.can_send()) { return false; }
                caches_.send();
                return true;
            case Action::receive:
                if (!caches_.can_receive()) { return false; }
                caches_.receive();
                return true;
        }
        return false;
    }
    void visit(State state) {
        if (seen_.insert(state.hash()).second) { open_.push_back(std::move(state)); }
    }

    static void forget(Row& row, WordMask words) {
        for (WordMask left = words & kWords; left != 0; left &= left - 1) {
            row[static_cast<unsigned>(std::countr_zero(left))] = kOld;
        }
    }

    /// The words of a row that are newer than memory's, and where they are.
    struct Newer {
        WordMask avc_valid = 0;
        WordMask avc_dirty = 0;
        WordMask l1_dirty = 0;
        WordMask written = 0;  ///< by a request under way
        bool is_read = false;  ///< by a request under way
    };
    Newer newer(std::uint64_t row, const std::string& l1) {
        Newer result;
        const std::uint64_t line = line_of_row(row);
        const AvcLines& lines = caches_.avc->lines();
        const AvcPlace place = lines.place_of(line);
        if (const std::uint32_t at = lines.find(place.group); at != kNoAvcLine) {
            result.avc_valid = lines.vectors(at)[place.first].valid;
            result.avc_dirty = lines.vectors(at)[place.first].dirty;
        }
        if (std::memcmp(l1.data(), &line, sizeof line) == 0) {
            ByteMask dirty;
            std::memcpy(&dirty, l1.data() + kDirtyBytes, sizeof dirty);
            result.l1_dirty = whole_words_of(dirty);
        }
        if (!caches_.can_send() || caches_.l1->miss_queue().front().line != line) { return result; }
        const QueuedRequest& request = caches_.l1->miss_queue().front();
        result.is_read = request.type != GpuMessage::write_request;
        if (!result.is_read) {
            WriteRequest write{};
            std::memcpy(&write, request.payload, sizeof write);
            result.written = whole_words_of(write.mask);
        }
        return result;
    }

    void forget_old_copies(std::string& l1) {
        for (auto& [row, flat] : caches_.flat) {
            const Newer words = newer(row, l1);
            PrivateCaches::Load& load = caches_.loads.front();
            const WordMask awaited = load.row == row ? load.words : 0;
            forget(caches_.memory[row],
                   (words.avc_dirty | words.l1_dirty | words.written) & ~(words.is_read ? awaited : 0));
            for (PrivateCaches::Reply& reply : caches_.replies) {
                if (reply.line == line_of_row(row)) {
                    forget(reply.row, (words.avc_valid | words.l1_dirty | words.written) & ~awaited);
                }
            }
            const std::uint64_t line = line_of_row(row);
            const bool is_in_l1 = std::memcmp(l1.data(), &line, sizeof line) == 0;
            for (WordMask left = is_in_l1 ? words.avc_valid & kWords & ~awaited : 0; left != 0; left &= left - 1) {
                std::memcpy(l1.data() + kBytesOfLine + 4 * static_cast<unsigned>(std::countr_zero(left)), &kOld, 4);
            }
        }
        PrivateCaches::Load& load = caches_.loads.front();
        for (unsigned word = 0; word < kLineWords; ++word) {
            if ((load.words >> word & 1) == 0) { load.expected[word] = 0; }
        }
    }

    /// Clears bytes that are never read: bytes of L1's way that are neither valid nor dirty, and the waiters of a fill
    /// that has come.
    void clear_what_nobody_reads(std::string& l1) const {
        ByteMask dirty;
        std::memcpy(&dirty, l1.data() + kDirtyBytes, sizeof dirty);
        const bool valid = l1[kValidSectors] != 0;
        for (unsigned byte = 0; byte < kLineBytes; ++byte) {
            l1[kBytesOfLine + byte] = valid || dirty.test(byte) ? l1[kBytesOfLine + byte] : '\0';
        }
        if (l1[kMshrs] == 0) { std::memset(l1.data() + kMshrs + kMshrBytes - kWaiterBytes, 0, kWaiterBytes); }
    }

    /// Counters are listed last and are not part of a state.
    State save() {
        Saver l1;
        caches_.l1->fields(l1);
        l1.bytes_so_far.resize(l1.bytes_so_far.size() - kL1Counters);
        forget_old_copies(l1.bytes_so_far);
        clear_what_nobody_reads(l1.bytes_so_far);
        Saver avc;
        caches_.avc->fields(avc);
        avc.bytes_so_far.resize(avc.bytes_so_far.size() - kAvcCounters);
        Saver rest;
        rest& caches_.flat& caches_.memory& caches_.replies& caches_.loads;
        return {std::move(l1.bytes_so_far), std::move(avc.bytes_so_far), std::move(rest.bytes_so_far)};
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

    static constexpr WordMask kWords = 3;             // the words accessed
    static constexpr std::uint32_t kOld = 0xbadc0de;  // replaces old values; never stored
    // Offsets in the bytes that L1Data::fields writes with one way; checked where the test begins.
    static constexpr std::uint64_t kFirstLine = isa::kLocalMemoryBase + 3 * isa::kLocalRowBytes;
    static constexpr std::size_t kValidSectors = 25;
    static constexpr std::size_t kBytesOfLine = 28;
    static constexpr std::size_t kDirtyBytes = kBytesOfLine + kLineBytes;
    static constexpr std::size_t kMshrs = kDirtyBytes + sizeof(ByteMask);
    static constexpr std::size_t kWaiterBytes = 8;
    static inline const std::size_t kMshrBytes = size_of(MshrTable(1, 1, 0));
    static inline const std::size_t kL1Counters = size_of(L1Counters{});
    static inline const std::size_t kAvcCounters = size_of(AvcCounters{});

    PrivateCaches caches_;
    std::vector<Action> actions_;
    std::unordered_set<std::size_t> seen_;
    std::vector<State> open_;
};

/// Words of one warp share a line of the AVC; those of two warps of sixteen words do not, and evict each other.
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

/// The expected number of states, if given, is a property of the design: check the reason for any change.
void explore(const std::vector<std::string>& overrides, const std::vector<std::uint64_t>& rows, bool all,
             std::optional<std::size_t> states = {}) {
    CAPTURE(overrides.back());
    CAPTURE(rows.size());
    Explorer explorer(smallest(overrides), rows, all);
    REQUIRE_NOTHROW(explorer.run(100'000'000));
    REQUIRE(explorer.complete());
    CHECK(explorer.states() == states.value_or(explorer.states()));
    MESSAGE(explorer.states() << " states");
}

TEST_CASE("L1's state is laid out as the exploration takes it to be") {
    CHECK(Explorer(smallest({}), {3}, false).knows_l1());
}

TEST_CASE("every state of one line: all masks, all kinds of values") {
    explore({"avc.partial_writes=word_masks"}, {3}, false, 984);
    explore({"avc.partial_writes=word_masks"}, {3}, true, 22'468);
    explore({"avc.partial_writes=read_modify_write"}, {3}, true, 11'192);
}

TEST_CASE("every state of two words of a warp: all masks, all kinds of values of each") {
    explore({"avc.partial_writes=word_masks"}, kOneWarp, false, 114'391);
}

TEST_CASE("every state of words of two warps: all masks, all kinds of values of each") {
    explore({"avc.partial_writes=word_masks"}, kTwoWarps, false, 45'858);
}

/// On request only, because they take minutes: LOOKAHEAD_AVC_EXHAUSTIVE=1
const bool kByCommand = std::getenv("LOOKAHEAD_AVC_EXHAUSTIVE") != nullptr;

TEST_CASE("every state of two lines, of one also with parts of words and atomics" * doctest::skip(!kByCommand)) {
    explore({"avc.partial_writes=word_masks"}, kTwoWarps, true, 349'367);
    explore({"avc.partial_writes=read_modify_write"}, kTwoWarps, true);
}

TEST_CASE("every state of two words of a warp and one of another" * doctest::skip(!kByCommand)) {
    explore({"avc.partial_writes=word_masks"}, {3, 4, 19}, false);
}

}  // namespace
}  // namespace lookahead::gpu::test
