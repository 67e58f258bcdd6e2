#include "core/sync/source_lookahead.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "core/sync/receivers.h"

namespace lookahead {
namespace {

constexpr Time kNone = kTimeInfinity;

using Table = std::array<KindTimes, kSourceCount>;

Table no_ways() {
    Table table;
    table.fill(all_at<kMostKinds>(kNone));
    return table;
}

void lower(Time& least, Time time) {
    least = std::min(least, time);
}

void lower_ways(Table& ways, const Table& others) {
    for (std::size_t from = 0; from < kSourceCount; ++from) { lower_each(ways[from], others[from]); }
}

/// The shortest paths along `first` and then `then`.
Table chained(const Table& first, const Table& then) {
    Table ways = no_ways();
    for (std::size_t from = 0; from < kSourceCount; ++from) {
        for (std::size_t by = 0; by < kMostKinds; ++by) {
            for (std::size_t to = 0; to < kMostKinds; ++to) {
                lower(ways[from][to], saturating_add(first[from][by], then[by][to]));
            }
        }
    }
    return ways;
}

/// The shortest paths over one or more of these channels (Floyd and Warshall, over the kinds).
Table shortest_ways(Table ways) {
    for (std::size_t by = 0; by < kMostKinds; ++by) {
        for (std::size_t from = 0; from < kSourceCount; ++from) {
            for (std::size_t to = 0; to < kMostKinds; ++to) {
                lower(ways[from][to], saturating_add(ways[from][by], ways[by][to]));
            }
        }
    }
    return ways;
}

/// The shortest paths from other ranks: any path, then a channel into the rank, then any path within it.
Table ways_from_elsewhere(const Table& all, const Table& into, const Table& within) {
    Table arrivals = into;
    lower_ways(arrivals, chained(all, into));
    Table ways = arrivals;
    lower_ways(ways, chained(arrivals, within));
    return ways;
}

}  // namespace

SourceLookahead::SourceLookahead(const Model& model, std::span<const int> rank_of_lp, int rank, int ranks)
    : to_rank_(static_cast<std::size_t>(ranks), all_at<kSourceCount>(kNone)) {
    find_kinds(model);
    const Channels channels = find_channels(model, rank_of_lp, rank, ranks);

    const Table all = shortest_ways(channels.all);
    at_any_rank_ = no_ways();
    for (std::size_t at = 0; at < channels.within.size(); ++at) {
        const Table within = shortest_ways(channels.within[at]);
        const Table from_elsewhere = ways_from_elsewhere(all, channels.from_elsewhere[at], within);
        lower_ways(at_any_rank_, from_elsewhere);
        if (at == static_cast<std::size_t>(rank)) {
            within_ = within;
            from_elsewhere_ = from_elsewhere;
        }
    }
    by_any_way_ = to_rank_;
    for (SourceTimes& times : by_any_way_) {
        const SourceTimes last = times;
        for (std::size_t from = 0; from < kSourceCount; ++from) {
            for (std::size_t by = 0; by < kMostKinds; ++by) {
                lower(times[from], saturating_add(within_[from][by], last[by]));
            }
        }
    }
}

/// Kinds are names, numbered in the order of the model.
void SourceLookahead::find_kinds(const Model& model) {
    std::vector<std::string> names;
    for (const LpDescription& process : model.processes()) {
        const auto found = std::ranges::find(names, process.kind);
        auto kind = static_cast<std::size_t>(found - names.begin());
        if (found == names.end() && names.size() < kMostKinds) { names.push_back(process.kind); }
        kind = std::min(kind, kMostKinds - 1);
        kinds_.push_back(static_cast<std::uint8_t>(kind));
    }
}

SourceLookahead::Channels SourceLookahead::find_channels(const Model& model, std::span<const int> rank_of_lp, int rank,
                                                         int ranks) {
    std::vector<std::tuple<LpId, std::uint32_t>> answers;
    for (const AnswerDescription& answer : model.answers()) { answers.emplace_back(answer.lp, answer.out_port); }
    std::ranges::sort(answers);
    const std::vector<Table> none(to_rank_.size(), no_ways());
    Channels least{no_ways(), none, none};
    Receivers receivers(model, rank_of_lp, ranks, kinds_);
    for (const ChannelDescription& channel : model.channels()) {
        const bool is_answer = std::ranges::binary_search(answers, std::tuple(channel.from, channel.out_port));
        const int from = rank_of_lp[channel.from];
        const auto add = [&](std::size_t source, std::size_t kind, int to) {
            const auto at = static_cast<std::size_t>(to);
            lower(least.all[source][kind], channel.lookahead);
            lower((from == to ? least.within : least.from_elsewhere)[at][source][kind], channel.lookahead);
            if (from == rank && to != rank) { lower(to_rank_[at][source], channel.lookahead); }
        };
        for (const auto& [kind, to] : receivers.find(channel)) {
            add(kinds_[channel.from], kind, to);
            if (is_answer) { add(kAnswers, kind, to); }
        }
    }
    return least;
}

KindTimes SourceLookahead::earliest(const SourceTimes& pending, const Table& ways) {
    KindTimes earliest = all_at<kMostKinds>(kNone);
    for (std::size_t source = 0; source < kSourceCount; ++source) {
        if (pending[source] == kNone) { continue; }
        for (std::size_t kind = 0; kind < kMostKinds; ++kind) {
            lower(earliest[kind], saturating_add(pending[source], ways[source][kind]));
        }
    }
    return earliest;
}

Time SourceLookahead::to_rank(int rank, const SourceTimes& pending) const {
    const SourceTimes& ways = by_any_way_[static_cast<std::size_t>(rank)];
    Time earliest = kNone;
    for (std::size_t source = 0; source < kSourceCount; ++source) {
        lower(earliest, saturating_add(pending[source], ways[source]));
    }
    return earliest;
}

Time SourceLookahead::direct(int rank) const {
    const SourceTimes& last = to_rank_[static_cast<std::size_t>(rank)];
    return *std::min_element(last.begin(), last.begin() + kMostKinds);
}

}  // namespace lookahead
