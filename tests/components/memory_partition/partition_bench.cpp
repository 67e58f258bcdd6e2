#include "tests/components/memory_partition/partition_bench.h"
#include "core/state/archives.h"

namespace lookahead::gpu::test {

void PartitionBench::save_and_load() {
    collect();
    const auto fields = [this](StateArchive& archive) { LpBinding::fields(*processes_[0], archive); };
    const std::string bytes = state_to_bytes(fields);
    processes_[0] = model_.make(0);
    bind(0, model_.first_channel_numbers()[0]);
    state_from_bytes(bytes, "the partition", fields);
}

}  // namespace lookahead::gpu::test
