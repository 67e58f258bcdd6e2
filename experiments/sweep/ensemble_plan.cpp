#include <algorithm>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <map>
#include <set>
#include <tuple>

#include "core/checkpoint/archived.h"
#include "core/transport/agreement/agreement.h"
#include "experiments/sweep/costs.h"
#include "experiments/sweep/ensemble.h"

namespace lookahead {

namespace {

/// One rank's assumed rate if only the number of warp instructions is known.
constexpr double kInstructionsPerSecond = 1e6;

/// Command lines whose instructions must be counted: one per program without known costs.
std::vector<std::vector<std::string>> unknown_programs(const EnsemblePlan& plan, std::span<const std::size_t> missing,
                                                       const EarlierCosts& earlier) {
    std::set<std::string> all;
    std::map<std::string, std::vector<std::string>> unknown;
    for (const std::size_t i : missing) {
        const SweepPoint& point = plan.points[i];
        const std::string program = program_of(point.arguments);
        all.insert(program);
        if (!earlier.of(point)) { unknown.emplace(program, point.arguments); }
    }
    std::vector<std::vector<std::string>> lines;
    for (const auto& [program, arguments] : unknown) {
        if (all.size() > 1) {  // a single one needs no order
            lines.push_back(arguments);
        }
    }
    return lines;
}

/// Warp instructions of each command line; the ranks share the counting. Every rank calls it, with rank 0's lines.
std::vector<std::uint64_t> count_on_all(std::vector<std::vector<std::string>> lines, Transport& world,
                                        const ReadRequest& read) {
    std::string bytes = archived(lines);
    world.broadcast(bytes);
    read_archived(bytes, "the lines of unknown programs", lines);
    const auto ranks = static_cast<std::size_t>(world.size());
    const std::size_t turns = (lines.size() + ranks - 1) / ranks;
    std::vector<std::uint64_t> mine(turns);
    for (std::size_t turn = 0; turn < turns; ++turn) {
        const std::size_t line = turn * ranks + static_cast<std::size_t>(world.rank());
        if (line < lines.size()) {
            std::vector<std::string> arguments{"run"};
            arguments.insert(arguments.end(), lines[line].begin(), lines[line].end());
            // The point's run will report its errors.
            static_cast<void>(catch_error([&] { mine[turn] = count_warp_instructions(read(arguments, world)); }));
        }
    }
    std::vector<std::uint64_t> all(turns * ranks);
    world.all_gather(mine, all);
    std::vector<std::uint64_t> counts;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        counts.push_back(all[line % ranks * turns + line / ranks]);
    }
    return counts;
}

/// The shard's points without a result or failure, as indices of the plan's points; counts the others.
std::vector<std::size_t> missing_points(EnsemblePlan& plan, const SweepFolder& folder, const SweepRunOptions& options) {
    std::vector<std::size_t> missing;
    std::set<std::string> keys;
    for (std::size_t i = 0; i < plan.points.size(); ++i) {
        const SweepPoint& point = plan.points[i];
        if (i % static_cast<std::size_t>(options.shards) != static_cast<std::size_t>(options.shard) ||
            !keys.insert(point.key).second) {
            continue;
        }
        PointStatus status = folder.state(point).status;
        if (status == PointStatus::failed && options.retry_failed) {
            folder.forget_failure(point);
            folder.forget_begun(point);
            status = PointStatus::missing;
        }
        plan.complete += status == PointStatus::complete;
        plan.failed += status == PointStatus::failed;
        if (status == PointStatus::missing) { missing.push_back(i); }
    }
    return missing;
}

}  // namespace

EnsemblePlan plan_alone(std::vector<SweepPoint> points, const SweepFolder& folder, const SweepRunOptions& options) {
    EnsemblePlan plan;
    plan.program = program_hash();
    plan.points = std::move(points);
    for (const std::size_t i : missing_points(plan, folder, options)) { plan.work.push_back({i, 1}); }
    return plan;
}

EnsemblePlan plan_ensemble(const Study& study, std::vector<SweepPoint> points, const SweepFolder& folder,
                           const SweepRunOptions& options, int ranks_per_point, Transport& world,
                           const ReadRequest& read) {
    EnsemblePlan plan;
    std::vector<std::size_t> missing;
    std::optional<EarlierCosts> earlier;
    std::vector<std::vector<std::string>> lines;
    on_every_rank(world, [&] {
        if (world.rank() == 0) {
            plan.program = program_hash();
            plan.points = std::move(points);
            missing = missing_points(plan, folder, options);
            earlier.emplace(study, folder, plan.points);
            lines = unknown_programs(plan, missing, *earlier);
        }
    });
    const std::vector<std::uint64_t> counts = count_on_all(lines, world, read);
    if (world.rank() != 0) { return plan; }
    std::map<std::string, double> counted;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        counted[program_of(lines[line])] = static_cast<double>(counts[line]) / kInstructionsPerSecond;
    }
    std::vector<double> costs;
    for (const std::size_t i : missing) {
        const SweepPoint& point = plan.points[i];
        const auto known = earlier->of(point);
        const auto instructions = counted.find(program_of(point.arguments));
        costs.push_back(known ? *known : instructions != counted.end() ? instructions->second : 1.0);
    }
    const std::vector<int> chosen = choose_ranks(costs, world.size());
    struct Place {
        EnsemblePlan::Work work;
        double cost;
        bool was_begun;
    };
    std::vector<Place> places;
    for (std::size_t i = 0; i < missing.size(); ++i) {
        const int ranks = ranks_per_point != 0 ? std::min(ranks_per_point, world.size()) : chosen[i];
        places.push_back({{missing[i], ranks}, costs[i], ranks > 1 && folder.times_begun(plan.points[missing[i]]) > 0});
    }
    // Points that ended a job before come last: if they do so again, the others are complete.
    std::ranges::stable_sort(places, [](const Place& a, const Place& b) {
        return std::tuple(a.was_begun, -a.work.ranks, -a.cost) < std::tuple(b.was_begun, -b.work.ranks, -b.cost);
    });
    std::ranges::transform(places, std::back_inserter(plan.work), &Place::work);
    return plan;
}

}  // namespace lookahead
