// When loads in the load/store unit's table complete.
#include <doctest/doctest.h>

#include "components/sm/lsu/load_table.h"
#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test::load_table_tests {
namespace {

using Items = std::vector<std::uint64_t>;

Items due(TimingWheel& completions, Cycle cycle) {
    Items items;
    completions.take(cycle, [&](std::uint64_t item) { items.push_back(item); });
    return items;
}

TEST_CASE("a load completes when its last access is made and all data have come") {
    TimingWheel completions(64);
    RegisterFile registers(8);
    LoadTable loads(2, 5, registers, completions);
    const isa::Instruction what = make_memory(Operation::load);
    MemoryInstruction memory{};
    memory.instruction = &what;
    const std::uint32_t early = loads.begin(what, memory, 1, 0);
    const std::uint32_t late = loads.begin(what, memory, 1, 0);
    CHECK(loads.full());
    loads[early].outstanding = loads[late].outstanding = 1;
    loads.data_came(early, 10);  // before its last access
    loads.all_accessed(early, 12);
    loads.all_accessed(late, 12);
    loads.data_came(late, 20);
    CHECK(due(completions, 15) == Items{early});
    CHECK(due(completions, 25) == Items{late});
}

}  // namespace
}  // namespace lookahead::gpu::test::load_table_tests
