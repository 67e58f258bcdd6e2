#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "components/isa/address_space.h"
#include "components/isa/kernel.h"
#include "tests/components/sm/sm_harness.h"

namespace lookahead::test {

/// An SM with configuration `toml` and six CTAs of 96 threads of `kernel`, with the address of a buffer of 1024
/// different words, 5 and 4 as parameters: for contract tests of issue extensions.
struct LaunchedSm {
    LaunchedSm(isa::Kernel kernel, const std::string& toml) : harness({std::move(kernel)}, toml) {
        harness.memory().fill_global_words(0, 1024, [](unsigned i) { return 7 * i + 3; });
        harness.launch({.grid = {6, 1, 1},
                        .block = {96, 1, 1},
                        .parameters = {static_cast<std::uint32_t>(isa::kGlobalBase),
                                       static_cast<std::uint32_t>(isa::kGlobalBase >> 32), 5, 4}});
    }
    SmHarness harness;
};

/// Requires that an SM replaced by a restored copy every `step` cycles behaves like an undisturbed one, including the
/// cycle of the launch's last message. `Sm` must derive from LaunchedSm and need no arguments.
template <class Sm>
void require_that_copies_go_on(Cycle step) {
    Sm whole, copied;
    unsigned copies = 0;
    for (Cycle at = 30; !whole.harness.done() && at < 20000; at += step, ++copies) {
        copied.harness.run_until_window_by_window(copied.harness.clock().edge(at));
        whole.harness.run_until_window_by_window(whole.harness.clock().edge(at));
        copied.harness.replace_sm_by_restored_copy();
        REQUIRE(copied.harness.state_hash() == whole.harness.state_hash());
    }
    CHECK(copies > 20);
    REQUIRE(whole.harness.run());
    REQUIRE(copied.harness.run());
    CHECK(copied.harness.state_hash() == whole.harness.state_hash());
    CHECK(copied.harness.received().back().cycle == whole.harness.received().back().cycle);
}

}  // namespace lookahead::test
