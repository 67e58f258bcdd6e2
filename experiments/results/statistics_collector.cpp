#include "experiments/results/statistics_collector.h"

#include <algorithm>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <unordered_map>

#include "core/checkpoint/archive.h"
#include "core/error/error.h"

namespace lookahead {

namespace {

using Entry = StatisticsCollector::Entry;

/// Numbers of components by name; a component within another has that one's name and a dot before its own.
class ComponentNumbers {
  public:
    explicit ComponentNumbers(std::vector<ComponentRow>& rows) : rows_(rows), processes_(rows.size()) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            numbers_.emplace(rows[i].name, i);
        }
    }

    std::size_t process_of(const std::string& component) const {
        for (std::string name = component; !name.empty(); name = outer(name)) {
            const auto found = numbers_.find(name);
            if (found != numbers_.end() && found->second < processes_) {
                return found->second;
            }
        }
        throw InternalError("the statistics of " + component + " belong to no logical process of the machine");
    }

    void add(const std::string& component, const std::string& kind) {
        if (numbers_.contains(component)) {
            return;
        }
        const auto parent = numbers_.find(outer(component));
        const std::size_t number = parent == numbers_.end() ? process_of(component) : parent->second;
        numbers_.emplace(component, rows_.size());
        rows_.push_back({component, kind, static_cast<std::int32_t>(number)});
    }

    std::size_t of(const std::string& component) const { return numbers_.at(component); }

  private:
    static std::string outer(const std::string& name) {
        const auto dot = name.rfind('.');
        return dot == std::string::npos ? "" : name.substr(0, dot);
    }

    std::vector<ComponentRow>& rows_;
    std::size_t processes_;
    std::unordered_map<std::string, std::size_t> numbers_;
};

/// The entries of one kind by component, each component's in the order of declaration.
using ByComponent = std::map<std::size_t, std::vector<const Entry*>>;

void check_same_statistics(const std::vector<const Entry*>& a, const std::vector<const Entry*>& b) {
    const bool same = std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Entry* x, const Entry* y) {
        return x->name == y->name && x->edges == y->edges;
    });
    LOOKAHEAD_ASSERT(same, "the components " + a.front()->component + " and " + b.front()->component + " of kind " +
                               a.front()->kind + " have different statistics");
}

std::vector<std::string> names_of(const ByComponent& components) {
    std::vector<std::string> names;
    for (const auto& each : components) {
        names.push_back(each.second.front()->component);
    }
    return names;
}

HistogramRecord histogram_record(const ByComponent& components, std::size_t index) {
    const Entry& first = *components.begin()->second[index];
    HistogramRecord record{first.kind, first.name, first.unit, first.description, first.edges, names_of(components),
                           {},         {},         {}};
    const std::size_t bins = first.edges.size() - 1;
    for (const auto& each : components) {
        const auto& counts = each.second[index]->counts;
        record.counts.insert(record.counts.end(), counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(bins));
        record.underflow.push_back(counts[bins]);
        record.overflow.push_back(counts[bins + 1]);
    }
    return record;
}

CounterColumn counter_column(const ByComponent& components, std::size_t index) {
    const Entry& first = *components.begin()->second[index];
    CounterColumn column{first.name, first.unit, first.description, {}};
    for (const auto& each : components) {
        column.values.push_back(each.second[index]->value);
    }
    return column;
}

void write_kind(const std::string& kind, const ByComponent& components, RunRecord& record) {
    const auto& first = components.begin()->second;
    for (const auto& each : components) {
        check_same_statistics(first, each.second);
    }
    CounterGroup counters{kind, names_of(components), {}};
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i]->edges.empty()) {
            counters.columns.push_back(counter_column(components, i));
        } else {
            record.histograms.push_back(histogram_record(components, i));
        }
    }
    if (!counters.columns.empty()) {
        record.counters.push_back(std::move(counters));
    }
}

}  // namespace

void StatisticsCollector::counter(std::string_view component, std::string_view kind, const StatisticDescription& what,
                                  std::uint64_t value) {
    entries_.push_back({std::string(component),
                        std::string(kind),
                        std::string(what.name),
                        std::string(what.unit),
                        std::string(what.description),
                        value,
                        {},
                        {}});
}

void StatisticsCollector::histogram(std::string_view component, std::string_view kind, const StatisticDescription& what,
                                    const HistogramView& value) {
    Entry entry{std::string(component),
                std::string(kind),
                std::string(what.name),
                std::string(what.unit),
                std::string(what.description),
                0,
                {value.edges.begin(), value.edges.end()},
                {value.counts.begin(), value.counts.end()}};
    entry.counts.push_back(value.underflow);
    entry.counts.push_back(value.overflow);
    entries_.push_back(std::move(entry));
}

std::string StatisticsCollector::to_bytes() const {
    return archive_to_bytes([&](boost::archive::binary_oarchive& archive) { archive << entries_; });
}

void StatisticsCollector::merge(std::string_view bytes) {
    std::vector<Entry> others;
    archive_from_bytes(bytes, "the statistics of another rank",
                       [&](boost::archive::binary_iarchive& archive) { archive >> others; });
    std::move(others.begin(), others.end(), std::back_inserter(entries_));
}

void StatisticsCollector::write_into(RunRecord& record) const {
    ComponentNumbers numbers(record.components);
    // A process is on one rank, so its entries are in the order of its visit wherever it was.
    std::map<std::size_t, std::vector<const Entry*>> by_process;
    std::vector<const Entry*>* list = nullptr;
    for (const Entry& entry : entries_) {
        if (list == nullptr || list->back()->component != entry.component) {
            list = &by_process[numbers.process_of(entry.component)];
        }
        list->push_back(&entry);
    }
    std::vector<const Entry*> ordered;
    ordered.reserve(entries_.size());
    for (const auto& each : by_process) {
        ordered.insert(ordered.end(), each.second.begin(), each.second.end());
    }
    for (const Entry* entry : ordered) {
        numbers.add(entry->component, entry->kind);
    }
    std::map<std::string, ByComponent> kinds;
    for (const Entry* entry : ordered) {
        kinds[entry->kind][numbers.of(entry->component)].push_back(entry);
    }
    for (const auto& [kind, components] : kinds) {
        write_kind(kind, components, record);
    }
}

}  // namespace lookahead
