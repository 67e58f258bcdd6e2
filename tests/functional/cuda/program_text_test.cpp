// The output of kernels: printf, assert() and trap, on the emulator and the timing model.
#include <doctest/doctest.h>

#include <cstring>

#include "components/device/device_print.h"
#include "components/emulator/emulated_device.h"
#include "components/emulator/memory_fault.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "experiments/capture/capture.h"

using namespace lookahead;

namespace {

Capture capture_of(const std::string& name) {
    return read_capture(LOOKAHEAD_SOURCE_DIR "/tests/functional/cuda/" + name + ".capture.h5");
}

isa::KernelTable kernels_of(const Capture& capture) {
    return finaliser::finalise_module(ptx::parse_module(capture.ptx(), capture.ptx_name), {});
}

/// The lines printed by the capture's launches, repeated one by one.
std::vector<std::string> printed_lines(const Capture& capture) {
    EmulatedDevice emulated(kernels_of(capture));
    std::string text;
    PrintingDevice device(emulated, emulated.kernels().image, [&text](std::string_view more) { text += more; });
    for (const CapturedCall& call : capture.calls) {
        if (call.kind == CapturedCall::Kind::allocate) { REQUIRE(device.allocate(call.bytes) == call.address); }
        if (call.kind == CapturedCall::Kind::copy_to_device) {
            device.copy_to_device(call.address, capture.contents(call));
        }
        if (call.kind == CapturedCall::Kind::launch) {
            device.launch(call.kernel, call.configuration, capture.contents(call));
        }
    }
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

/// Formats a record as the device does.
std::string formatted(const std::string& format, const std::vector<std::byte>& arguments,
                      const std::string& texts = {}) {
    std::vector<std::byte> record(16);
    record.insert(record.end(), arguments.begin(), arguments.end());
    const std::uint32_t header[4] = {0, static_cast<std::uint32_t>(arguments.size()),
                                     static_cast<std::uint32_t>(record.size()), 0};
    std::memcpy(record.data(), header, sizeof header);
    for (const char c : format) { record.push_back(static_cast<std::byte>(c)); }
    record.push_back(std::byte{0});
    for (const char c : texts) { record.push_back(static_cast<std::byte>(c)); }
    return format_printed(record);
}

}  // namespace

TEST_CASE("A kernel's printf formats as C's does, in the order of execution") {
    const auto lines = printed_lines(capture_of("device_printf"));
    REQUIRE(lines.size() == 3 + 4 + 34 + 4);
    CHECK(lines[0] == "thread 0 of the grid");
    CHECK(lines[2] == "thread 2 of the grid");
    CHECK(lines[3] == "[  -42|42   |00042|+42|ff|0XFF|10|4000000000]");
    CHECK(lines[4] == "[-1234567890123|fedcba9876543210|4464|44|x|%|owa|     owa|owa |ab]");
    CHECK(lines[5] == "[3.250000|0.667|  1.23e+04|1e-10|0x1p+0|     7|1.00]");
    CHECK(lines[6] == "[0x1234|(null)] 8");
}

TEST_CASE("Records that are damaged or ask for more than they have give no more than they have") {
    CHECK(formatted("%d %f", {}) == "0 0.000000");
    CHECK(formatted("%s|%s", pack_parameters(std::uint64_t{1}, std::uint64_t{1}), "one") == "one|");
    CHECK(formatted("100%", {}) == "100");
    CHECK(formatted("%y%d", pack_parameters(1, 2)) == "%y2");
    CHECK(format_printed({}).empty());
}

TEST_CASE("A failed assertion says where, which thread and what; a trap that it is one") {
    const Capture capture = capture_of("device_assert");
    EmulatedDevice device(kernels_of(capture));
    const DeviceAddress values = device.upload(std::vector<int>(100, 7));
    const LaunchConfiguration configuration{{4, 1, 1}, {8, 4, 1}, 0};
    device.launch("_Z5checkPKiii", configuration, pack_parameters(values, 100, 8));
    CHECK_THROWS_WITH_AS(
        device.launch("_Z5checkPKiii", configuration, pack_parameters(values, 100, 7)),
        doctest::Contains("device_assert.cu:7: void check(const int *, int, int): block: [0,0,0], thread: [0,0,0] "
                          "Assertion `values[i] != wrong` failed."),
        KernelFault);
    CHECK_THROWS_WITH_AS(device.launch("_Z4stopv", {{1, 1, 1}, {1, 1, 1}, 0}, {}), doctest::Contains(": trap"),
                         KernelFault);
}

TEST_CASE("A record that finds no room is counted, and the buffer is empty after each launch") {
    const Capture capture = capture_of("device_printf");
    EmulatedDevice emulated(kernels_of(capture));
    std::size_t lines = 0;
    PrintingDevice device(emulated, emulated.kernels().image, [&lines](std::string_view more) {
        lines += static_cast<std::size_t>(std::count(more.begin(), more.end(), '\n'));
    });
    const DeviceAddress name = device.upload(std::vector<char>(2000, 'n'));
    const char end = 0;
    device.copy_to_device(name + 1999, std::as_bytes(std::span(&end, 1)));
    for (int i = 0; i < 2; ++i) {
        lines = 0;
        device.launch("_Z5greetiPKc", {{2, 1, 1}, {512, 1, 1}, 0}, pack_parameters(1024, name));
        CHECK(lines > 500);
        CHECK(lines < 1024);
    }
}
