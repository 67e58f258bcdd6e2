#include "components/frontend/ptx/cfg.h"

#include <doctest/doctest.h>

#include "tests/components/frontend/ptx/test_support.h"

namespace lookahead::ptx {
namespace {

using Nodes = std::vector<std::uint32_t>;

Cfg cfg_of(const std::string& body) {
    return build_cfg(*test::parse(test::with_header(".entry k() { .reg .pred %p<4>; .reg .b32 %r<4>;\n" + body + "}"))
                          .find_kernel("k"));
}

constexpr const char* kStep = "add.s32 %r1, %r1, 1;\n";

std::string step() {
    return kStep;
}

}  // namespace

TEST_CASE("straight code is one block that leaves") {
    const Cfg cfg = cfg_of(step() + step() + "ret;");
    REQUIRE(cfg.blocks.size() == 1);
    CHECK(cfg.blocks[0].end == 3);
    CHECK(cfg.graph.exits[0]);
    CHECK(cfg.graph.successors[0].empty());
    CHECK(cfg.block_of == Nodes{0, 0, 0});
}

TEST_CASE("a guarded branch has two successors, and both arms join at its label") {
    const Cfg cfg = cfg_of("@%p1 bra ELSE;\n" + step() + "bra END;\nELSE:" + step() + "END: ret;");
    REQUIRE(cfg.blocks.size() == 4);
    CHECK(cfg.graph.successors[0] == Nodes{1, 2});
    CHECK(cfg.graph.successors[1] == Nodes{3});
    CHECK(cfg.graph.successors[2] == Nodes{3});
    CHECK(immediate_post_dominators(cfg.graph) == Nodes{3, 3, 3, kNoNode});
}

TEST_CASE("a label that no branch names starts no block") {
    CHECK(cfg_of(step() + "L: " + step() + "ret;").blocks.size() == 1);
}

TEST_CASE("a loop leads back to its header") {
    const Cfg cfg = cfg_of(step() + "TOP:" + step() + "@%p1 bra TOP;\nret;");
    REQUIRE(cfg.blocks.size() == 3);
    CHECK(cfg.graph.successors[1] == Nodes{2, 1});
    CHECK(immediate_dominators(cfg.graph) == Nodes{kNoNode, 0, 1});
}

TEST_CASE("a guarded exit both leaves and goes on") {
    const Cfg cfg = cfg_of("@%p1 exit;\n" + step() + "ret;");
    REQUIRE(cfg.blocks.size() == 2);
    CHECK(cfg.graph.exits[0]);
    CHECK(cfg.graph.successors[0] == Nodes{1});
    CHECK(immediate_post_dominators(cfg.graph)[0] == kNoNode);
}

TEST_CASE("running off the end leaves the function, by falling through or by a branch") {
    const Cfg cfg = cfg_of("@%p1 bra E;\n" + step() + "E:");
    REQUIRE(cfg.blocks.size() == 2);
    CHECK(cfg.graph.exits[0]);
    CHECK(cfg.graph.exits[1]);
    CHECK(cfg.graph.successors[0] == Nodes{1});
}

TEST_CASE("a branch to the next instruction has one successor") {
    const Cfg cfg = cfg_of("@%p1 bra N;\nN: ret;");
    CHECK(cfg.graph.successors[0] == Nodes{1});
}

TEST_CASE("an indexed branch leads to each of its targets once, and to the next block only if guarded") {
    const std::string list = "T: .branchtargets A, B, A;\n";
    const Cfg always = cfg_of(list + "brx.idx %r1, T;\n" + step() + "A:" + step() + "B: ret;");
    CHECK(always.graph.successors[0] == Nodes{2, 3});
    const Cfg guarded = cfg_of(list + "@%p1 brx.idx %r1, T;\n" + step() + "A:" + step() + "B: ret;");
    CHECK(guarded.graph.successors[0] == Nodes{1, 2, 3});
}

TEST_CASE("a call ends no block, and a trap leaves") {
    const Module module = test::parse(
        test::with_header(".func f() { ret; } .entry k() { .reg .pred %p; call f; @%p trap; call f; ret; }"));
    const Cfg cfg = build_cfg(*module.find_kernel("k"));
    REQUIRE(cfg.blocks.size() == 2);
    CHECK(cfg.graph.exits[0]);
}

TEST_CASE("a function without instructions has no blocks") {
    CHECK(cfg_of("").blocks.empty());
}

TEST_CASE("bfs's kernel reconverges after each of its conditional stores") {
    const Module module = test::parse(test::read_data("bfs.ptx"));
    const Function& kernel = *module.find_kernel("bfs");
    const Cfg cfg = build_cfg(kernel);
    const auto post = immediate_post_dominators(cfg.graph);
    std::size_t forward_branches = 0;
    for (const BasicBlock& block : cfg.blocks) {
        const Instruction& last = kernel.instructions[block.end - 1];
        if (last.opcode != Opcode::bra || !last.guard) { continue; }
        const std::uint32_t target = last.operands[0].target;
        if (target < block.end) { continue; }
        ++forward_branches;
        // Every forward branch of this kernel skips an if without an else.
        CHECK(post[cfg.block_of[block.first]] == cfg.block_of[target]);
    }
    CHECK(forward_branches == 10);
}

}  // namespace lookahead::ptx
