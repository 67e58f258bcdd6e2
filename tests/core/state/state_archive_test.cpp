#include "core/state/state_archive.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error/error.h"
#include "core/state/archives.h"
#include "core/stats/statistics.h"

namespace lookahead {

struct KindCounters {
    LOOKAHEAD_COUNTER(first, "event", "One.");
    LOOKAHEAD_COUNTER(second, "event", "Another.");
    LOOKAHEAD_ALL_DECLARED;
    bool operator==(const KindCounters&) const = default;
};

namespace {

enum class Colour : std::uint8_t { red, blue };

struct Inner {
    std::int32_t number = 0;
    double fraction = 0;

    bool operator==(const Inner&) const = default;
    void fields(StateArchive& archive) { archive& number& fraction; }
};

struct Payload {
    std::uint32_t words[2] = {};
    bool operator==(const Payload&) const = default;
};

constexpr std::array<int, 4> kTable{};

/// A field of every kind that a list can have.
struct EveryKind {
    std::uint16_t number = 1;
    bool flag = false;
    Colour colour = Colour::red;
    Inner inner{2, 0.5};
    std::array<std::uint8_t, 2> fixed{3, 4};
    std::int64_t plain_array[2] = {5, 6};
    std::vector<std::uint32_t> words{7, 8};
    std::vector<Inner> objects{{9, 1.5}};
    std::deque<std::uint64_t> queue{10};
    std::string text = "eleven";
    std::pair<int, int> pair{12, 13};
    std::optional<int> optional = 14;
    std::map<int, Inner> map{{15, {16, 2.5}}};
    Payload payload{{17, 18}};
    const int* place = &kTable[1];
    KindCounters counters{19, 20};
    int hidden = 21;  ///< only its value is archived

    bool operator==(const EveryKind&) const = default;
    void fields(StateArchive& archive) {
        archive& number& flag& colour& inner& fixed& plain_array& words& objects& queue& text& pair& optional& map&
            counters;
        archive.plain(payload);
        archive.optional_pointer_into(std::span<const int>(kTable), place);
        archive.value([this] { return hidden; }, [this](int value) { hidden = value; });
    }
};

const std::vector<std::pair<const char*, std::function<void(EveryKind&)>>> kChanges{
    {"a number", [](EveryKind& all) { all.number += 256; }},
    {"a flag", [](EveryKind& all) { all.flag = true; }},
    {"an enumerator", [](EveryKind& all) { all.colour = Colour::blue; }},
    {"a member's member", [](EveryKind& all) { all.inner.fraction = 0.25; }},
    {"an element of an array", [](EveryKind& all) { all.fixed[1] = 0; }},
    {"an element of a plain array", [](EveryKind& all) { all.plain_array[0] = -5; }},
    {"an element of a vector", [](EveryKind& all) { all.words[1] = 9; }},
    {"a vector's length", [](EveryKind& all) { all.words.push_back(0); }},
    {"an object of a vector", [](EveryKind& all) { all.objects[0].number = 0; }},
    {"an object more", [](EveryKind& all) { all.objects.emplace_back(); }},
    {"an element of a deque", [](EveryKind& all) { all.queue.front() = 0; }},
    {"a letter", [](EveryKind& all) { all.text[0] = 'E'; }},
    {"a pair's second", [](EveryKind& all) { all.pair.second = 0; }},
    {"an optional's value", [](EveryKind& all) { all.optional = 0; }},
    {"an optional that holds nothing", [](EveryKind& all) { all.optional.reset(); }},
    {"a key",
     [](EveryKind& all) {
         all.map = {{14, {16, 2.5}}};
     }},
    {"a mapped object", [](EveryKind& all) { all.map[15].number = 0; }},
    {"a payload's word", [](EveryKind& all) { all.payload.words[1] = 0; }},
    {"a pointer", [](EveryKind& all) { all.place = &kTable[2]; }},
    {"a null pointer", [](EveryKind& all) { all.place = nullptr; }},
    {"a counter", [](EveryKind& all) { all.counters.second = 0; }},
    {"a value", [](EveryKind& all) { all.hidden = 0; }},
};

TEST_CASE("a change to any one field changes the hash and what is saved") {
    const std::uint64_t hash = hash_of_state(EveryKind{});
    const std::string bytes = saved_state(EveryKind{});
    CHECK(hash_of_state(EveryKind{}) == hash);
    for (const auto& [what, change] : kChanges) {
        CAPTURE(what);
        EveryKind changed;
        change(changed);
        CHECK(hash_of_state(changed) != hash);
        CHECK(saved_state(changed) != bytes);
    }
}

TEST_CASE("every kind of field is loaded as it was saved, over whatever was there") {
    for (const auto& [what, change] : kChanges) {
        CAPTURE(what);
        EveryKind original;
        change(original);
        EveryKind loaded;
        loaded.words.assign(5, 1);
        loaded.map[99] = {};
        loaded.hidden = -1;
        load_state(loaded, saved_state(original));
        CHECK(loaded == original);
        CHECK(hash_of_state(loaded) == hash_of_state(original));
    }
}

TEST_CASE("saving and hashing change nothing") {
    EveryKind all;
    hash_of_state(all);
    (void)saved_state(all);
    CHECK(all == EveryKind{});
}

TEST_CASE("bytes that end too early, or of which some are left, are refused") {
    const std::string bytes = saved_state(EveryKind{});
    EveryKind loaded;
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        CHECK_THROWS_AS(load_state(loaded, bytes.substr(0, length)), InputError);
    }
    CHECK_THROWS_AS(load_state(loaded, bytes + '\0'), InputError);
    CHECK_NOTHROW(load_state(loaded, bytes));
}

/// A pointer into `size` integers.
struct Reference {
    std::size_t size;
    const int* to;
    bool may_be_null = false;

    void fields(StateArchive& archive) {
        const std::span<const int> table(kTable.data(), size);
        if (may_be_null) {
            archive.optional_pointer_into(table, to);
        } else {
            archive.pointer_into(table, to);
        }
    }
};

TEST_CASE("a pointer outside its array, or null where it may not be, is refused") {
    const std::string last = saved_state(Reference{3, &kTable[2]});
    for (const bool may_be_null : {false, true}) {
        Reference longer{3, nullptr, may_be_null}, shorter{2, nullptr, may_be_null};
        load_state(longer, last);
        CHECK(longer.to == &kTable[2]);
        CHECK_THROWS_AS(load_state(shorter, last), InputError);
    }
    const std::string null = saved_state(Reference{3, nullptr, true});
    Reference optional{3, &kTable[0], true}, reference{3, &kTable[0]};
    load_state(optional, null);
    CHECK(optional.to == nullptr);
    CHECK_THROWS_AS(load_state(reference, null), InputError);
}

}  // namespace
}  // namespace lookahead
