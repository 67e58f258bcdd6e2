#include "experiments/sweep/best.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lookahead {

namespace {

/// The role of each axis for a Best.
class Roles {
  public:
    Roles(const Study& study, const Best& best) : best_(best), pinned_(study.axes.size(), nullptr) {
        for (std::size_t i = 0; i < study.axes.size(); ++i) {
            const std::string& name = study.axes[i].name;
            if (name == best.axis) { axis_ = i; }
            for (const AxisChoice& choice : best.among) {
                if (choice.axis == name) { pinned_[i] = &choice.value; }
            }
        }
    }

    const std::string& value(const SweepPoint& point) const { return point.labels[axis_]; }
    bool is_candidate(const SweepPoint& point) const {
        for (std::size_t i = 0; i < pinned_.size(); ++i) {
            if (pinned_[i] != nullptr && *pinned_[i] != point.labels[i]) { return false; }
        }
        return best_.values.empty() || std::ranges::find(best_.values, value(point)) != best_.values.end();
    }
    /// Points with equal groups compete: the workload and the axes that are not pinned.
    std::vector<std::string> group(const SweepPoint& point) const {
        return labels(point, [this](std::size_t axis) { return axis != axis_ && pinned_[axis] == nullptr; });
    }
    /// Points with equal rows differ only in the axis's value.
    std::vector<std::string> row(const SweepPoint& point) const {
        return labels(point, [this](std::size_t axis) { return axis != axis_; });
    }

  private:
    /// The workload, and the values of the axes that `counts` accepts.
    template <class Counts>
    static std::vector<std::string> labels(const SweepPoint& point, Counts counts) {
        std::vector<std::string> names{point.workload};
        for (std::size_t i = 0; i < point.labels.size(); ++i) {
            if (counts(i)) { names.push_back(point.labels[i]); }
        }
        return names;
    }

    const Best& best_;
    std::size_t axis_ = 0;
    std::vector<const std::string*> pinned_;  ///< by axis: the value required of candidates
};

struct Chosen {
    std::string value;
    double figure = 0;
    std::uint64_t complete = 0;
    std::uint64_t candidates = 0;

    void consider(const std::string& candidate, double its_figure, bool largest) {
        ++candidates;
        if (std::isnan(its_figure)) { return; }
        if (complete++ == 0 || (largest ? its_figure > figure : its_figure < figure)) {
            value = candidate;
            figure = its_figure;
        }
    }
};

}  // namespace

std::vector<BestRow> best_rows(const Study& study, const Best& best, std::span<const SweepPoint> points,
                               std::span<const double> figures) {
    const Roles roles(study, best);
    std::map<std::vector<std::string>, Chosen> chosen;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (roles.is_candidate(points[i])) {
            chosen[roles.group(points[i])].consider(roles.value(points[i]), figures[i], best.largest);
        }
    }
    std::vector<BestRow> rows;
    std::map<std::vector<std::string>, std::size_t> row_of;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Chosen& choice = chosen.at(roles.group(points[i]));
        const auto [at, added] = row_of.try_emplace(roles.row(points[i]), rows.size());
        if (added) {
            rows.push_back(
                {best.name, points[i].workload, best.axis, choice.value, -1, choice.complete, choice.candidates});
        }
        if (choice.complete > 0 && roles.value(points[i]) == choice.value) {
            rows[at->second].point = static_cast<std::int64_t>(i);
        }
    }
    return rows;
}

}  // namespace lookahead
