#include "experiments/results/series_collector.h"

#include <algorithm>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <map>
#include <unordered_map>

#include "core/checkpoint/archive.h"
#include "core/error/error.h"

namespace lookahead {

namespace {

using Track = SeriesCollector::Track;

/// The tracks of one kind by component number.
using ByComponent = std::map<std::size_t, std::vector<const Track*>>;

SeriesGroup series_group(const std::string& kind, const ByComponent& components,
                         const std::vector<std::uint64_t>& cycles) {
    SeriesGroup group{kind, cycles, {}, {}};
    const auto& first = components.begin()->second;
    for (const Track* track : first) {
        group.columns.push_back({track->name, track->unit, track->description, {}});
    }
    for (const auto& each : components) {
        group.components.push_back(each.second.front()->component);
        LOOKAHEAD_ASSERT(each.second.size() == first.size(), "components of kind " + kind + " have different series");
    }
    for (std::size_t column = 0; column < first.size(); ++column) {
        auto& values = group.columns[column].values;
        values.reserve(cycles.size() * components.size());
        for (std::size_t row = 0; row < cycles.size(); ++row) {
            for (const auto& each : components) {
                values.push_back(each.second[column]->values[row]);
            }
        }
    }
    return group;
}

}  // namespace

SeriesCollector::SeriesCollector(std::vector<std::string> chosen) : chosen_(chosen.begin(), chosen.end()) {
    for (const std::string& counter : chosen) {
        kinds_.insert(counter.substr(0, counter.rfind('.')));
    }
}

void SeriesCollector::begin_epoch(std::uint64_t cycle) {
    LOOKAHEAD_ASSERT(cycles_.empty() || cycles_.back() < cycle, "the epochs of a series are not in order");
    cycles_.push_back(cycle);
    next_ = 0;
    for (Track& track : tracks_) {
        track.values.push_back(0);
    }
}

void SeriesCollector::counter(std::string_view component, std::string_view kind, const StatisticDescription& what,
                              std::uint64_t value) {
    LOOKAHEAD_ASSERT(!cycles_.empty(), "a series has no epoch yet");
    if (next_ == shown_.size()) {
        shown_.push_back({what.name, start_track(component, kind, what)});
    }
    const Shown& shown = shown_[next_++];
    LOOKAHEAD_DEBUG_ASSERT(shown.name == what.name, "the counters of " + std::string(component) +
                                                        " come in another order than in the epoch before");
    if (shown.track != kNotChosen) {
        Track& track = tracks_[shown.track];
        track.values.back() = value - track.last;
        track.last = value;
    }
}

std::size_t SeriesCollector::start_track(std::string_view component, std::string_view kind,
                                         const StatisticDescription& what) {
    if (!kinds_.contains(kind) || !chosen_.contains(std::string(kind) + "." + std::string(what.name))) {
        return kNotChosen;
    }
    Track track{std::string(component),
                std::string(kind),
                std::string(what.name),
                std::string(what.unit),
                std::string(what.description),
                0,
                std::vector<std::uint64_t>(cycles_.size())};
    const auto earlier = std::ranges::find_if(earlier_, [&](const Track& each) {
        return each.name == track.name && each.kind == track.kind && each.component == track.component;
    });
    if (earlier != earlier_.end()) {
        std::ranges::copy(earlier->values, track.values.begin());
        track.last = earlier->last;
    }
    tracks_.push_back(std::move(track));
    return tracks_.size() - 1;
}

void SeriesCollector::continue_from(std::string_view bytes) {
    LOOKAHEAD_ASSERT(cycles_.empty(), "a series that has begun cannot go on from another");
    archive_from_bytes(bytes, "the series of the run",
                       [&](boost::archive::binary_iarchive& archive) { archive >> cycles_ >> earlier_; });
}

std::string SeriesCollector::to_bytes() const {
    return archive_to_bytes([&](boost::archive::binary_oarchive& archive) { archive << cycles_ << tracks_; });
}

void SeriesCollector::merge(std::string_view bytes) {
    std::vector<std::uint64_t> cycles;
    std::vector<Track> tracks;
    archive_from_bytes(bytes, "the series of another rank",
                       [&](boost::archive::binary_iarchive& archive) { archive >> cycles >> tracks; });
    LOOKAHEAD_ASSERT(cycles == cycles_, "the ranks saw different epochs");
    std::move(tracks.begin(), tracks.end(), std::back_inserter(tracks_));
}

void SeriesCollector::write_into(RunRecord& record) const {
    std::unordered_map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < record.components.size(); ++i) {
        numbers.emplace(record.components[i].name, i);
    }
    // A machine may be without a kind of components; a kind that it has must have the counter.
    std::set<std::string> missing;
    for (const ComponentRow& component : record.components) {
        for (const std::string& counter : chosen_) {
            if (counter.starts_with(component.kind + ".")) {
                missing.insert(counter);
            }
        }
    }
    std::map<std::string, ByComponent> kinds;
    for (const Track& track : tracks_) {
        missing.erase(track.kind + "." + track.name);
        const auto number = numbers.find(track.component);
        LOOKAHEAD_ASSERT(number != numbers.end(), "the series of " + track.component + " belong to no component");
        kinds[track.kind][number->second].push_back(&track);
    }
    LOOKAHEAD_ASSERT(cycles_.empty() || missing.empty(), "no component has the counter " + *missing.begin());
    for (auto& [kind, components] : kinds) {
        record.series.push_back(series_group(kind, components, cycles_));
    }
}

}  // namespace lookahead
