#include "experiments/sweep/plan.h"

#include "core/hdf5/file.h"
#include "core/state/state_hasher.h"
#include "experiments/results/provenance.h"
#include "hdf5_schemas/run_schema.h"

namespace lookahead {

std::string point_key(const std::string& run_id, const std::string& program,
                      const std::vector<std::string>& input_hashes) {
    StateHasher hasher;
    hasher.add_bytes(run_id.data(), run_id.size());
    hasher.add_bytes(program.data(), program.size());
    for (const std::string& hash : input_hashes) { hasher.add_bytes(hash.data(), hash.size()); }
    return hash_text(hasher.value());
}

std::string fault_of_result(const SweepPoint& point, const std::string& file, const std::string& program) {
    const hdf5::InputFile result(file);
    const hdf5::Group root = result.root();
    const hdf5::Group meta = root.open_group(run_schema::kMetaGroup);
    if (meta.text_attribute(run_schema::kMetaProgramHashAttribute) != build_id()) {
        return "another program than the sweep's ran the point: start the sweep again";
    }
    const auto inputs = meta.attribute_as<std::vector<std::string>>(run_schema::kMetaInputHashesAttribute);
    return point_key(root.text_attribute(run_schema::kRunIdAttribute), program, inputs) == point.key
               ? ""
               : "the point ran on other files than the sweep was planned with, which have changed since: start the "
                 "sweep again";
}

}  // namespace lookahead
