#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "components/emulator/emulated_device.h"
#include "components/emulator/memory_fault.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "core/param/configuration.h"
#include "experiments/capture/capture.h"
#include "experiments/capture/launcher.h"
#include "experiments/capture/linked_modules.h"
#include "experiments/capture/race_finder.h"
#include "experiments/capture/server.h"
#include "experiments/workloads/workload.h"
#include "hdf5_schemas/validate.h"
#include "tests/components/frontend/cudart/fat_binaries.h"
#include "tests/core/hdf5/temporary_folder.h"

using namespace lookahead;
using cudart::Operation;
using cudart::test::fat_binary;

namespace {

const std::string kFolder = LOOKAHEAD_SOURCE_DIR "/tests/functional/cuda/";

CheckReport replay(const std::string& path, unsigned register_limit = 63) {
    Configuration configuration;
    configuration.override_value("capture.file=" + path);
    const auto workload = make_variant<Workload>("capture", configuration, WorkloadContext{});
    finaliser::FinaliserOptions options;
    options.isa.registers = register_limit;
    EmulatedDevice device(finaliser::finalise_module(
        ptx::parse_module(workload->code().text, std::string(workload->code().file), ptx::Refusal::of_kernel),
        options));
    workload->run(device);
    return workload->check();
}

/// Writes the capture to a file, validates the file and replays it.
CheckReport replay(const Capture& capture) {
    const TemporaryFolder folder;
    write_capture(capture, folder.file("program.capture.h5"));
    CHECK(validate_file(folder.file("program.capture.h5")).empty());
    return replay(folder.file("program.capture.h5"));
}

/// counts[0] += n, and limit + 1 into counts[1].
const std::string kModule = R"(.version 9.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 limit = 41;
.visible .entry count(.param .u64 p, .param .u32 n) {
    .reg .b64 %rd<2>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [n];
    atom.global.add.u32 %r2, [%rd1], %r1;
    ld.global.u32 %r2, [limit];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd1+4], %r2;
    ret;
}
)";
const std::string kSecondModule = R"(.version 9.0
.target sm_75
.address_size 64
.visible .entry other() { ret; }
)";

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// A program that launches `count` twice and reads the result back.
struct Session {
    explicit Session(const CaptureMachine& machine = {}) : server("program", machine) {}

    CaptureServer server;
    std::vector<std::byte> answer;
    DeviceAddress counts = 0;

    cudart::Reply ask(const cudart::Request& request, std::span<const std::byte> payload = {}) {
        return server.serve(request, payload, answer);
    }
    DeviceAddress allocate(std::uint64_t bytes, cudart::Visibility visibility = cudart::Visibility::device) {
        return ask({.operation = Operation::allocate, .value = static_cast<std::uint32_t>(visibility), .bytes = bytes})
            .address;
    }
    cudart::Reply launch(const std::string& kernel, unsigned threads, const std::vector<std::byte>& parameters = {},
                         std::uint32_t module = 0) {
        const auto name = bytes_of(kernel);
        std::vector<std::byte> payload(name.begin(), name.end());
        payload.insert(payload.end(), parameters.begin(), parameters.end());
        return ask({.operation = Operation::launch,
                    .module = module,
                    .name_bytes = static_cast<std::uint32_t>(kernel.size()),
                    .grid = {1, 1, 1},
                    .block = {threads, 1, 1}},
                   payload);
    }
    /// Launches `count`.
    cudart::Reply launch(unsigned threads, DeviceAddress address) {
        return launch("count", threads, pack_parameters(address, 3u));
    }
    std::uint32_t word(DeviceAddress address) {
        CHECK(ask({.operation = Operation::copy_from_device, .address = address, .bytes = 4}).error ==
              cudart::kSuccess);
        std::uint32_t value = 0;
        std::memcpy(&value, answer.data(), sizeof value);
        return value;
    }
    /// The value of a variable of one word.
    std::uint32_t word(std::string_view variable, std::uint32_t module) {
        return word(ask({.operation = Operation::find_variable, .module = module}, bytes_of(variable)).address);
    }
    cudart::KernelInformation find(std::string_view kernel, std::uint32_t module = 0) {
        CHECK(ask({.operation = Operation::find_kernel, .module = module}, bytes_of(kernel)).error == cudart::kSuccess);
        cudart::KernelInformation known;
        REQUIRE(answer.size() >= sizeof known);
        std::memcpy(&known, answer.data(), sizeof known);
        return known;
    }
    /// The number of a module that is linked of as many parts.
    std::uint32_t load_parts(std::uint32_t parts, std::span<const std::byte> binaries) {
        return static_cast<std::uint32_t>(ask({.operation = Operation::load_module, .value = parts}, binaries).address);
    }
    void load_modules() {
        ask({.operation = Operation::load_module}, fat_binary(kModule));
        ask({.operation = Operation::load_module}, fat_binary(kSecondModule));
    }
    void load() {
        load_modules();
        counts = allocate(8);
        ask({.operation = Operation::fill, .address = counts, .bytes = 8});
    }
    std::vector<std::uint32_t> read() {
        const auto reply = ask({.operation = Operation::copy_from_device, .address = counts, .bytes = 8});
        if (reply.error != 0) { return {}; }
        std::vector<std::uint32_t> values(2);
        std::memcpy(values.data(), answer.data(), 8);
        return values;
    }
};

}  // namespace

TEST_CASE("The captures of real programs replay with what the programs got, at several register limits") {
    unsigned captures = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
        const std::string path = entry.path();
        if (!path.ends_with(".capture.h5")) { continue; }
        CAPTURE(path);
        ++captures;
        CHECK(validate_file(path).empty());
        for (const unsigned limit : {63u, 24u}) {
            if (path.ends_with("/errors.capture.h5")) {
                CHECK_THROWS_AS(replay(path, limit), KernelFault);
                continue;
            }
            const CheckReport report = replay(path, limit);
            CHECK_MESSAGE(report.outputs == Outputs::match, report.message);
        }
    }
    CHECK(captures >= 20);
}

TEST_CASE("Contents read back as they were, and what repeats is kept once") {
    Contents contents;
    std::vector<std::pair<std::uint64_t, std::vector<std::byte>>> added;
    const auto add = [&](std::size_t bytes, unsigned salt) {
        std::vector<std::byte> more(bytes);
        for (std::size_t i = 0; i < bytes; ++i) { more[i] = static_cast<std::byte>(i * (i >> 8) + salt); }
        const std::uint64_t place = contents.add(more);
        added.emplace_back(place, std::move(more));
    };
    constexpr std::size_t kBlock = Contents::kBlockBytes;
    add(5, 1);
    add(3 * kBlock + 7, 2);
    add(0, 0);
    const std::size_t once = contents.kept().size();
    CHECK(once == 4 * Contents::kBlockWords + 2);
    for (unsigned i = 0; i < 10; ++i) { add(3 * kBlock, 2); }
    CHECK(contents.kept().size() == 5 * Contents::kBlockWords);  // the last earlier block was filled up
    add(3 * kBlock, 3);
    CHECK(contents.kept().size() == 8 * Contents::kBlockWords);
    const Contents again({contents.kept().begin(), contents.kept().end()},
                         {contents.blocks().begin(), contents.blocks().end()});
    for (const auto& [place, bytes] : added) {
        CHECK(contents.has(place, bytes.size()));
        CHECK(contents.at(place, bytes.size()) == bytes);
        CHECK(again.at(place, bytes.size()) == bytes);
    }
    CHECK_FALSE(contents.has(added.back().first, 3 * kBlock + 1));
    CHECK_FALSE(contents.has(~std::uint64_t{0}, 1));
}

TEST_CASE("What the server did is what its capture replays, and a changed byte is found at its address") {
    Session session;
    session.load();
    CHECK(session.launch(40, session.counts).error == cudart::kSuccess);
    CHECK(session.read() == std::vector<std::uint32_t>{120, 42});

    Capture capture = session.server.capture();
    CHECK(replay(capture).outputs == Outputs::match);

    CapturedCall& copy = capture.calls.back();
    REQUIRE(copy.kind == CapturedCall::Kind::copy_from_device);
    std::vector<std::byte> contents = capture.contents(copy);
    contents[5] ^= std::byte{1};
    copy.first_word = capture.contents_of_calls.add(contents);
    const CheckReport report = replay(capture);
    CHECK(report.outputs == Outputs::mismatch);
    CHECK(report.message.find("0x1000000005, but") != std::string::npos);
    CHECK(report.message.find("count (launch 0)") != std::string::npos);
    // All 40 threads store there without order; in the emulator's order thread 39 is the last.
    CHECK(report.message.find(
              "it was last written by kernel count (launch 0), CTA (0, 0, 0), thread 39, program.ptx:13") !=
          std::string::npos);
    CHECK(report.message.find(
              "a race explains it: kernel count (launch 0): two writes at 0x1000000004 by thread 31 of CTA "
              "0 in program.ptx:13 and thread 32 of CTA 0") != std::string::npos);

    capture.calls.back().first_word = 1'000'000;
    CHECK_THROWS_WITH_AS(replay(capture), doctest::Contains("lie outside /contents"), InputError);
}

namespace {

/// The explanation for the second word of 256 bytes that two CTAs of the kernel received.
std::string explanation(const std::string& ptx, const std::string& kernel, std::uint32_t threads) {
    RaceFinder finder(0x1000000004);
    EmulatorOptions options;
    options.observer = &finder;
    EmulatedDevice device(finaliser::finalise_module(ptx::parse_module(ptx, kernel + ".ptx"), {}), options);
    device.launch(kernel, {{2}, {threads}}, pack_parameters(device.allocate(256)));
    return finder.explain();
}

}  // namespace

TEST_CASE("Accesses that a barrier orders, and those of one warp, are no race; without the barrier they are") {
    const auto explain = [](const char* barrier) {
        const std::string ptx = fmt::format(R"(.version 9.0
.target sm_75
.address_size 64
.visible .entry swap(.param .u64 p) {{
    .reg .b64 %rd<3>;
    .reg .b32 %r<4>;
    .shared .align 4 .b8 cells[256];
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    st.shared.u32 [cells], %r1;
    {}
    ld.shared.u32 %r3, [cells];
    cvt.u64.u32 %rd2, %r2;
    add.u64 %rd2, %rd2, %rd1;
    st.global.u32 [%rd2], %r3;
    ret;
}}
)",
                                            barrier);
        // One warp writes the cell in its lanes' order, and two read it.
        return explanation(ptx, "swap", 64);
    };
    const std::string with = explain("bar.sync 0;"), without = explain("");
    CHECK(with.find("swap (launch 0), CTA (1, 0, 0), thread 1, swap.ptx:16") != std::string::npos);
    CHECK(with.find("a race explains it: kernel swap (launch 0): two writes at 0x1000000004 by thread 1 of CTA 0") !=
          std::string::npos);
    CHECK(without.find("two writes at 0x1000000004") != std::string::npos);
    RaceFinder nothing(64);
    CHECK(nothing.explain() == "no race was found; nothing has written it");
    nothing.host_write(60, 5, 7);
    CHECK(nothing.explain() == "no race was found; it was last written by the host, in call 7");
}

TEST_CASE("Sums in floating point and results of atomics depend on their order; sums of integers do not") {
    const auto explain = [](const char* atomics) {
        const std::string ptx = fmt::format(R"(.version 9.0
.target sm_75
.address_size 64
.visible .entry sum(.param .u64 p) {{
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    .reg .f32 %f<2>;
    ld.param.u64 %rd1, [p];
    mov.f32 %f1, 0f3DCCCCCD;
    {}
    ret;
}}
)",
                                            atomics);
        return explanation(ptx, "sum", 32);
    };
    CHECK(explain("red.global.add.u32 [%rd1+4], 1;").find("no race was found") != std::string::npos);
    CHECK(explain("mov.u32 %r1, %clock; st.global.u32 [%rd1+8], %r1; red.global.add.u32 [%rd1+4], %r1;")
              .find("it may depend on the machine: kernel sum (launch 0) reads the clock in sum.ptx:10") !=
          std::string::npos);
    CHECK(explain("mov.u32 %r1, %smid; red.global.add.u32 [%rd1+4], %r1;").find("reads the number of its SM") !=
          std::string::npos);
    CHECK(explain("red.global.add.f32 [%rd1+4], %f1;")
              .find("the order of atomics, which is free, explains it: kernel sum (launch 0): atomics at 0x1000000004 "
                    "by thread 31 of CTA 0 in sum.ptx:10 and thread 0 of CTA 1") != std::string::npos);
    CHECK(explain("atom.global.add.u32 %r1, [%rd1], 4; st.global.u32 [%rd1+128], %r1;")
              .find("the order of atomics, which is free, may explain it: kernel sum (launch 0): atomics at "
                    "0x1000000000") != std::string::npos);
}

TEST_CASE("Wrong calls get CUDA's error codes, and a kernel's illegal address loses the device") {
    Session session;
    session.load();
    CHECK(session.launch(1025, session.counts).error == cudart::kInvalidConfiguration);
    CHECK(session.ask({.operation = Operation::find_kernel}, bytes_of("nothing")).error ==
          cudart::kInvalidDeviceFunction);
    CHECK(session.ask({.operation = Operation::find_variable}, bytes_of("nothing")).error == cudart::kInvalidSymbol);
    CHECK(session.ask({.operation = Operation::find_variable}, bytes_of("limit")).bytes == 4);
    CHECK(session.ask({.operation = Operation::release, .address = session.counts + 1}).error == cudart::kInvalidValue);
    CHECK(session.ask({.operation = Operation::copy_from_device, .address = session.counts, .bytes = 9}).error ==
          cudart::kInvalidValue);
    CHECK(session.ask({.operation = Operation::allocate, .bytes = std::uint64_t{1} << 50}).error ==
          cudart::kMemoryAllocation);
    CHECK(session.read() == std::vector<std::uint32_t>{0, 0});
    CHECK(session.launch(32, 4096).error == cudart::kIllegalAddress);
    CHECK(session.launch(32, session.counts).error == cudart::kIllegalAddress);
    // The two failed launches are in the capture too; the second one lost the device.
    REQUIRE(session.server.capture().calls.size() == 5);
    CHECK(session.server.capture().calls[2].error == cudart::kInvalidConfiguration);
    CHECK(session.server.capture().calls[4].error == cudart::kIllegalAddress);
}

TEST_CASE("Names that two modules define are told apart, and the newest version and target hold for all") {
    LinkedModules modules;
    CHECK(modules.add(".version 7.0\n.target sm_52\n.address_size 64\n.extern .func vprintf();\n"
                      ".const .align 4 .b8 table[4] = {1, 2};\n.visible .entry run(.param .u64 table) { ret; }\n") ==
          0);
    CHECK(modules.add("// table\n.version 9.0\n.target sm_75\n.address_size 64\n.extern .func vprintf();\n"
                      ".global .b8 table[4];\n.global .u64 at = table;\n.entry run(.param .u64 p) "
                      "{ mov.u64 %rd1, table; call vprintf; }\n.entry other() { .reg .b32 run1; }\n") == 1);
    std::string all;
    for (const std::string& text : modules.texts()) { all += text; }
    CHECK(all.starts_with(".version 9.0\n.target sm_75\n.address_size 64\n"));
    CHECK(all.find(".version 7.0") == std::string::npos);
    CHECK(all.find(".global .b8 table$1[4];\n.global .u64 at = table$1;\n.entry run$1(.param .u64 p)") !=
          std::string::npos);
    CHECK(all.find("mov.u64 %rd1, table$1; call vprintf;") != std::string::npos);
    CHECK(all.find("// table\n") != std::string::npos);
    CHECK(all.find("run1;") != std::string::npos);
    CHECK(modules.name(0, "run") == "run");
    CHECK(modules.name(1, "run") == "run$1");
    CHECK(modules.name(1, "other") == "other");
}

TEST_CASE("Parts of relocatable code become one module") {
    const std::string preamble = ".version 8.0\n.target sm_75\n.address_size 64\n";
    const std::vector<std::string> parts = {
        preamble +
            ".extern .func (.param .b32 r) area(.param .b32 x);\n.extern .global .align 4 .u32 calls;\n"
            ".weak .global .align 4 .u32 number;\n.global .align 4 .u32 own = 1;\n"
            ".extern .shared .align 4 .b8 s[];\n.entry first() { mov.u64 %rd1, own; }\n",
        preamble +
            ".visible .global .align 4 .u32 calls = 7;\n.weak .global .align 4 .u32 number;\n"
            ".global .align 4 .b8 own[2] = {1, 2};\n.extern .shared .align 4 .b8 s[];\n"
            ".visible .func (.param .b32 r) area(.param .b32 x) { mov.u64 %rd1, own; mov.u64 %rd2, calls; }\n"};
    const std::string linked = link_parts(parts);
    const auto count = [&linked](const std::string& text) {
        std::size_t found = 0;
        for (std::size_t at = linked.find(text); at != std::string::npos; at = linked.find(text, at + 1)) { ++found; }
        return found;
    };
    CHECK(linked.starts_with(preamble + ".visible .global .align 4 .u32 calls = 7;"));
    CHECK(count(" calls;") == 1);  // in `area`: the declaration is gone
    CHECK(count(".weak .global .align 4 .u32 number;") == 1);
    CHECK(count(".global .align 4 .u32 own = 1;") == 1);
    CHECK(count(".global .align 4 .b8 own$1[2] = {1, 2};") == 1);
    CHECK(count("{ mov.u64 %rd1, own; }") == 1);
    CHECK(count("{ mov.u64 %rd1, own$1; mov.u64 %rd2, calls; }") == 1);
    CHECK(count(".extern .func (.param .b32 r) area") == 0);
    CHECK(count(".visible .func (.param .b32 r) area(.param .b32 x);") == 1);
    CHECK(count(".visible .func (.param .b32 r) area(.param .b32 x) {") == 1);

    Session session;
    const auto binaries = [&](std::size_t left_out) {
        std::vector<std::byte> bytes;
        for (const char* part :
             {".extern .global .u32 calls;\n.visible .entry run() { .reg .b32 %r<2>; ld.global.u32 %r1, [calls]; "
              "add.u32 %r1, %r1, 1; st.global.u32 [calls], %r1; ret; }\n",
              ".visible .global .u32 calls = 7;\n"}) {
            std::ranges::copy(fat_binary(preamble + part), std::back_inserter(bytes));
        }
        bytes.resize(bytes.size() - left_out);
        return bytes;
    };
    CHECK_THROWS_WITH_AS(session.load_parts(2, binaries(1)), doctest::Contains("it is cut off after"), InputError);
    CHECK_THROWS_WITH_AS(session.load_parts(3, binaries(0)), doctest::Contains("it is cut off after 0 bytes"),
                         InputError);
    const std::uint32_t module = session.load_parts(2, binaries(0));
    CHECK(session.launch("run", 1, {}, module).error == cudart::kSuccess);
    CHECK(session.word("calls", module) == 8);
}

TEST_CASE("A weak function that parts declare before its body has one body, which all of them call") {
    const std::string preamble = ".version 9.0\n.target sm_75\n.address_size 64\n";
    const auto prototype = [](const std::string& linkage, const std::string& name) {
        return linkage + " .func (.param .b32 result) " + name + "\n(\n\t.param .b32 x\n)\n;\n";
    };
    const auto body = [](const std::string& linkage, const std::string& name, const std::string& added) {
        return linkage + " .func (.param .b32 result) " + name + "(.param .b32 x)\n{ .reg .b32 %r<2>; " +
               "ld.param.u32 %r0, [x]; add.u32 %r1, %r0, " + added + "; st.param.b32 [result], %r1; ret; }\n";
    };
    const auto call = [](const std::string& name) {
        return "{ .param .b32 p; st.param.b32 [p], %r1; .param .b32 r; call.uni (r), " + name +
               ", (p); ld.param.b32 %r1, [r]; }\n";
    };
    // As nvcc writes inline members (`both`), one that another part replaces (`replaced`), and a table of functions.
    const std::vector<std::string> parts = {
        preamble + prototype(".weak", "both") + prototype(".weak", "replaced") + prototype(".extern", "outer") +
            ".extern .global .align 8 .u64 table[1];\n" + body(".weak", "replaced", "1000") +
            ".visible .global .align 4 .u32 sum;\n.visible .entry run() { .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
            "mov.u32 %r1, 5;\n" +
            call("both") + call("replaced") + call("outer") +
            "mov.u64 %rd1, table; ld.global.u64 %rd2, [%rd1];\n"
            "{ .param .b32 p; st.param.b32 [p], %r1; .param .b32 r; shape: .callprototype (.param .b32 _) _ (.param "
            ".b32 _);\n"
            "call (r), %rd2, (p), shape; ld.param.b32 %r1, [r]; }\n"
            "st.global.u32 [sum], %r1; ret; }\n" +
            body(".weak", "both", "1"),
        preamble + prototype(".weak", "both") + prototype(".visible", "outer") +
            ".visible .global .align 8 .u64 table[1] = {both};\n" + body(".visible", "replaced", "20") +
            body(".visible", "outer", "300") + body(".weak", "both", "1"),
        preamble + prototype(".weak", "both") + "\n.visible .entry other() { .reg .b32 %r<4>;\nmov.u32 %r1, 5;\n" +
            call("both") + "ret; }\n"};
    const std::string linked = link_parts(parts);
    CHECK(linked.find('$') == std::string::npos);

    Session session;
    std::vector<std::byte> binaries;
    for (const std::string& part : parts) { std::ranges::copy(fat_binary(part), std::back_inserter(binaries)); }
    const std::uint32_t module = session.load_parts(3, binaries);
    CHECK(session.launch("run", 1, {}, module).error == cudart::kSuccess);
    CHECK(session.word("sum", module) == 5 + 1 + 20 + 300 + 1);
}

TEST_CASE("What the host writes to managed memory and to pinned memory that kernels use is in the capture") {
    Session session;
    session.load();
    const DeviceAddress managed = session.allocate(10'000, cudart::Visibility::managed);
    const DeviceAddress pinned = session.allocate(8, cudart::Visibility::pinned);
    FlatMemory host(session.server.memory_file());  // as the program maps it
    host.grow_to(pinned + 8);
    std::memset(host.at(pinned), 0, 8);
    const auto word = [&host](DeviceAddress address) -> std::uint32_t& {
        return *reinterpret_cast<std::uint32_t*>(host.at(address));
    };
    word(managed) = 100;
    word(managed + 9'000) = 7;
    word(pinned) = 1000;
    for (int round = 0; round < 2; ++round) {
        CHECK(session.launch(10, managed).error == cudart::kSuccess);
        CHECK(session.launch(10, pinned).error == cudart::kSuccess);
        CHECK(session.ask({.operation = Operation::synchronise}).error == cudart::kSuccess);
    }
    CHECK(word(managed) == 160);
    CHECK(word(pinned) == 1060);

    using Kind = CapturedCall::Kind;
    std::vector<Kind> kinds;
    for (const CapturedCall& call : session.server.capture().calls) { kinds.push_back(call.kind); }
    // The managed memory's first and last page, all of the pinned memory, and the kernels' writes after each round.
    CHECK(kinds == std::vector<Kind>{Kind::allocate, Kind::fill, Kind::allocate, Kind::fill, Kind::allocate,
                                     Kind::copy_to_device, Kind::copy_to_device, Kind::launch, Kind::copy_to_device,
                                     Kind::launch, Kind::copy_from_device, Kind::copy_from_device, Kind::launch,
                                     Kind::launch, Kind::copy_from_device, Kind::copy_from_device});
    const CheckReport report = replay(session.server.capture());
    CHECK_MESSAGE(report.outputs == Outputs::match, report.message);
}

TEST_CASE("What the host writes beside what a kernel wrote, before it waits, is no result of the kernel") {
    Session session;
    session.load();
    const DeviceAddress managed = session.allocate(4096, cudart::Visibility::managed);
    FlatMemory host(session.server.memory_file());
    host.grow_to(managed + 4096);
    for (int round = 1; round < 4; ++round) {
        CHECK(session.launch(10, managed).error == cudart::kSuccess);
        *reinterpret_cast<int*>(host.at(managed + 400)) = round;
        CHECK(session.ask({.operation = Operation::synchronise}).error == cudart::kSuccess);
        CHECK(*reinterpret_cast<int*>(host.at(managed)) == 30 * round);
    }
    const CheckReport report = replay(session.server.capture());
    CHECK_MESSAGE(report.outputs == Outputs::match, report.message);
}

TEST_CASE("Another device does what is asked for: host and kernels see one memory, and nothing is recorded") {
    const auto run = [](std::int64_t registers, auto check) {
        CaptureMachine machine;
        machine.limits.registers = registers;
        Session session(machine);
        session.load_modules();
        EmulatedDevice performer(
            finaliser::finalise_module(ptx::parse_module(session.server.capture().ptx(), "program.ptx"), {}));
        session.server.perform_on(performer);
        check(session, performer);
        CHECK(session.server.capture().calls.empty());
    };
    run(32768, [](Session& session, EmulatedDevice& performer) {
        const DeviceAddress managed = session.allocate(4096, cudart::Visibility::managed);
        const DeviceAddress plain = session.allocate(8);
        FlatMemory host(session.server.memory_file());
        host.grow_to(plain + 8);
        const auto word = [&host](DeviceAddress address) {
            return *reinterpret_cast<std::uint32_t*>(host.at(address));
        };
        *reinterpret_cast<std::uint32_t*>(host.at(managed)) = 100;
        CHECK(session.launch(10, managed).error == cudart::kSuccess);
        CHECK(word(managed) == 130);
        CHECK(word(managed + 4) == 42);
        CHECK(performer.launches().size() == 1);

        session.ask({.operation = Operation::copy_on_device, .address = plain, .source = managed, .bytes = 8});
        CHECK(session.launch(10, plain).error == cudart::kSuccess);
        CHECK(session.word(plain) == 160);
        CHECK(word(plain) == 130);  // not shared: kernels' writes stay on the device
        CHECK(session.ask({.operation = Operation::share, .address = plain}).error == cudart::kSuccess);
        CHECK(word(plain) == 160);
    });
    run(512, [](Session& session, EmulatedDevice& performer) {
        session.counts = session.allocate(8);
        CHECK(session.launch(1000, session.counts).error == cudart::kLaunchOutOfResources);
        CHECK(performer.launches().empty());
        CHECK(session.launch(1, session.counts).error == cudart::kSuccess);
    });
}

TEST_CASE("What cannot be run here ends the program with its reason") {
    Session session;
    session.load();
    CHECK_THROWS_WITH_AS(session.ask({.operation = Operation::refuse}, bytes_of("it calls cudaFoo")),
                         "program cannot be run here: it calls cudaFoo", InputError);
    CHECK_THROWS_WITH_AS(session.ask({.operation = Operation::load_module}, fat_binary(kModule)),
                         doctest::Contains("after it has used its device"), InputError);
    CHECK_THROWS_WITH_AS(session.ask({.operation = static_cast<Operation>(99)}), doctest::Contains("unknown operation"),
                         InputError);
    CaptureServer server("none");
    CHECK_THROWS_WITH_AS(run_captured({"/nonexistent"}, LOOKAHEAD_CUDART_FOLDER, server),
                         doctest::Contains("cannot be started"), InputError);
    CHECK(run_captured({"/bin/sh", "-c", "exit 7"}, LOOKAHEAD_CUDART_FOLDER, server) == 7);
    CHECK_THROWS_WITH_AS(run_captured({"/bin/sh", "-c", "kill -9 $$"}, LOOKAHEAD_CUDART_FOLDER, server),
                         doctest::Contains("signal 9"), ProgramError);
}

TEST_CASE("Of PTX for several architectures the newest that the device can take is used, or the oldest above it") {
    const auto used = [](std::vector<std::uint32_t> architectures) {
        std::vector<cudart::test::Entry> entries;
        for (const std::uint32_t architecture : architectures) {
            entries.push_back(
                {.architecture = architecture,
                 .payload = cudart::test::text_bytes(fmt::format(".version 8.0\n.target sm_{}\n", architecture))});
        }
        Session session;
        session.ask({.operation = Operation::load_module}, fat_binary(entries));
        const std::string text = session.server.capture().ptx();
        return text.substr(text.find("sm_") + 3, 2);
    };
    CHECK(used({50, 70, 80}) == "70");
    CHECK(used({90, 75, 70}) == "75");
    CHECK(used({90, 80}) == "80");
}

TEST_CASE("A capture keeps the native code of a program with one module") {
    const auto binary = [](std::uint16_t kind, std::string_view cubin) {
        cudart::test::Entry code{
            .kind = kind, .architecture = 90, .payload = cudart::test::text_bytes(std::string(cubin))};
        return fat_binary({{.payload = cudart::test::text_bytes(kModule)}, code});
    };
    Session session;
    session.ask({.operation = Operation::load_module}, binary(2, "code"));
    const TemporaryFolder folder;
    write_capture(session.server.capture(), folder.file("program.capture.h5"));
    CHECK(validate_file(folder.file("program.capture.h5")).empty());
    const Capture read = read_capture(folder.file("program.capture.h5"));
    REQUIRE(read.cubins.size() == 1);
    CHECK(read.cubins[0].architecture == 90);
    CHECK(read.cubins[0].bytes == session.server.capture().cubins[0].bytes);
    // Native code of several modules cannot be linked.
    session.ask({.operation = Operation::load_module}, fat_binary(kSecondModule));
    CHECK(session.server.capture().cubins.empty());
}

TEST_CASE("A kernel is told its module's target, and a program without PTX for the device is said to be one, once") {
    const TemporaryFolder folder;
    const std::string said = folder.file("stderr");
    const auto asked = [&](std::vector<std::uint32_t> architectures) {
        std::fflush(stderr);
        const int kept = dup(STDERR_FILENO);
        const int file = open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(file, STDERR_FILENO);
        Session session;
        for (const std::uint32_t architecture : architectures) {
            const std::string ptx = fmt::format(
                ".version 8.0\n.target sm_{0}\n.address_size 64\n.visible .entry run{0}() {{ ret; }}\n", architecture);
            session.ask({.operation = Operation::load_module},
                        fat_binary({{.architecture = architecture, .payload = cudart::test::text_bytes(ptx)}}));
        }
        std::vector<std::uint32_t> told;
        for (std::uint32_t module = 0; module < architectures.size(); ++module) {
            told.push_back(session.find("run" + std::to_string(architectures[module]), module).architecture);
        }
        std::fflush(stderr);
        dup2(kept, STDERR_FILENO);
        close(kept);
        close(file);
        return told;
    };
    const auto sentence = [&] {
        std::ifstream in(said);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    CHECK(asked({52, 75}) == std::vector<std::uint32_t>{52, 75});
    CHECK(sentence().empty());
    CHECK(asked({90, 75, 100}) == std::vector<std::uint32_t>{90, 75, 100});
    CHECK(
        sentence() ==
        "lookahead: program: it has no PTX for the device, whose compute capability is 7.5: the oldest is for 9.0, and "
        "is run as far as its instructions are supported; nvcc -arch=sm_75 gives PTX for the device\n");
}

TEST_CASE("A kernel that cannot run, itself or by what it calls, stops the program when it is launched") {
    const std::string module = kModule + R"(.func helper() { .reg .u32 %r<1>; mov.u32 %r0, %envreg3; ret; }
.visible .entry direct(.param .u64 p) .maxntid 96, 1, 1 { frobnicate.u32 7; }
.visible .entry by_call() { call helper; ret; }
)";
    Session session;
    CHECK(session.ask({.operation = Operation::load_module}, fat_binary(module)).error == cudart::kSuccess);
    const cudart::KernelInformation known = session.find("direct");
    CHECK(known.parameters == 1);
    CHECK(known.parameter_bytes == 8);
    CHECK(known.max_threads == 96);
    CHECK_THROWS_WITH_AS(session.launch("direct", 32, pack_parameters(DeviceAddress{0})),
                         doctest::Contains("it launches direct: program.ptx:17: `frobnicate.u32 7`"), InputError);
    CHECK_THROWS_WITH_AS(session.launch("by_call", 32), doctest::Contains("program.ptx:16: `mov.u32 %r0, %envreg3`"),
                         InputError);
}
