#pragma once

#include <string>

#include "experiments/results/run_record.h"

namespace lookahead {

/// Writes the record as one HDF5 file (hdf5_schemas/run.schema.json). The file appears under its name only when it
/// is complete. A path that cannot be written is an InputError.
void write_run(const RunRecord& record, const std::string& path);

}  // namespace lookahead
