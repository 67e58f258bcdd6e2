#include "experiments/results/instruction_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "hdf5_schemas/run_schema.h"
#include "hdf5_schemas/validate.h"

namespace lookahead {
namespace {

namespace schema = run_schema;

/// Counters that divide the warps' cycles (components/sm/instruction_counters.h).
constexpr std::array<std::string_view, 9> kWaits{"turn",     "memory_unit", "memory", "constants", "fence",
                                                 "pipeline", "fetch",       "branch", "barrier"};

void add(std::vector<std::uint64_t>& sums, std::span<const std::uint64_t> more) {
    sums.resize(more.size());
    std::transform(more.begin(), more.end(), sums.begin(), sums.begin(), std::plus<>());
}

struct Place {
    std::string name, text;
};

Place place_of(const InstructionCounts::Row& row, CostPlace kind) {
    switch (kind) {
        case CostPlace::instruction:
            return {fmt::format("{:#06x}", row.pc), row.text};
        case CostPlace::ptx:
            return row.line == 0 ? Place{} : Place{fmt::format("{}", row.line), row.ptx};
        case CostPlace::cuda:
            return row.cuda_line == 0 ? Place{} : Place{fmt::format("{}:{}", row.cuda_file, row.cuda_line), ""};
    }
    throw InternalError("a place of costs that there is not");
}

}  // namespace

InstructionCounts read_instruction_counts(const std::string& path) {
    if (!is_file_of(path, schema::kId)) { throw InputError("{} is no result file of a run", path); }
    const hdf5::InputFile file(path);
    if (!file.root().has(schema::kInstructionsGroup)) {
        throw InputError("{} has no counts by instruction: an earlier program wrote it; run again", path);
    }
    const hdf5::Group group = file.root().open_group(schema::kInstructionsGroup);
    const auto texts = [&](const auto& dataset) { return group.open_dataset(dataset.name).read_texts(); };
    const auto kernels = texts(schema::kInstructionsKernel), lines = texts(schema::kInstructionsPtx),
               code = texts(schema::kInstructionsText), files = texts(schema::kInstructionsCudaFile);
    const auto pcs = group.open_dataset(schema::kInstructionsPc.name).read<std::uint64_t>();
    const auto ptx = group.open_dataset(schema::kInstructionsPtxLine.name).read<std::uint32_t>();
    const auto cuda = group.open_dataset(schema::kInstructionsCudaLine.name).read<std::uint32_t>();
    InstructionCounts counts;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        counts.rows.push_back(
            {0, i, kernels[i], pcs.at(i), code.at(i), ptx.at(i), lines.at(i), cuda.at(i), files.at(i)});
    }
    const auto names = texts(schema::kInstructionsCounter), units = texts(schema::kInstructionsUnit),
               meanings = texts(schema::kInstructionsMeaning);
    for (std::size_t i = 0; i < names.size(); ++i) {
        counts.counters.push_back({names[i], units.at(i), meanings.at(i)});
    }
    counts.values = group.open_dataset(schema::kInstructionsCounts.name).read<std::uint64_t>();
    if (counts.values.size() != counts.rows.size() * counts.counters.size()) {
        throw InputError("{}: counts by instruction have another shape than its rows and counters", path);
    }
    return counts;
}

InstructionCosts::InstructionCosts(const InstructionCounts& counts, CostPlace place) : counters_(counts.counters) {
    for (std::size_t i = 0; i < counters_.size(); ++i) {
        if (std::ranges::count(kWaits, counters_[i].name) > 0) { waits_.push_back(i); }
    }
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    for (std::size_t i = 0; i < counts.rows.size(); ++i) {
        const InstructionCounts::Row& row = counts.rows[i];
        Place at = place_of(row, place);
        const auto [found, is_new] = known.try_emplace({row.kernel_name, at.name}, rows_.size());
        if (is_new) { rows_.push_back({row.kernel_name, std::move(at.name), std::move(at.text), {}}); }
        add(rows_[found->second].counts, std::span(counts.values).subspan(i * counters_.size(), counters_.size()));
    }
}

std::uint64_t InstructionCosts::count(const InstructionCost& row, std::string_view counter) const {
    const auto found = std::ranges::find(counters_, counter, &InstructionCounts::Counter::name);
    return found == counters_.end() ? 0 : row.counts.at(static_cast<std::size_t>(found - counters_.begin()));
}

std::uint64_t InstructionCosts::warp_cycles(const InstructionCost& row) const {
    return std::accumulate(waits_.begin(), waits_.end(), std::uint64_t{0},
                           [&](std::uint64_t sum, std::size_t wait) { return sum + row.counts.at(wait); });
}

std::string_view InstructionCosts::main_wait(const InstructionCost& row) const {
    const auto most = std::ranges::max_element(waits_, {}, [&](std::size_t wait) { return row.counts.at(wait); });
    return most == waits_.end() || row.counts.at(*most) == 0 ? std::string_view() : counters_[*most].name;
}

InstructionCost InstructionCosts::total(std::string_view kernel) const {
    InstructionCost sum{std::string(kernel), "", "", std::vector<std::uint64_t>(counters_.size())};
    for (const InstructionCost& row : rows_) {
        if (row.kernel == kernel) { add(sum.counts, row.counts); }
    }
    return sum;
}

std::vector<std::string> InstructionCosts::kernels() const {
    std::vector<std::string> names;
    for (const InstructionCost& row : rows_) {
        if (std::ranges::find(names, row.kernel) == names.end()) { names.push_back(row.kernel); }
    }
    return names;
}

}  // namespace lookahead
