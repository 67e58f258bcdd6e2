#include "experiments/profile/reaching_definitions.h"

#include <doctest/doctest.h>

#include "tests/support/kernel_builder.h"

namespace lookahead::profile {
namespace {

using isa::Operation;
using isa::Type;
using test::KernelBuilder;
using Writers = std::vector<std::uint32_t>;

struct Definitions {
    explicit Definitions(const KernelBuilder& builder)
        : kernel(builder.finish()), cfg(finaliser::machine_cfg(kernel.code)), reaching(kernel.code, cfg) {}
    isa::Kernel kernel;
    finaliser::MachineCfg cfg;
    ReachingDefinitions reaching;
};

TEST_CASE("a write hides earlier ones, a guarded write hides none") {
    KernelBuilder k("k", {});
    const auto x = k.reg(), y = k.reg();
    const auto p = k.predicate();
    k.op(Operation::mov, Type::u32, x, {k.literal(1)});          // 0
    k.op(Operation::mov, Type::u32, x, {k.literal(2)});          // 1
    k.setp(isa::Comparison::eq, Type::u32, p, x, k.literal(3));  // 2
    k.guard(p);
    k.op(Operation::mov, Type::u32, x, {k.literal(4)});  // 3
    k.unguard();
    k.op(Operation::add, Type::u32, y, {x, x});  // 4
    k.exit();
    const Definitions d(k);
    CHECK(d.reaching.writers(2, x.index) == Writers{1});
    CHECK(d.reaching.writers(4, x.index) == Writers{1, 3});
    CHECK(d.reaching.writers(3, unit_of_predicate(p.index)) == Writers{2});
}

TEST_CASE("at a loop's head both what came before and what the loop wrote arrive") {
    KernelBuilder k("k", {});
    const auto i = k.reg();
    const auto p = k.predicate();
    k.op(Operation::mov, Type::u32, i, {k.literal(0)});  // 0
    const auto head = k.here();
    k.op(Operation::add, Type::u32, i, {i, k.literal(1)});       // 1
    k.setp(isa::Comparison::lt, Type::u32, p, i, k.literal(9));  // 2
    k.guard(p);
    k.branch(head);  // 3
    k.unguard();
    k.exit();
    const Definitions d(k);
    CHECK(d.reaching.writers(1, i.index) == Writers{0, 1});
    CHECK(d.reaching.writers(2, i.index) == Writers{1});
}

TEST_CASE("the rows of a pair have writers of their own, and the constant predicate has none") {
    KernelBuilder k("k", {});
    const auto pair = k.reg64();
    k.op(Operation::mov, Type::u64, pair, {k.literal64(1)});                        // 0
    k.op(Operation::mov, Type::u32, KernelBuilder::word(pair, 1), {k.literal(2)});  // 1
    k.op(Operation::mov, Type::u64, pair, {pair});                                  // 2
    k.exit();
    const Definitions d(k);
    CHECK(d.reaching.writers(2, pair.index) == Writers{0});
    CHECK(d.reaching.writers(2, pair.index + 1u) == Writers{1});
    CHECK(unit_of_predicate(isa::kTruePredicate) == kNoUnit);
    CHECK(unit_of_predicate(isa::kNoPredicate) == kNoUnit);
}

}  // namespace
}  // namespace lookahead::profile
