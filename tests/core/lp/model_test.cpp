#include "core/lp/model.h"

#include <doctest/doctest.h>

#include "core/error/error.h"
#include "core/lp/logical_process.h"

using namespace lookahead;

namespace {

Model of(int processes) {
    Model model;
    for (int i = 0; i < processes; ++i) { model.add({"lp" + std::to_string(i), "node"}, nullptr); }
    return model;
}

}  // namespace

TEST_CASE("out-ports are numbered by process and port, whatever the order of connections") {
    Model model = of(4);
    model.connect(2, 1, 0, 0, 5);
    model.connect(0, 0, 1, 0, 5);
    model.connect(0, 2, 1, 0, 5);
    CHECK(model.first_channel_numbers() == std::vector<std::uint32_t>{0, 3, 3, 5, 5});
}

TEST_CASE("a channel needs a lookahead of at least 1 fs") {
    Model model = of(2);
    CHECK_NOTHROW(model.connect(0, 0, 1, 0, 1));
    CHECK_THROWS_AS(model.connect(0, 0, 1, 0, 0), InternalError);
}

TEST_CASE("a channel to a process that does not exist is refused") {
    Model model = of(2);
    model.connect(0, 0, 1, 0, 5);
    CHECK_NOTHROW(model.first_channel_numbers());
    model.connect(0, 0, 2, 0, 5);
    CHECK_THROWS_AS(model.first_channel_numbers(), InternalError);
}

TEST_CASE("a uniform fan-out must be alone at its port") {
    Model model = of(4);
    model.connect_all(0, 0, 0, 4, 0, 5);
    CHECK_NOTHROW(model.first_channel_numbers());
    model.connect(0, 0, 1, 0, 5);
    CHECK_THROWS_AS(model.first_channel_numbers(), InternalError);
}
