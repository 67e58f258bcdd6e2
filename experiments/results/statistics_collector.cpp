#include "experiments/results/statistics_collector.h"

#include <algorithm>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <map>
#include <unordered_map>

#include "core/checkpoint/archived.h"
#include "core/error/error.h"

namespace lookahead {

namespace {

using Entry = StatisticsCollector::Entry;

/// Numbers of components by name. The name of an inner component begins with the outer one's and a dot.
class ComponentNumbers {
  public:
    explicit ComponentNumbers(std::vector<ComponentRow>& rows) : rows_(rows), processes_(rows.size()) {
        for (std::size_t i = 0; i < rows.size(); ++i) { numbers_.emplace(rows[i].name, i); }
    }

    std::size_t process_of(std::string_view component) const {
        for (std::string_view name = component; !name.empty(); name = outer(name)) {
            const auto found = numbers_.find(std::string(name));
            if (found != numbers_.end() && found->second < processes_) { return found->second; }
        }
        throw InternalError("the statistics of {} belong to no logical process of the machine", component);
    }

    void add(const std::string& component, std::string_view kind) {
        if (numbers_.contains(component)) { return; }
        const auto parent = numbers_.find(std::string(outer(component)));
        const std::size_t number = parent == numbers_.end() ? process_of(component) : parent->second;
        numbers_.emplace(component, rows_.size());
        rows_.push_back({component, std::string(kind), static_cast<std::int32_t>(number)});
    }

    std::size_t of(const std::string& component) const { return numbers_.at(component); }

  private:
    static std::string_view outer(std::string_view name) {
        const auto dot = name.rfind('.');
        return dot == std::string_view::npos ? "" : name.substr(0, dot);
    }

    std::vector<ComponentRow>& rows_;
    std::size_t processes_;
    std::unordered_map<std::string, std::size_t> numbers_;
};

/// The entries of one kind by component, each component's in the order of declaration.
using ByComponent = std::map<std::size_t, std::vector<const Entry*>>;

void check_same_statistics(const std::vector<const Entry*>& a, const std::vector<const Entry*>& b) {
    const bool same = std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Entry* x, const Entry* y) {
        return x->what.name == y->what.name && x->edges == y->edges;
    });
    LOOKAHEAD_ASSERT(same, "the components {} and {} of kind {} have different statistics", a.front()->component,
                     b.front()->component, a.front()->kind);
}

std::vector<std::string> names_of(const ByComponent& components) {
    std::vector<std::string> names;
    for (const auto& each : components) { names.emplace_back(each.second.front()->component); }
    return names;
}

HistogramRecord histogram_record(const ByComponent& components, std::size_t index) {
    const Entry& first = *components.begin()->second[index];
    HistogramRecord record{.kind = std::string(first.kind),
                           .name = std::string(first.what.name),
                           .unit = std::string(first.what.unit),
                           .description = std::string(first.what.description),
                           .edges = first.edges,
                           .components = names_of(components),
                           .counts = {},
                           .underflow = {},
                           .overflow = {}};
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
    const StatisticDescription& what = components.begin()->second[index]->what;
    CounterColumn column{std::string(what.name), std::string(what.unit), std::string(what.description), {}};
    for (const auto& each : components) { column.values.push_back(each.second[index]->value); }
    return column;
}

void write_kind(std::string_view kind, const ByComponent& components, RunRecord& record) {
    const auto& first = components.begin()->second;
    for (const auto& each : components) { check_same_statistics(first, each.second); }
    CounterGroup counters{std::string(kind), names_of(components), {}};
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i]->edges.empty()) {
            counters.columns.push_back(counter_column(components, i));
        } else {
            record.histograms.push_back(histogram_record(components, i));
        }
    }
    if (!counters.columns.empty()) { record.counters.push_back(std::move(counters)); }
}

/// Tables of all kinds have the same rows, and their columns follow each other. A table in which nothing was counted is
/// missing.
void write_tables(const std::map<std::string, StatisticsCollector::Tables, std::less<>>& kinds,
                  InstructionCounts& instructions) {
    if (kinds.empty()) { return; }
    for (const auto& [kind, tables] : kinds) {
        instructions.counters.insert(instructions.counters.end(), tables.counters.begin(), tables.counters.end());
    }
    std::map<std::uint64_t, std::size_t> rows_of;
    for (const auto& [kind, tables] : kinds) {
        for (const auto& [key, counts] : tables.counts) {
            const std::size_t rows = counts.size() / tables.counters.size();
            const auto [known, is_new] = rows_of.emplace(key, rows);
            LOOKAHEAD_ASSERT(known->second == rows, "tables of {} have other rows", kind);
        }
    }
    for (const auto& [key, rows] : rows_of) {
        for (std::size_t row = 0; row < rows; ++row) {
            instructions.rows.emplace_back(InstructionCounts::Row{
                .kernel = key, .number = row, .kernel_name = {}, .text = {}, .ptx = {}, .cuda_file = {}});
            for (const auto& [kind, tables] : kinds) {
                const std::size_t columns = tables.counters.size();
                const auto table = tables.counts.find(key);
                for (std::size_t i = row * columns; i < (row + 1) * columns; ++i) {
                    instructions.values.push_back(table == tables.counts.end() ? 0 : table->second[i]);
                }
            }
        }
    }
}

struct SentEntry {
    std::string component, kind, name, unit, description;
    std::uint64_t value = 0;
    std::vector<std::uint64_t> edges, counts;

    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        archive& component& kind& name& unit& description& value& edges& counts;
    }
};

}  // namespace

std::string_view StatisticsCollector::keep(std::string_view text, std::string_view before) {
    return text == before ? before : texts_.emplace_back(text);
}

void StatisticsCollector::counter(std::string_view component, std::string_view kind, const StatisticDescription& what,
                                  const std::uint64_t& value) {
    const std::string_view before = entries_.empty() ? std::string_view() : entries_.back().component;
    entries_.push_back({keep(component, before), kind, what, value, {}, {}});
}

void StatisticsCollector::histogram(std::string_view component, std::string_view kind, const StatisticDescription& what,
                                    const HistogramView& value) {
    counter(component, kind, what, 0);
    Entry& entry = entries_.back();
    entry.edges.assign(value.edges.begin(), value.edges.end());
    entry.counts.assign(value.counts.begin(), value.counts.end());
    entry.counts.push_back(value.underflow);
    entry.counts.push_back(value.overflow);
}

void StatisticsCollector::table(const CountTableView& value) {
    auto place = tables_.find(value.kind);
    if (place == tables_.end()) {
        place = tables_.emplace(value.kind, Tables{}).first;
        for (const StatisticDescription& what : value.counters) {
            place->second.counters.push_back(
                {std::string(what.name), std::string(what.unit), std::string(what.description)});
        }
    }
    place->second.add(value.key, value.counts);
}

void StatisticsCollector::Tables::add(std::uint64_t key, std::span<const std::uint64_t> more) {
    std::vector<std::uint64_t>& sums = counts[key];
    sums.resize(std::max(sums.size(), more.size()));
    std::transform(more.begin(), more.end(), sums.begin(), sums.begin(), std::plus<>());
}

std::string StatisticsCollector::to_bytes() const {
    std::vector<SentEntry> sent;
    for (const Entry& entry : entries_) {
        sent.push_back({std::string(entry.component), std::string(entry.kind), std::string(entry.what.name),
                        std::string(entry.what.unit), std::string(entry.what.description), entry.value, entry.edges,
                        entry.counts});
    }
    return archived(sent, tables_);
}

void StatisticsCollector::merge(std::string_view bytes) {
    std::vector<SentEntry> sent;
    std::map<std::string, Tables, std::less<>> tables;
    read_archived(bytes, "the statistics of another rank", sent, tables);
    for (auto& [kind, other] : tables) {
        Tables& mine = tables_[kind];
        mine.counters = std::move(other.counters);
        for (const auto& [key, counts] : other.counts) { mine.add(key, counts); }
    }
    Entry before;
    for (SentEntry& each : sent) {
        before = {keep(each.component, before.component),
                  keep(each.kind, before.kind),
                  {keep(each.name, {}), keep(each.unit, before.what.unit), keep(each.description, {})},
                  each.value,
                  std::move(each.edges),
                  std::move(each.counts)};
        entries_.push_back(before);
    }
}

void StatisticsCollector::write_into(RunRecord& record) const {
    ComponentNumbers numbers(record.components);
    // A process is on one rank, so its entries are in the order of its visit.
    std::map<std::size_t, std::vector<const Entry*>> by_process;
    std::vector<const Entry*>* list = nullptr;
    for (const Entry& entry : entries_) {
        if (list == nullptr || list->back()->component != entry.component) {
            list = &by_process[numbers.process_of(entry.component)];
        }
        list->push_back(&entry);
    }
    std::map<std::string_view, ByComponent> kinds;
    for (const auto& each : by_process) {
        std::vector<const Entry*>* statistics = nullptr;
        for (const Entry* entry : each.second) {
            if (statistics == nullptr || statistics->back()->component != entry->component ||
                statistics->back()->kind != entry->kind) {
                numbers.add(std::string(entry->component), entry->kind);
                statistics = &kinds[entry->kind][numbers.of(std::string(entry->component))];
            }
            statistics->push_back(entry);
        }
    }
    for (const auto& [kind, components] : kinds) { write_kind(kind, components, record); }
    write_tables(tables_, record.instructions);
}

}  // namespace lookahead
