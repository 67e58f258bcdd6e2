#pragma once

#include <optional>
#include <string>

#include "experiments/sweep/plan.h"
#include "experiments/sweep/study.h"

namespace lookahead {

enum class PointStatus { missing, complete, failed };

struct PointState {
    PointStatus status = PointStatus::missing;
    int exit_code = 0;    ///< of a failed point; 128 + n for signal n
    std::string message;  ///< of a failed point: what it said last
    double wall_s = 0;    ///< of a failed point
};

/// The folder of a sweep:
///
///     study.toml                the study
///     points/KEY.h5             the result of a complete point, put there by renaming; one that is cut off is missing
///     points/KEY.failure.json   exit code and message of a point that ended otherwise
///     index.h5                  the table over all points (collect)
///
/// Any number of programs may work on it at once: a point's files appear whole or not at all, and a point that is run
/// twice gives the same file twice.
class SweepFolder {
  public:
    explicit SweepFolder(std::string path) : path_(std::move(path)) {}

    /// Makes the folders and writes study.toml. InputError if they cannot be made, or if the folder is of a study with
    /// another text.
    void create(const Study&) const;
    /// The study of study.toml. InputError if this is no sweep's folder.
    Study study() const;

    PointState state(const SweepPoint&) const;
    std::string result_file(const SweepPoint& point) const { return path_ + "/points/" + point.key + ".h5"; }
    std::string index_file() const { return path_ + "/index.h5"; }

    void record_failure(const SweepPoint&, const PointState&) const;
    void forget_failure(const SweepPoint&) const;

  private:
    std::string failure_file(const SweepPoint& point) const { return path_ + "/points/" + point.key + ".failure.json"; }

    std::string path_;
};

}  // namespace lookahead
