#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "experiments/sweep/plan.h"
#include "experiments/sweep/study.h"

namespace lookahead {

enum class PointStatus { missing, complete, failed };

/// "missing", "complete" or "failed".
const char* name_of(PointStatus);

struct PointState {
    PointStatus status = PointStatus::missing;
    int exit_code = 0;    ///< of a failed point; 128 + n for signal n
    std::string message;  ///< of a failed point: its last message
    double wall_s = 0;    ///< of a failed point
};

/// The folder of a sweep:
///
///     study.toml                the study
///     points/KEY.h5             the result of a complete point, put there by renaming; one that is cut off is missing
///     points/KEY.failure.json   exit code and message of a point that ended otherwise
///     index.h5                  the table over all points (collect)
///
///     plan.json                 the points, for programs that only look at them
///     points/KEY.claim          held by the program that runs the point
///     points/KEY.checkpoint/    checkpoints, from which a point that was asked to stop goes on
///     points/KEY.begun          how many jobs of several ranks began the point and did not end it
///
/// Any number of programs may work on it at once and share its points: a point's files appear whole or not at all.
/// Programs on several nodes need a file system whose locks (flock) hold between nodes.
class SweepFolder {
  public:
    explicit SweepFolder(std::string path) : path_(std::move(path)) {}

    /// Makes the folders and writes study.toml. InputError if they cannot be made, or if the folder belongs to another
    /// study: one with another name, or with points that are not among `points`, which are this study's. A study may
    /// grow.
    void create(const Study&, std::span<const SweepPoint> points) const;
    /// The study of study.toml. InputError if this is not a sweep's folder.
    Study study() const;

    const std::string& path() const { return path_; }
    std::string failure_file(const SweepPoint& point) const { return file_of(point, ".failure.json"); }

    PointState state(const SweepPoint&) const;
    std::string result_file(const SweepPoint& point) const { return fmt::format("{}/points/{}.h5", path_, point.key); }
    /// This process's file for a result that may be incomplete.
    std::string temporary_file(const SweepPoint&) const;
    /// Removes files that dead programs have left, each under the claim of its point.
    void remove_abandoned() const;

    /// Writes the plan for recorded_plan().
    void record_plan(const Study&, std::span<const SweepPoint>) const;
    /// The plan of this study by this program; nothing if the folder has none, or another one, or if other files than
    /// the study's determine it.
    std::optional<std::vector<SweepPoint>> recorded_plan(const Study&) const;

    /// Writes a file of the folder, which appears whole.
    void write(const std::string& name, const std::string& text) const;
    /// InputError, with advice, if nothing can be written: a failure to write is not a failure of the point.
    void require_room() const;

    /// Makes the folder for the point's checkpoints; returns its path.
    std::string make_checkpoint_folder(const SweepPoint&) const;
    /// The last checkpoint of the point; empty without one.
    std::string last_checkpoint(const SweepPoint&) const;
    /// Removes the folder.
    void remove_checkpoints(const SweepPoint&) const;

    /// How often the point was begun and not ended.
    int times_begun(const SweepPoint&) const;
    void note_begun(const SweepPoint&, int times) const;
    void forget_begun(const SweepPoint&) const;

    std::string index_file() const { return fmt::format("{}/index.h5", path_); }

    void record_failure(const SweepPoint&, const PointState&) const;
    void forget_failure(const SweepPoint&) const;

    /// The exclusive right to run a point.
    class Claim {
      public:
        Claim() = default;
        Claim(Claim&& other) noexcept : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}
        Claim& operator=(Claim&& other) noexcept {
            std::swap(file_, other.file_);
            std::swap(path_, other.path_);
            return *this;
        }
        ~Claim();

      private:
        friend class SweepFolder;
        Claim(int file, std::string path) : file_(file), path_(std::move(path)) {}
        int file_ = -1;
        std::string path_;
    };
    /// Claims a point; nothing while another program runs it. A program that ends in any way releases its claims.
    std::optional<Claim> claim(const SweepPoint&) const;
    /// Claims the right to write the index; waits until no other program has it.
    Claim claim_index() const;

  private:
    static std::optional<Claim> claim_file(const std::string& path, bool wait);
    void require_own() const;
    void require_grown(const Study& now, std::span<const SweepPoint> points) const;
    std::string file_of(const SweepPoint& point, const char* suffix) const {
        return fmt::format("{}/points/{}{}", path_, point.key, suffix);
    }

    std::string path_;
};

}  // namespace lookahead
