#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "core/bits/declared_members.h"
#include "core/state/state_archive.h"
#include "core/stats/histogram.h"
#include "core/stats/statistics_visitor.h"

/// Statistics are plain integers in a struct of the component, counted with ++ and declared once:
///
///     struct SmCounters {
///         LOOKAHEAD_COUNTER(cycles, "cycle", "Cycles with work.");
///         LOOKAHEAD_COUNTERS(stalls, 2, {"stall_data", "cycle", "…"}, {"stall_memory", "cycle", "…"});
///         LOOKAHEAD_HISTOGRAM(load_latency, 8, "cycle", "…", doubling_edges<8>(16));
///         LOOKAHEAD_ALL_DECLARED;
///     };
///
/// A member that is declared in another way is a compile-time error, so that no statistic is left out of the result,
/// the state hash or a checkpoint.
namespace lookahead {

/// `list`: a std::tuple (or, specialised for other structs, a std::array) of Counter, CounterArray and HistogramOf.
template <class C>
struct StatisticsOf;

template <DeclaresMembers C>
struct StatisticsOf<C> {
    static constexpr auto list = declared_members<C>();
};

template <class C>
concept HasStatistics = requires {
    StatisticsOf<C>::list;
};

/// One std::uint64_t member.
template <class C>
struct Counter {
    static constexpr std::size_t kWords = 1;

    StatisticDescription what;
    std::uint64_t C::*member;

    const void* place(const C& counters) const { return &(counters.*member); }
    template <class F>
    constexpr void for_each_description(F&& f) const {
        f(what);
    }
    void visit(StatisticsVisitor& visitor, std::string_view component, std::string_view kind, const C& counters) const {
        visitor.counter(component, kind, what, counters.*member);
    }
};

/// A std::array of counters with a description each: stall cycles by cause, accesses by client.
template <class C, std::size_t N>
struct CounterArray {
    static constexpr std::size_t kWords = N;

    std::array<std::uint64_t, N> C::*member;
    std::array<StatisticDescription, N> descriptions;

    const void* place(const C& counters) const { return &(counters.*member); }
    template <class F>
    constexpr void for_each_description(F&& f) const {
        for (const StatisticDescription& what : descriptions) { f(what); }
    }
    void visit(StatisticsVisitor& visitor, std::string_view component, std::string_view kind, const C& counters) const {
        for (std::size_t i = 0; i < N; ++i) {
            visitor.counter(component, kind, descriptions[i], (counters.*member)[i]);
        }
    }
};

/// One Histogram<N> member and its N + 1 edges.
template <class C, std::size_t N>
struct HistogramOf {
    static constexpr std::size_t kWords = N + 2;

    StatisticDescription what;
    Histogram<N> C::*member;
    typename Histogram<N>::Edges edges;

    const void* place(const C& counters) const { return &(counters.*member); }
    template <class F>
    constexpr void for_each_description(F&& f) const {
        f(what);
    }
    void visit(StatisticsVisitor& visitor, std::string_view component, std::string_view kind, const C& counters) const {
        const Histogram<N>& values = counters.*member;
        visitor.histogram(component, kind, what, {edges, values.counts, values.underflow, values.overflow});
    }
};

namespace detail {

template <class... Each>
constexpr std::size_t declared_words(const std::tuple<Each...>*) {
    return (std::size_t{0} + ... + Each::kWords);
}

template <class Each, std::size_t N>
constexpr std::size_t declared_words(const std::array<Each, N>*) {
    return N * Each::kWords;
}

/// The number of 64-bit words of C, checked against its declaration.
template <class C>
constexpr std::size_t statistics_words() {
    constexpr std::size_t declared = declared_words(static_cast<decltype(&StatisticsOf<C>::list)>(nullptr));
    static_assert(std::is_trivially_copyable_v<C>, "statistics are plain integers");
    static_assert(declared * sizeof(std::uint64_t) == sizeof(C),
                  "each member of a statistics struct must be declared, once");
    return declared;
}

template <class C>
using StatisticsWords = std::array<std::uint64_t, statistics_words<C>()>;

}  // namespace detail

/// Shows every statistic of `counters` to the visitor, in the order of declaration.
template <HasStatistics C>
void visit(StatisticsVisitor& visitor, std::string_view component, std::string_view kind, const C& counters) {
    std::apply([&](const auto&... each) { (each.visit(visitor, component, kind, counters), ...); },
               StatisticsOf<C>::list);
}

/// False if a member of C is declared twice (and so another one not at all).
template <HasStatistics C>
bool declares_each_member_once() {
    const C counters{};
    return std::apply(
        [&](const auto&... each) {
            std::array<const void*, sizeof...(each)> places{each.place(counters)...};
            std::sort(places.begin(), places.end(), std::less<const void*>());
            return std::adjacent_find(places.begin(), places.end()) == places.end();
        },
        StatisticsOf<C>::list);
}

/// Calls f(StatisticDescription) for every statistic of C.
template <HasStatistics C, class F>
void for_each_statistic(F&& f) {
    std::apply([&](const auto&... each) { (each.for_each_description(f), ...); }, StatisticsOf<C>::list);
}

/// A struct of statistics is a field of a state.
template <HasStatistics C>
struct StateFields<C> {
    static void visit(StateArchive& archive, C& counters) {
        auto words = std::bit_cast<detail::StatisticsWords<C>>(counters);
        archive& words;
        counters = std::bit_cast<C>(words);
    }
};

/// The counts between two moments, as for one phase; `before` must be the earlier one.
template <HasStatistics C>
C difference(const C& after, const C& before) {
    auto words = std::bit_cast<detail::StatisticsWords<C>>(after);
    const auto earlier = std::bit_cast<detail::StatisticsWords<C>>(before);
    for (std::size_t i = 0; i < words.size(); ++i) { words[i] -= earlier[i]; }
    return std::bit_cast<C>(words);
}

/// Adds `more` to `sum`, statistic by statistic.
template <HasStatistics C>
void accumulate(C& sum, const C& more) {
    auto words = std::bit_cast<detail::StatisticsWords<C>>(sum);
    const auto other = std::bit_cast<detail::StatisticsWords<C>>(more);
    for (std::size_t i = 0; i < words.size(); ++i) { words[i] += other[i]; }
    sum = std::bit_cast<C>(words);
}

template <HasStatistics C>
void reset(C& counters) {
    counters = C{};
}

}  // namespace lookahead

/// These declare a std::uint64_t, a std::array of them with a description each ({name, unit, text}), and a Histogram
/// with its edges.
#define LOOKAHEAD_COUNTER(member, unit, description)                                                  \
    LOOKAHEAD_DECLARE_MEMBER(::lookahead::Counter<Self>{{#member, unit, description}, &Self::member}) \
    std::uint64_t member = 0
#define LOOKAHEAD_COUNTERS(member, count, ...)                                                       \
    LOOKAHEAD_DECLARE_MEMBER(::lookahead::CounterArray<Self, count>{&Self::member, {{__VA_ARGS__}}}) \
    std::array<std::uint64_t, count> member {}
#define LOOKAHEAD_HISTOGRAM(member, count, unit, description, ...)                                       \
    LOOKAHEAD_DECLARE_MEMBER(                                                                            \
        ::lookahead::HistogramOf<Self, count>{{#member, unit, description}, &Self::member, __VA_ARGS__}) \
    ::lookahead::Histogram<count> member
