#include "components/frontend/finaliser/passes/passes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace lookahead;
using namespace lookahead::finaliser;

namespace {

/// Names of the passes that the options ask for, in their order.
std::vector<std::string> wanted(const FinaliserOptions& options, bool rename = true) {
    std::vector<std::string> names;
    for (const Pass& pass : passes())
        if (pass.is_wanted({options, rename, false})) names.emplace_back(pass.name);
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
