#include "experiments/profile/instruction_roles.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/kernel_builder.h"

namespace lookahead::profile {
namespace {

using isa::Comparison;
using isa::Operation;
using isa::Space;
using isa::Type;
using test::KernelBuilder;

std::vector<Role> roles(const KernelBuilder& builder) {
    const isa::Kernel kernel = builder.finish();
    const finaliser::MachineCfg cfg = finaliser::machine_cfg(kernel.code);
    return roles_of(kernel.code, ReachingDefinitions(kernel.code, cfg));
}

TEST_CASE("of the paper's listing 2, 46 % are address generation: 6 of 13") {
    KernelBuilder k("vecadd", {8, 8, 8, 4, 4});
    const auto i = k.reg(), four = k.reg(), stride = k.reg();
    const auto a = k.reg64(), b = k.reg64(), c = k.reg64();
    const auto x = k.reg(), y = k.reg();
    const auto p = k.predicate();
    const auto head = k.here();
    const auto address = [&](KernelBuilder::Operand pair, unsigned parameter) {
        const auto base = k.parameter(parameter);
        k.op(Operation::mad_lo, Type::u32, KernelBuilder::word(pair, 0), {i, four, KernelBuilder::word(base, 0)});
        k.op(Operation::mad_hi, Type::s32, KernelBuilder::word(pair, 1), {i, four, KernelBuilder::word(base, 1)});
    };
    address(a, 0);
    address(b, 1);
    k.load(Space::global, Type::f32, x, a);
    k.load(Space::global, Type::f32, y, b);
    address(c, 2);
    k.op(Operation::add, Type::u32, i, {stride, i});
    k.setp(Comparison::lt, Type::s32, p, i, k.parameter(3));
    k.op(Operation::add, Type::f32, y, {x, y});
    k.store(Space::global, Type::f32, c, y);
    k.guard(p);
    k.branch(head);
    std::vector<Role> found = roles(k);
    found.pop_back();  // the exit, which the listing omits
    const auto count = [&](Role role) { return std::ranges::count(found, role); };
    REQUIRE(found.size() == 13);
    CHECK(count(Role::address_generation) == 6);
    CHECK(count(Role::memory) == 3);
    CHECK(count(Role::control) == 3);  // the counter's IADD belongs to the addresses too
    CHECK(count(Role::floating_point) == 1);
    CHECK(count(Role::integer) == 0);
}

TEST_CASE("an integer sum is address generation where an address is made of it, and computing where it is stored") {
    KernelBuilder k("k", {});
    const auto x = k.reg(), y = k.reg(), address = k.reg();
    k.op(Operation::add, Type::u32, x, {k.literal(1), k.literal(2)});  // 0: data
    k.op(Operation::add, Type::u32, y, {k.literal(4), k.literal(4)});  // 1: an index, then
    k.op(Operation::shl, Type::u32, address, {y, k.literal(2)});       // 2: the address
    k.store(Space::shared, Type::u32, address, x);                     // 3
    k.exit();                                                          // 4
    CHECK(roles(k) == std::vector<Role>{Role::integer, Role::address_generation, Role::address_generation, Role::memory,
                                        Role::control});
}

TEST_CASE("what a branch, and what a guard, is decided by is control") {
    KernelBuilder k("k", {});
    const auto x = k.reg(), y = k.reg();
    const auto p = k.predicate(), unused = k.predicate();
    k.op(Operation::add, Type::u32, x, {k.literal(1), k.literal(2)});  // 0
    k.setp(Comparison::lt, Type::u32, p, x, k.literal(5));             // 1
    k.setp(Comparison::lt, Type::u32, unused, x, k.literal(6));        // 2
    k.guard(p);
    k.op(Operation::add, Type::u32, y, {k.literal(3), k.literal(4)});  // 3: guarded, not queried
    k.exit();
    CHECK(roles(k) == std::vector<Role>{Role::control, Role::control, Role::integer, Role::integer, Role::control});
}

TEST_CASE("the backtrace ends at memory: a branch on a loaded value does not make its address control") {
    KernelBuilder k("k", {});
    const auto address = k.reg(), x = k.reg();
    const auto p = k.predicate();
    k.op(Operation::add, Type::u32, address, {k.literal(4), k.literal(4)});  // 0
    k.load(Space::shared, Type::u32, x, address);                            // 1
    k.setp(Comparison::ne, Type::u32, p, x, k.literal(0));                   // 2
    k.guard(p);
    k.exit();  // 3
    CHECK(roles(k) == std::vector<Role>{Role::address_generation, Role::memory, Role::control, Role::control});
}

TEST_CASE("the backtrace ends at floating point, in addresses and in conditions") {
    KernelBuilder k("k", {});
    const auto n = k.reg(), f = k.reg(), address = k.reg();
    const auto p = k.predicate();
    k.op(Operation::add, Type::u32, n, {k.literal(1), k.literal(2)});           // 0
    k.op(Operation::convert, Type::f32, f, {n}).source_type = Type::u32;        // 1
    k.setp(Comparison::lt, Type::f32, p, f, k.literal_f32(1));                  // 2
    k.op(Operation::convert, Type::u32, address, {f}).source_type = Type::f32;  // 3
    k.load(Space::shared, Type::u32, n, address);                               // 4
    k.guard(p);
    k.exit();  // 5
    CHECK(roles(k) == std::vector<Role>{Role::integer, Role::floating_point, Role::floating_point,
                                        Role::address_generation, Role::memory, Role::control});
}

TEST_CASE("what a select chooses an address by is address generation") {
    KernelBuilder k("k", {});
    const auto address = k.reg(), x = k.reg();
    const auto p = k.predicate();
    k.setp(Comparison::lt, Type::u32, p, k.literal(1), k.literal(2));  // 0
    k.select(Type::u32, address, k.literal(0), k.literal(4), p);       // 1
    k.load(Space::shared, Type::u32, x, address);                      // 2
    k.exit();
    CHECK(roles(k) ==
          std::vector<Role>{Role::address_generation, Role::address_generation, Role::memory, Role::control});
}

}  // namespace
}  // namespace lookahead::profile
