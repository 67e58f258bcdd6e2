#include "components/frontend/ptx/module.h"

#include <doctest/doctest.h>

#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "tests/components/frontend/ptx/test_support.h"

namespace lookahead::ptx {
namespace {

using test::parse;
using test::with_header;

Variable variable(const std::string& declaration) {
    return parse(with_header(declaration)).variables.back();
}

std::vector<std::uint8_t> bytes_of(const std::string& declaration) {
    return variable(declaration).initialiser;
}

using Bytes = std::vector<std::uint8_t>;

}  // namespace

TEST_CASE("the header gives version, target and address size") {
    const Module module = parse(".version 6.3\n.target sm_60, texmode_independent, debug\n.address_size 64\n");
    CHECK(module.version_major == 6);
    CHECK(module.version_minor == 3);
    CHECK(module.target == "sm_60");
    CHECK(module.address_bits == 64);
    CHECK(module.address_type() == Type::u64);
    CHECK(module.file_name == "test.ptx");
}

TEST_CASE("managed variables are variables like others") {
    const Variable managed = variable(".global .attribute(.managed) .align 8 .u32 x[3];");
    CHECK(managed.name == "x");
    CHECK(managed.size() == 12);
    CHECK(managed.alignment == 8);
}

TEST_CASE("addresses have 32 bits where the file does not say otherwise") {
    CHECK(parse(".version 3.0 .target sm_20").address_bits == 32);
}

TEST_CASE("kernel parameters lie at the next multiple of their alignment") {
    const Module module =
        parse(with_header(".entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u16 d, .param .v2 "
                          ".f32 e) { ret; }"));
    const Function& kernel = *module.find_kernel("k");
    REQUIRE(kernel.parameters.size() == 5);
    const std::uint64_t offsets[] = {0, 8, 16, 36, 40};
    const std::uint64_t sizes[] = {1, 8, 20, 2, 8};
    for (int i = 0; i < 5; ++i) {
        CHECK(kernel.parameters[i].offset == offsets[i]);
        CHECK(kernel.parameters[i].size == sizes[i]);
    }
    CHECK(kernel.parameters[2].alignment == 16);
    CHECK(kernel.parameter_bytes == 48);
}

TEST_CASE("a pointer's attributes say nothing about the parameter's own alignment") {
    const Module module =
        parse(with_header(".entry k(.param .u64 .ptr .global .align 16 a, .param .u64 .ptr b) { ret; }"));
    CHECK(module.functions[0].parameters[0].alignment == 8);
    CHECK(module.functions[0].parameters[1].offset == 8);
}

TEST_CASE("a kernel without parameters has none") {
    CHECK(parse(with_header(".entry k { ret; }")).functions[0].parameters.empty());
    CHECK(parse(with_header(".entry k() { ret; }")).functions[0].parameter_bytes == 0);
}

TEST_CASE("launch bounds are kept") {
    const Module module = parse(with_header(
        ".entry k() .maxntid 256, 2\n.minnctapersm 3\n.maxnreg 40 { ret; } .entry l() .reqntid 8,8,8 { ret; }"));
    const LaunchBounds& bounds = module.functions[0].bounds;
    CHECK(bounds.max_threads == std::array<std::uint32_t, 3>{256, 2, 1});
    CHECK(bounds.min_ctas_per_sm == 3);
    CHECK(bounds.max_registers == 40);
    CHECK_FALSE(bounds.required_threads);
    CHECK(module.functions[1].bounds.required_threads == std::array<std::uint32_t, 3>{8, 8, 8});
}

TEST_CASE("a kernel for clusters of CTAs cannot be launched, and its module can be used") {
    const Module module = parse(with_header(
        ".entry one() .explicitcluster { ret; }\n.entry two() .reqnctapercluster 2 .maxntid 64 { ret; }\n"
        ".entry free() .maxclusterrank 8 { ret; } .entry single() .explicitcluster .reqnctapercluster 1,1,1 "
        "{ ret; } .entry all() .blocksareclusters { ret; }"));
    CHECK(module.find_kernel("one")->launch_problem ==
          "test.ptx:4: `.explicitcluster`: a kernel with this directive cannot be launched: clusters of CTAs are not "
          "supported");
    CHECK(module.find_kernel("two")->launch_problem.starts_with("test.ptx:5: `.reqnctapercluster`"));
    CHECK(module.find_kernel("two")->bounds.max_threads == std::array<std::uint32_t, 3>{64, 1, 1});
    CHECK(module.find_kernel("all")->launch_problem.starts_with("test.ptx:6: `.blocksareclusters`"));
    CHECK(module.find_kernel("free")->launch_problem.empty());
    CHECK(module.find_kernel("single")->launch_problem.empty());
    for (const Function& kernel : module.functions) { CHECK(kernel.problem.empty()); }
}

TEST_CASE("a declaration and a later body are one function") {
    const Module module =
        parse(with_header(".func (.param .b32 r) f(.param .b32 a);\n.extern .func vprintf(.param .b64 a);\n"
                          ".func (.param .b32 r) f(.param .b32 x) { ret; }"));
    REQUIRE(module.functions.size() == 2);
    CHECK(module.find_function("f")->is_defined);
    CHECK(module.find_function("f")->parameters[0].name == "x");
    CHECK_FALSE(module.find_function("vprintf")->is_defined);
    CHECK(module.find_function("vprintf")->is_extern);
    CHECK(module.find_kernel("f") == nullptr);
}

TEST_CASE("a body that cannot be used is left out where the kernels are refused, and the next function follows") {
    const Module module =
        parse_module(with_header(".visible .entry bad(.param .u64 p)\n{ .reg .b32 %r<2>; { foo.bar; } }\n"
                                 ".visible .entry good() { ret; }\n"),
                     "test.ptx", Refusal::of_kernel);
    REQUIRE(module.functions.size() == 2);
    CHECK(module.functions[0].problem.find("`foo.bar`") != std::string::npos);
    CHECK(module.functions[0].problem.starts_with("test.ptx:"));
    CHECK(module.functions[0].is_defined);
    CHECK(module.functions[0].parameters.size() == 1);
    CHECK(module.functions[0].registers.empty());
    CHECK(module.functions[1].problem.empty());
    CHECK(module.functions[1].instructions.size() == 1);
    for (const char* text : {".visible .entry bad() { { ret; }", ".visible .entry bad() ret;"}) {
        CHECK_THROWS_AS(parse_module(with_header(text), "test.ptx", Refusal::of_kernel), InputError);
    }
}

TEST_CASE("malloc and free get bodies where they are declared as CUDA declares them") {
    const std::string free = ".extern .func free(.param .b64 p);\n";
    const Module module = parse(with_header(free));
    CHECK(module.find_function("free")->is_library);
    CHECK(module.find_function("malloc")->is_defined);
    CHECK(module.find_function("vprintf") == nullptr);
    CHECK_FALSE(parse(with_header(free + ".extern .func malloc(.param .b64 p);")).find_function("malloc")->is_defined);
    const Module own = parse(with_header(free + ".func (.param .b64 r) malloc(.param .b64 p) { ret; }"));
    CHECK_FALSE(own.find_function("malloc")->is_library);
    CHECK_FALSE(own.find_function("free")->is_defined);
}

TEST_CASE("a variable has its state space, type, alignment and size") {
    const Variable plain = variable(".global .u32 x;");
    CHECK(plain.space == StateSpace::global);
    CHECK(plain.type == Type::u32);
    CHECK(plain.alignment == 4);
    CHECK(plain.size() == 4);
    CHECK_FALSE(plain.has_initialiser);
    const Variable array = variable(".visible .const .align 16 .b8 t[3][5];");
    CHECK(array.space == StateSpace::constant);
    CHECK(array.alignment == 16);
    CHECK(array.size() == 15);
    CHECK(array.is_visible);
    const Variable vectors = variable(".global .v4 .f32 v[2];");
    CHECK(vectors.alignment == 16);
    CHECK(vectors.size() == 32);
}

TEST_CASE("dynamic shared memory has no size of its own") {
    const Variable dynamic = variable(".extern .shared .align 16 .b8 s[];");
    CHECK(dynamic.is_extern);
    CHECK(dynamic.size() == 0);
    CHECK(dynamic.alignment == 16);
}

TEST_CASE("one declaration may declare several variables") {
    const Module module = parse(with_header(".global .u32 a, b[2], c = 7;"));
    REQUIRE(module.variables.size() == 3);
    CHECK(module.variables[1].size() == 8);
    CHECK(module.variables[2].initialiser == Bytes{7, 0, 0, 0});
}

TEST_CASE("initial values are little-endian bytes, and what is not given is zero") {
    CHECK(bytes_of(".global .u16 x[3] = {1, 0x203};") == Bytes{1, 0, 3, 2, 0, 0});
    CHECK(bytes_of(".const .f32 x[1] = {0f3F800000};") == Bytes{0, 0, 0x80, 0x3f});
    CHECK(bytes_of(".global .f64 x = 1.0;") == Bytes{0, 0, 0, 0, 0, 0, 0xf0, 0x3f});
    CHECK(bytes_of(".global .s8 x[2] = {-1, (1<<3)+1};") == Bytes{0xff, 9});
    CHECK(bytes_of(".global .b8 x[2][3] = {{1,2},{4}};") == Bytes{1, 2, 0, 4, 0, 0});
    CHECK(bytes_of(".global .v2 .u8 x[2] = {{1,2},{3,4}};") == Bytes{1, 2, 3, 4});
    CHECK(bytes_of(".global .b8 x[] = {5,6,7};") == Bytes{5, 6, 7});
    CHECK(bytes_of(".global .u8 x[][2] = {{1,2},{3,4},{5,6}};").size() == 6);
    CHECK(bytes_of(".global .b8 x[4] = {};") == Bytes{0, 0, 0, 0});
}

TEST_CASE("initial values may be addresses") {
    const Module module =
        parse(with_header(".global .u32 a[4]; .func f() { ret; }\n"
                          ".global .u64 x[5] = {a, a+8, generic(a)+4, f, 3};"));
    const Variable& table = module.variables[1];
    REQUIRE(table.relocations.size() == 4);
    CHECK(table.relocations[0].symbol == SymbolReference{SymbolKind::module_variable, 0});
    CHECK(table.relocations[0].size == 8);
    CHECK(table.relocations[1].offset == 8);
    CHECK(table.relocations[1].addend == 8);
    CHECK_FALSE(table.relocations[1].generic);
    CHECK(table.relocations[2].generic);
    CHECK(table.relocations[2].addend == 4);
    CHECK(table.relocations[3].symbol == SymbolReference{SymbolKind::function, 0});
    CHECK(table.initialiser[32] == 3);
}

TEST_CASE("an address may be given byte by byte with masks") {
    const Module module =
        parse(with_header(".global .u32 a; .global .align 8 .u8 x[3] = {0xFF(generic(a)), 0xFF00(a+2), 9};"));
    const Variable& table = module.variables[1];
    REQUIRE(table.relocations.size() == 2);
    CHECK(table.relocations[0].generic);
    CHECK(table.relocations[0].first_byte == 0);
    CHECK(table.relocations[1].first_byte == 1);
    CHECK(table.relocations[1].offset == 1);
    CHECK(table.relocations[1].size == 1);
    CHECK(table.relocations[1].addend == 2);
    CHECK(table.initialiser[2] == 9);
}

TEST_CASE("debug information and pragmas are skipped by name") {
    const Module module = parse(with_header(
        ".file 1 \"a.cu\", 1700000000, 200\n.pragma \"x\";\n.section .debug_str { .b8 1,2 .b32 $L$info_string0 }\n"
        ".entry k() .pragma \"y\"; { .loc 1 2 3\n.loc 1 2 3, function_name $L$info_string0 + 4, inlined_at 1 4 5\n"
        ".pragma \"nounroll\"; .pragma \"used_bytes_mask 15\"; ret; }"));
    CHECK(module.functions[0].instructions.size() == 1);
}

TEST_CASE("instructions carry their line and text") {
    const Module module = parse(with_header(".entry k() {\n.reg .b32 a;\n\tmov.u32 \ta,\n 1;\nret;}"));
    const Instruction& instruction = module.functions[0].instructions[0];
    CHECK(instruction.line == 6);
    CHECK(instruction.text == "mov.u32 a, 1");
    CHECK(where(module, instruction) == "test.ptx:6: `mov.u32 a, 1`");
}

TEST_CASE("variables of a function are numbered apart from the module's") {
    const Module module = parse(
        with_header(".shared .b8 s[4]; .entry k() { .local .align 8 .b8 depot[16]; .shared .f32 t[4]; .reg .b64 a;\n"
                    "mov.u64 a, t; mov.u64 a, s; ret; }"));
    const Function& kernel = module.functions[0];
    REQUIRE(kernel.variables.size() == 2);
    CHECK(kernel.variables[0].space == StateSpace::local);
    CHECK(kernel.instructions[0].operands[1].symbol == SymbolReference{SymbolKind::function_variable, 1});
    CHECK(kernel.instructions[1].operands[1].symbol == SymbolReference{SymbolKind::module_variable, 0});
}

}  // namespace lookahead::ptx
