#include "experiments/profile/access_patterns.h"

#include <numeric>

#include "components/isa/instruction.h"
#include "experiments/profile/innermost_loops.h"

namespace lookahead::profile {
namespace {

using isa::Operation;
using isa::Space;

bool is_reported(const isa::Instruction& instruction) {
    if (instruction.operation != Operation::load && instruction.operation != Operation::store) { return false; }
    return instruction.space == Space::global || instruction.space == Space::shared ||
           instruction.space == Space::generic;
}

/// The coordinates of fetches are not watched: they count as moving.
std::vector<bool> moving_loads(const isa::Kernel& kernel, std::size_t number, const AddressStreams& streams) {
    std::vector<bool> moves;
    for (std::uint32_t i = 0; i < kernel.own_size(); ++i) {
        moves.push_back(kernel.code[i].operation == Operation::texture || streams.statistics(number, i).moves);
    }
    return moves;
}

KernelReport report_kernel(const isa::Kernel& kernel, std::size_t number, const AddressStreams& streams,
                           std::span<const InstructionCount> executed, const PatternOptions& options) {
    const KernelAnalysis& analysis = streams.analysis(number);
    KernelReport report;
    report.kernel = kernel.name;
    const std::vector<Indirection> kinds = indirections(analysis.address_loads, moving_loads(kernel, number, streams));
    for (std::uint32_t i = 0; i < kernel.own_size(); ++i) {
        report.warps_by_role[static_cast<std::size_t>(analysis.roles[i])] += executed[i].warps;
        if (!is_reported(kernel.code[i]) || executed[i].warps == 0) { continue; }
        const StreamStatistics& statistics = streams.statistics(number, i);
        AccessReport access;
        access.instruction = i;
        access.line = kernel.code[i].line;
        access.stores = kernel.code[i].operation == Operation::store;
        access.shared = kernel.code[i].space == Space::shared || 2 * statistics.shared_accesses > statistics.accesses;
        access.executed = executed[i];
        access.verdict = analysis.loop_of[i] == kNoLoop ? Verdict{Pattern::other, Unfit::outside_loops}
                                                        : judge(statistics, kinds[i], options);
        if (access.verdict.pattern == Pattern::strided) { access.strides = statistics.strides; }
        access.distance = statistics.steps == 0 ? 0 : statistics.distance / statistics.steps;
        report.accesses.push_back(std::move(access));
    }
    return report;
}

}  // namespace

std::string_view name_of(Pattern pattern) {
    static constexpr std::array<std::string_view, kPatterns> kNames{"strided", "regular_indirect", "irregular_indirect",
                                                                    "other"};
    return kNames[static_cast<std::size_t>(pattern)];
}

std::string_view sentence_of(Unfit reason) {
    static constexpr std::string_view kSentences[] = {
        "", "outside innermost loops", "no thread executes it twice in a row",
        "too many instructions between two accesses", "the stride varies"};
    return kSentences[static_cast<std::size_t>(reason)];
}

Verdict judge(const StreamStatistics& statistics, Indirection indirection, const PatternOptions& options) {
    if (statistics.steps == 0) { return {Pattern::other, Unfit::once_a_visit}; }
    if (statistics.distance > options.farthest * statistics.steps) { return {Pattern::other, Unfit::far_apart}; }
    if (indirection == Indirection::irregular) { return {Pattern::irregular_indirect}; }
    if (indirection == Indirection::regular) { return {Pattern::regular_indirect}; }
    if (statistics.broken_steps != 0) { return {Pattern::other, Unfit::stride_varies}; }
    return {Pattern::strided};
}

std::uint64_t PatternSums::instructions() const {
    return std::accumulate(by_role.begin(), by_role.end(), std::uint64_t{0});
}

std::vector<KernelReport> report_patterns(const EmulatedDevice& device, const AddressStreams& streams,
                                          const PatternOptions& options) {
    std::vector<std::uint64_t> launches(device.kernels().size(), 0);
    for (const EmulatedDevice::Launch& launch : device.launches()) { ++launches[launch.kernel]; }
    std::vector<KernelReport> reports;
    for (std::size_t number = 0; number < launches.size(); ++number) {
        if (launches[number] == 0) { continue; }
        reports.push_back(report_kernel(device.kernels()[number], number, streams,
                                        device.executed(static_cast<std::uint32_t>(number)), options));
        reports.back().launches = launches[number];
    }
    return reports;
}

PatternSums sum_of(std::span<const KernelReport> kernels) {
    PatternSums sums;
    for (const KernelReport& kernel : kernels) {
        for (std::size_t role = 0; role < kRoles; ++role) { sums.by_role[role] += kernel.warps_by_role[role]; }
        for (const AccessReport& access : kernel.accesses) {
            auto& patterns = access.shared ? sums.shared : sums.global;
            patterns[static_cast<std::size_t>(access.verdict.pattern)] += access.executed.warps;
            for (const auto& [stride, steps] : access.strides) { sums.strides[stride] += steps; }
        }
    }
    return sums;
}

}  // namespace lookahead::profile
