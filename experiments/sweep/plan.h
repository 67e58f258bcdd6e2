#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "experiments/run/run.h"
#include "experiments/sweep/study.h"

namespace lookahead {

/// One run of a study.
struct SweepPoint {
    std::string workload;
    std::vector<std::string> labels;     ///< by axis: the name of its value
    std::vector<std::string> arguments;  ///< of `lookahead run`: workload, size, seed, machine, options, settings
    std::string key;                     ///< identity: effective configuration, inputs and program

    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        archive& workload& labels& arguments& key;
    }
};

/// The points of a study in the order workload, first axis, …, last axis. Makes every point's configuration, so that a
/// fault in any of them is found before the first run: ConfigurationError with the name of the point; InputError for
/// studies that check_study refuses. Two points with the same key are the same run under two names, and share its file.
std::vector<SweepPoint> plan_sweep(const Study&);

/// The running program's build_id, or a hash of its file if the linker gave none: results of another program do not
/// count.
std::string program_hash();

/// The SweepPoint::key of the run with this id, by a program (program_hash), on files with these hashes (hash_of_file).
std::string point_key(const std::string& run_id, const std::string& program,
                      const std::vector<std::string>& input_hashes);

/// A plan's points as rows of texts.
Json points_to_json(std::span<const SweepPoint>);
/// The points from such rows; JsonError for other values.
std::vector<SweepPoint> points_from_json(const Json&);

/// Why the result in a file does not belong to the point and `program` (this one's program_hash), as a sentence; empty
/// if it does. InputError if the file cannot be read.
std::string fault_of_result(const SweepPoint& point, const std::string& file, const std::string& program);

}  // namespace lookahead
