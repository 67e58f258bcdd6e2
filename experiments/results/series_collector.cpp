#include "experiments/results/series_collector.h"

#include <algorithm>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <functional>
#include <span>
#include <unordered_map>

#include "core/checkpoint/archived.h"
#include "core/error/error.h"

namespace lookahead {

SeriesCollector::SeriesCollector(std::vector<std::string> chosen, std::size_t most_rows)
    : chosen_(chosen.begin(), chosen.end()), most_rows_(most_rows) {
    for (const std::string& counter : chosen) { kinds_.insert(counter.substr(0, counter.rfind('.'))); }
}

void SeriesCollector::begin_epoch(std::uint64_t cycle) {
    LOOKAHEAD_ASSERT(cycles_.empty() || cycles_.back() < cycle, "the epochs of a series are not in order");
    next_ = 0;
    if (!rows_.empty() && epochs_in_last_row_ < epochs_in_row_) {
        ++epochs_in_last_row_;
        cycles_.back() = cycle;
        rows_.back().resize(tracks_.size());
        return;
    }
    if (rows_.size() == most_rows_) { halve_rows(); }
    epochs_in_last_row_ = 1;
    cycles_.push_back(cycle);
    rows_.emplace_back(tracks_.size());
}

void SeriesCollector::halve_rows() {
    for (std::size_t row = 0; row < rows_.size() / 2; ++row) {
        std::vector<std::uint64_t> sum = std::move(rows_[2 * row]);
        const std::vector<std::uint64_t>& second = rows_[2 * row + 1];
        sum.resize(std::max(sum.size(), second.size()));
        std::ranges::transform(second, sum, sum.begin(), std::plus<>());
        rows_[row] = std::move(sum);
        cycles_[row] = cycles_[2 * row + 1];
    }
    rows_.resize(rows_.size() / 2);
    cycles_.resize(rows_.size());
    epochs_in_row_ *= 2;
    for (Track& earlier : earlier_) {  // their components may yet appear for the first time
        for (std::size_t row = 0; row < earlier.values.size() / 2; ++row) {
            earlier.values[row] = earlier.values[2 * row] + earlier.values[2 * row + 1];
        }
        earlier.values.resize(earlier.values.size() / 2);
    }
}

void SeriesCollector::add_epoch(std::uint64_t cycle) {
    begin_epoch(cycle);
    auto value = rows_.back().begin();
    for (Count& count : counts_) {
        *value++ += *count.place - count.last;
        count.last = *count.place;
    }
}

void SeriesCollector::counter(std::string_view component, std::string_view kind, const StatisticDescription& what,
                              const std::uint64_t& value) {
    LOOKAHEAD_ASSERT(!cycles_.empty(), "a series has no epoch yet");
    if (next_ == shown_.size()) { shown_.push_back({what.name, start_track(component, kind, what, value)}); }
    const Shown& shown = shown_[next_++];
    LOOKAHEAD_DEBUG_ASSERT(shown.name == what.name,
                           "the counters of {} come in a different order than in the epoch before", component);
    if (shown.track != kNotChosen) {
        Count& count = counts_[shown.track];
        rows_.back()[shown.track] += value - count.last;
        count = {&value, value};
    }
}

std::size_t SeriesCollector::start_track(std::string_view component, std::string_view kind,
                                         const StatisticDescription& what, const std::uint64_t& value) {
    if (!kinds_.contains(kind) || !chosen_.contains(fmt::format("{}.{}", kind, what.name))) { return kNotChosen; }
    const std::size_t number = tracks_.size();
    counts_.push_back({&value, 0});
    rows_.back().resize(number + 1);
    tracks_.push_back({std::string(component),
                       std::string(kind),
                       std::string(what.name),
                       std::string(what.unit),
                       std::string(what.description),
                       0,
                       {}});
    const Track& track = tracks_.back();
    const auto earlier = std::ranges::find_if(earlier_, [&](const Track& each) {
        return each.name == track.name && each.kind == track.kind && each.component == track.component;
    });
    if (earlier != earlier_.end()) {
        counts_.back().last = earlier->last;
        for (std::size_t row = 0; row < earlier->values.size(); ++row) {
            rows_[row].resize(number + 1);
            rows_[row][number] = earlier->values[row];
        }
    }
    return number;
}

void SeriesCollector::continue_from(std::string_view bytes) {
    LOOKAHEAD_ASSERT(cycles_.empty(), "a series that has begun cannot continue another");
    read_archived(bytes, "the series of the run", cycles_, earlier_, epochs_in_row_, epochs_in_last_row_);
    if (std::ranges::any_of(earlier_, [&](const Track& track) { return track.values.size() > cycles_.size(); })) {
        throw InputError("the series of the run cannot be restored: some have more values than there are intervals");
    }
    rows_.resize(cycles_.size());
}

std::string SeriesCollector::to_bytes() const {
    std::vector<Track> tracks = tracks_;
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        tracks[i].last = counts_[i].last;
        for (std::size_t row = 0; row < rows_.size(); ++row) { tracks[i].values.push_back(value(row, i)); }
    }
    return archived(cycles_, tracks, epochs_in_row_, epochs_in_last_row_);
}

void SeriesCollector::merge(std::string_view bytes) {
    std::vector<std::uint64_t> cycles;
    std::vector<Track> tracks;
    std::uint64_t epochs_in_row = 0, epochs_in_last_row = 0;  // the same on all ranks, because the cycles are
    read_archived(bytes, "the series of another rank", cycles, tracks, epochs_in_row, epochs_in_last_row);
    LOOKAHEAD_ASSERT(cycles == cycles_, "the ranks saw different epochs");
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        rows_[row].resize(tracks_.size());
        for (const Track& track : tracks) { rows_[row].push_back(track.values[row]); }
    }
    for (Track& track : tracks) {
        counts_.push_back({nullptr, track.last});
        track.values.clear();
        tracks_.push_back(std::move(track));
    }
}

SeriesGroup SeriesCollector::group(const std::string& kind, const ByComponent& components) const {
    SeriesGroup group{kind, cycles_, {}, {}};
    const auto& first = components.begin()->second;
    for (const std::size_t track : first) {
        group.columns.push_back({tracks_[track].name, tracks_[track].unit, tracks_[track].description, {}});
    }
    std::vector<std::span<const std::size_t>> tracks_of;
    for (const auto& each : components) {
        group.components.push_back(tracks_[each.second.front()].component);
        LOOKAHEAD_ASSERT(each.second.size() == first.size(), "components of kind {} have different series", kind);
        tracks_of.emplace_back(each.second);
    }
    for (std::size_t column = 0; column < first.size(); ++column) {
        std::vector<std::uint64_t>& values = group.columns[column].values;
        values.resize(cycles_.size() * components.size());
        auto next = values.begin();
        for (std::size_t row = 0; row < cycles_.size(); ++row) {
            const std::vector<std::uint64_t>& counts = rows_[row];
            for (const auto& tracks : tracks_of) {
                *next++ = tracks[column] < counts.size() ? counts[tracks[column]] : 0;
            }
        }
    }
    return group;
}

void SeriesCollector::write_into(RunRecord& record) const {
    std::unordered_map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < record.components.size(); ++i) { numbers.emplace(record.components[i].name, i); }
    // A machine may lack a kind of component; a kind that it has must have the counter.
    std::set<std::string> missing;
    for (const std::string& counter : chosen_) {
        const std::string_view kind = std::string_view(counter).substr(0, counter.find('.'));
        if (std::ranges::find(record.components, kind, &ComponentRow::kind) != record.components.end()) {
            missing.insert(counter);
        }
    }
    std::map<std::string, ByComponent> kinds;
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
        const Track& track = tracks_[i];
        missing.erase(fmt::format("{}.{}", track.kind, track.name));
        const auto number = numbers.find(track.component);
        LOOKAHEAD_ASSERT(number != numbers.end(), "the series of {} belong to no component", track.component);
        kinds[track.kind][number->second].push_back(i);
    }
    LOOKAHEAD_ASSERT(cycles_.empty() || missing.empty(), "no component has the counter {}", *missing.begin());
    for (const auto& [kind, components] : kinds) { record.series.push_back(group(kind, components)); }
}

}  // namespace lookahead
