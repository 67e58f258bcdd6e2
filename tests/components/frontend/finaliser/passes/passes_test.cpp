#include "components/frontend/finaliser/passes/passes.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "components/frontend/finaliser/register_profile.h"
#include "tests/components/frontend/finaliser/function_transform.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

/// The names of the passes that the options choose, in order.
std::vector<std::string> wanted(const FinaliserOptions& options, bool rename = true) {
    std::vector<std::string> names;
    for (const Pass& pass : passes()) {
        if (pass.is_wanted({options, rename, false})) { names.emplace_back(pass.name); }
    }
    return names;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

}  // namespace

TEST_CASE("every pass has a name of its own and says what it does") {
    std::set<std::string_view> names;
    for (const Pass& pass : passes()) {
        CHECK(names.insert(pass.name).second);
        CHECK(pass.description.ends_with('.'));
    }
    CHECK(names.size() >= 10);
}

TEST_CASE("the options choose the passes") {
    CHECK(wanted({}) == std::vector<std::string>{"exits", "reachable", "rename", "simplify", "split", "predicates"});
    CHECK_FALSE(holds(wanted({}, false), "rename"));
    FinaliserOptions options;
    options.simplify = false;
    CHECK_FALSE(holds(wanted(options), "simplify"));
    options.isa.expand_64bit = true;
    CHECK(holds(wanted(options), "expand"));
    options.isa.single_constant = true;
    CHECK(holds(wanted(options), "legalise"));
    options.fuse_products = true;
    CHECK(holds(wanted(options), "fuse"));
    options.isa.pointers = 32;
    CHECK(holds(wanted(options, false), "rename"));
    CHECK(holds(wanted(options), "narrow"));
}

TEST_CASE("a kernel passes again for another limit of registers only where a transform looks at the limit") {
    // Ten sums that live until the end: several limits are tried.
    std::string body;
    for (int i = 0; i < 10; ++i) { body += fmt::format("ld.global.u32 %r{}, [%out+{}];", i, 4 * i); }
    for (int i = 0; i < 10; ++i) { body += fmt::format("mad.lo.u32 %r{}, %r{}, %r{}, %a;", i, i, (i + 1) % 10); }
    for (int i = 0; i < 10; ++i) { body += fmt::format("st.global.u32 [%out+{}], %r{};", 4 * i, i); }
    const ptx::Module module = module_of(body);
    unsigned calls = 0, limits = 0;
    const auto profile_with = [&](unsigned step) {
        calls = 0;
        const FinaliserOptions options = with_transform([&](KernelUnderWork& kernel, const FinaliserOptions& given) {
            ++calls;
            const unsigned first = given.isa.registers / step * step;
            kernel.same_for.narrow_to({first, first + step - 1});
        });
        const RegisterProfile profile = profile_registers(module, module.functions.back(), options);
        limits = static_cast<unsigned>(profile.limits.size());
        return profile;
    };
    const RegisterProfile once = profile_with(1000);
    CHECK(limits > 4);
    CHECK(calls <= 2);  // with renamed values, and without
    const RegisterProfile always = profile_with(1);
    CHECK(calls >= limits);
    REQUIRE(once.limits.size() == always.limits.size());
    for (std::size_t i = 0; i < once.limits.size(); ++i) {
        CHECK(once.limits[i].limit == always.limits[i].limit);
        CHECK(once.limits[i].registers == always.limits[i].registers);
        CHECK(once.limits[i].spill_bytes == always.limits[i].spill_bytes);
        CHECK(once.limits[i].instructions == always.limits[i].instructions);
    }
    profile_with(4);
    CHECK(calls < limits + 6);
}
