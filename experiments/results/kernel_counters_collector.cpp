#include "experiments/results/kernel_counters_collector.h"

#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include <fmt/format.h>

#include "core/checkpoint/archived.h"
#include "core/stats/phase_log.h"
#include "core/stats/statistics_visitor.h"

namespace lookahead {

namespace {

/// Kinds and names of a process's counters, in order; pointers to the program's own texts.
class CounterNames final : public StatisticsVisitor {
  public:
    void counter(std::string_view, std::string_view kind, const StatisticDescription& what,
                 const std::uint64_t&) override {
        names.emplace_back(kind, what.name);
    }

    std::vector<std::pair<std::string_view, std::string_view>> names;
};

using Kernel = KernelCountersCollector::Kernel;

void add_count(Kernel& kernel, std::size_t column, std::uint64_t count) {
    if (kernel.counts.size() <= column) { kernel.counts.resize(column + 1); }
    kernel.counts[column] += count;
}

}  // namespace

std::size_t KernelCountersCollector::column(const std::string& name) {
    const auto [place, is_new] = columns_.try_emplace(name, names_.size());
    if (is_new) { names_.push_back(name); }
    return place->second;
}

void KernelCountersCollector::add(const LogicalProcess& process) {
    const PhaseLog* log = process.phases();
    if (log == nullptr) { return; }
    ++processes_;
    CounterNames all;
    process.visit_statistics(all);
    if (all.names != last_names_) {  // most processes are of the previous one's kind
        last_columns_.clear();
        for (const auto& [kind, name] : all.names) {
            last_columns_.push_back(column(fmt::format("{}.{}", kind, name)));
        }
        last_names_ = std::move(all.names);
    }
    log->for_each([&](std::uint64_t launch, std::span<const std::uint64_t> counts) {
        Kernel& kernel = kernels_[launch];
        ++kernel.processes;
        for (std::size_t i = 0; i < counts.size(); ++i) { add_count(kernel, last_columns_[i], counts[i]); }
    });
}

std::string KernelCountersCollector::to_bytes() const {
    return archived(names_, kernels_, processes_);
}

void KernelCountersCollector::merge(std::string_view bytes) {
    std::vector<std::string> names;
    std::map<std::uint64_t, Kernel> kernels;
    std::uint64_t processes = 0;
    read_archived(bytes, "the kernels' counters of another rank", names, kernels, processes);
    processes_ += processes;
    std::vector<std::size_t> columns;
    for (const std::string& name : names) { columns.push_back(column(name)); }
    for (const auto& [launch, other] : kernels) {
        Kernel& kernel = kernels_[launch];
        kernel.processes += other.processes;
        for (std::size_t i = 0; i < other.counts.size(); ++i) { add_count(kernel, columns[i], other.counts[i]); }
    }
}

void KernelCountersCollector::write_into(RunRecord& record) {
    KernelCounters& table = record.kernel_counters;
    std::vector<std::size_t> columns;
    for (const CounterGroup& group : record.counters) {
        for (const CounterColumn& counter : group.columns) {
            std::string name = fmt::format("{}.{}", group.kind, counter.name);
            if (const auto found = columns_.find(name); found != columns_.end()) {
                columns.push_back(found->second);
                table.counters.push_back(std::move(name));
            }
        }
    }
    table.values.reserve(record.kernels.size() * columns.size());
    for (const KernelRow& row : record.kernels) {
        const auto kernel = kernels_.find(row.id);
        const bool ended = kernel != kernels_.end() && kernel->second.processes == processes_;
        for (const std::size_t each : columns) {
            table.values.push_back(ended && each < kernel->second.counts.size() ? kernel->second.counts[each] : 0);
        }
        if (kernel != kernels_.end()) { kernels_.erase(kernel); }
    }
    kernels_.clear();
}

}  // namespace lookahead
