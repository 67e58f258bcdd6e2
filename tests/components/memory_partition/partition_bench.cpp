#include "tests/components/memory_partition/partition_bench.h"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <sstream>

namespace lookahead::gpu::test {

void PartitionBench::save_and_load() {
    collect();
    std::stringstream bytes;
    {
        boost::archive::binary_oarchive archive(bytes);
        LpBinding::save(*processes_[0], archive);
    }
    processes_[0] = model_.make(0);
    bind(0, model_.first_channel_numbers()[0]);
    boost::archive::binary_iarchive archive(bytes);
    LpBinding::load(*processes_[0], archive);
}

}  // namespace lookahead::gpu::test
