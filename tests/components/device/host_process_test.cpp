#include "components/device/host_process.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <unordered_map>

#include "components/isa/instruction.h"
#include "components/protocols/host_memory.h"
#include "components/protocols/ports.h"
#include "tests/contract/lp/lp_contract.h"

namespace lookahead::gpu {
namespace {

using lookahead::test::LpContract;
using lookahead::test::LpEnvironment;
using lookahead::test::scripted;
using lookahead::test::ScriptedMessage;

constexpr Time kLinkLatency = 500'000'000;
constexpr unsigned kSms = 2;

const isa::KernelTable& kernels() {
    static const isa::KernelTable table = [] {
        isa::Kernel kernel;
        kernel.name = "negate";
        kernel.parameter_bytes = 8;
        kernel.code.resize(20);  // two lines
        return isa::KernelTable{kernel};
    }();
    return table;
}

/// Memory partitions that hold real bytes, and a device whose only kernel inverts every bit of an allocation.
class FakeGpu : public LpEnvironment {
  public:
    explicit FakeGpu(std::uint64_t seed) : random_(seed) {}

    static inline std::vector<Time> arrivals;  ///< of messages from copies and fills, for all devices
    static inline unsigned writes = 0;
    static inline std::vector<std::pair<std::uint64_t, std::uint32_t>> left_in_l2;  ///< addresses and bytes of fills
    static inline unsigned answered_writes = 0;

    void respond(unsigned out_port, unsigned destination, const MessageHeader& sent,
                 std::vector<ScriptedMessage>& answers) override {
        const Time answer = sent.time + 1 + static_cast<Time>(random_() % 400'000'000);
        const auto from = static_cast<std::uint16_t>(kHostMemoryPort + destination);
        switch (static_cast<GpuMessage>(sent.type)) {
            case GpuMessage::host_write: {
                const auto& write = sent.as<HostWrite>();
                CHECK(mapping_.channel(write.address) == destination);
                CHECK(write.bytes <= kHostPieceBytes);
                const std::byte* bytes = sent.payload() + sizeof write;
                for_each_byte(write.address, write.bytes,
                              [&](std::uint64_t address, std::uint64_t i) { byte_at(address) = bytes[i]; });
                arrivals.push_back(sent.time);
                ++writes;
                if (write.asks != 0) {
                    ++answered_writes;
                    answers.push_back(scripted(answer, destination, from, HostAcknowledge{write.address}));
                }
                break;
            }
            case GpuMessage::host_fill: {
                const auto& fill = sent.as<HostFill>();
                for_each_byte(fill.address, fill.bytes,
                              [&](std::uint64_t address, std::uint64_t) { byte_at(address) = std::byte{fill.value}; });
                arrivals.push_back(sent.time);
                if (fill.fill_l2 != 0) { left_in_l2.push_back({fill.address, fill.bytes}); }
                if (fill.asks != 0) {
                    answers.push_back(scripted(answer, destination, from, HostAcknowledge{fill.address}));
                }
                break;
            }
            case GpuMessage::host_read:
                arrivals.push_back(sent.time);
                read(sent.as<HostRead>(), answer, destination, from, answers);
                break;
            case GpuMessage::launch_kernel: {
                CHECK(out_port == kHostToDispatcher);
                for (auto& [number, page] : memory_) {
                    for (std::byte& byte : page) { byte = ~byte; }
                }
                answers.push_back(
                    scripted(answer, 500, kHostDispatcherPort,
                             KernelCompleted{sent.as<LaunchKernel>().launch, sent.time, answer - 1, 7, 70}));
                break;
            }
            case GpuMessage::allocation_update:
                break;
            default:
                FAIL("the host sent a message of type " << unsigned{sent.type});
        }
    }

  private:
    /// Calls f(address, bytes before) for the partition's bytes in the order of local addresses.
    template <class F>
    void for_each_byte(std::uint64_t address, std::uint64_t bytes, F f) {
        const std::uint64_t local = mapping_.local_address(address);
        for (std::uint64_t i = 0; i < bytes; ++i) { f(mapping_.address(mapping_.channel(address), local + i), i); }
    }

    void read(const HostRead& request, Time time, unsigned channel, std::uint16_t in_port,
              std::vector<ScriptedMessage>& answers) {
        const std::uint64_t local = mapping_.local_address(request.address);
        for_each_host_piece(local, request.bytes, [&](std::uint64_t done, std::uint32_t piece) {
            ScriptedMessage reply{time, channel, in_port, HostReadReply::kType, {}};
            const HostReadReply head{mapping_.address(channel, local + done), piece, done + piece == request.bytes};
            reply.payload.resize(sizeof head + piece);
            std::memcpy(reply.payload.data(), &head, sizeof head);
            for_each_byte(head.address, piece, [&](std::uint64_t address, std::uint64_t i) {
                reply.payload[sizeof head + i] = byte_at(address);
            });
            answers.push_back(std::move(reply));
        });
    }

    std::byte& byte_at(std::uint64_t address) { return memory_[address / kPageBytes][address % kPageBytes]; }

    static constexpr std::uint64_t kPageBytes = 4096;

    AddressMapping mapping_{{}};
    std::mt19937_64 random_;
    std::unordered_map<std::uint64_t, std::array<std::byte, kPageBytes>> memory_;  ///< pages by their number
};

LpContract contract(DriverThread::Program program, const HostParameters& parameters = {}) {
    const AddressMapping mapping({});
    LpContract contract;
    contract.make = [=] { return std::make_unique<HostProcess>(parameters, mapping, kernels(), kSms, program); };
    contract.ports = {{.fan_out = mapping.channels(), .lookahead = kLinkLatency},
                      {.fan_out = 1, .lookahead = kLinkLatency},
                      {.fan_out = kSms, .lookahead = kLinkLatency}};
    contract.script = [](std::uint64_t) { return std::vector<ScriptedMessage>{}; };
    contract.environment = [](std::uint64_t seed) { return std::make_unique<FakeGpu>(seed); };
    contract.end = 100'000'000'000;
    return contract;
}

/// Copies to the device, launches, and copies back an amount that depends on the data.
void round_trip(Device& device, std::vector<std::uint32_t>& result) {
    std::vector<std::uint32_t> values(777);
    std::iota(values.begin(), values.end(), 5u);
    const DeviceAddress first = device.upload(values);
    const DeviceAddress second = device.allocate(1000);
    device.fill(second, std::byte{0x0f}, 1000);
    for (int launches = 0; launches < 3; ++launches) { device.launch("negate", {{1}, {32}}, pack_parameters(first)); }
    result = device.download<std::uint32_t>(first, values.size());
    const auto filled = device.download<std::uint8_t>(second, 1000);
    for (std::uint32_t i = 0; i < filled[3] % 16u; ++i) {  // 0xf0: none
        device.allocate(64);
    }
    device.release(second);
    result.push_back(filled[999]);
}

TEST_CASE("a driver gets back what it copied, after its kernels, in pieces from every partition") {
    std::vector<std::uint32_t> result;
    const LpContract one = contract([&](Device& device) { round_trip(device, result); });
    count_outputs(one, 1);
    REQUIRE(result.size() == 778);
    for (std::uint32_t i = 0; i < 777; ++i) { REQUIRE(result[i] == ~(5u + i)); }
    CHECK(result[777] == 0xf0);
}

constexpr std::uint64_t kBurstBytes = 512 * 1024;
constexpr Time kFemtosecondsPerByte = 125'000;  // 8 GB/s

TEST_CASE("copies of whole bursts, and a byte more or less, from any address, come back whole") {
    for (const std::uint64_t bytes : {kBurstBytes - 1, kBurstBytes, kBurstBytes + 1, 3 * kBurstBytes + 77}) {
        for (const std::uint64_t offset : {0u, 1u, 255u, 1000u}) {
            CAPTURE(bytes);
            CAPTURE(offset);
            std::vector<std::uint8_t> values(bytes), result(bytes);
            std::mt19937 random(static_cast<unsigned>(bytes + offset));
            std::ranges::generate(values, std::ref(random));
            LpContract one = contract([&](Device& device) {
                const DeviceAddress all = device.allocate(bytes + 2000);
                device.fill(all, std::byte{7}, bytes + 2000);
                device.copy_to_device(all + offset, std::as_bytes(std::span(values)));
                device.copy_from_device(std::as_writable_bytes(std::span(result)), all + offset);
                std::vector<std::uint8_t> around(2000 - offset);
                device.copy_from_device(std::as_writable_bytes(std::span(around)), all + offset + bytes);
                CHECK(std::ranges::count(around, 7) == static_cast<int>(around.size()));
            });
            one.end *= 30;
            count_outputs(one, 1);
            REQUIRE(result == values);
        }
    }
}

TEST_CASE("a burst arrives when the link has brought its last byte, and the next one follows it at once") {
    FakeGpu::arrivals.clear();
    FakeGpu::writes = FakeGpu::answered_writes = 0;
    const std::vector<std::uint8_t> values(2 * kBurstBytes + 100);
    LpContract one = contract([&](Device& device) { device.upload(values); });
    one.end *= 2;
    count_outputs(one, 1);
    const auto brought = [](std::uint64_t bytes) {
        return kLinkLatency + static_cast<Time>(bytes) * kFemtosecondsPerByte;
    };
    std::ranges::sort(FakeGpu::arrivals);
    CHECK(FakeGpu::arrivals.front() == brought(kBurstBytes));
    CHECK(FakeGpu::arrivals.back() == brought(2 * kBurstBytes + 100));
    FakeGpu::arrivals.erase(std::unique(FakeGpu::arrivals.begin(), FakeGpu::arrivals.end()), FakeGpu::arrivals.end());
    CHECK(FakeGpu::arrivals.size() == 3);
    CHECK(FakeGpu::answered_writes == 1);  // of the one partition in the last burst
    CHECK(FakeGpu::writes <= 2 * (kBurstBytes / kHostPieceBytes + 2 * 6) + 1);
}

TEST_CASE("the host is indifferent to how its time is cut, and its driver goes on from the log after a restart") {
    const LpContract both = contract([](Device& device) {
        std::vector<std::uint32_t> result;
        round_trip(device, result);
    });
    CHECK(count_outputs(both, 1) > 20);
    CHECK(check_contract(both, 1, 1000, 50) == "");
}

TEST_CASE("the host is indifferent to cuts and restarts in copies of several bursts") {
    LpContract copies = contract([](Device& device) {
        const std::vector<std::uint8_t> values(kBurstBytes + 1000, 3);
        const DeviceAddress all = device.upload(values);
        const auto got = device.download<std::uint8_t>(all, values.size());
        CHECK(got == values);
    });
    copies.end *= 2;
    CHECK(check_contract(copies, 1, 8, 8) == "");
}

void expect_error(DriverThread::Program program, const char* fragment) {
    CHECK_THROWS_WITH_AS(count_outputs(contract(std::move(program)), 1), doctest::Contains(fragment), ProgramError);
}

TEST_CASE("with code_fills_l2 the kernels' code and the launches' parameters are in L2 before anything else") {
    for (const bool fills : {false, true}) {
        CAPTURE(fills);
        FakeGpu::left_in_l2.clear();
        HostParameters parameters;
        parameters.code_fills_l2 = fills;
        std::vector<std::uint32_t> result;
        count_outputs(contract([&](Device& device) { round_trip(device, result); }, parameters), 5);
        std::uint64_t code = 0;
        std::uint64_t constants = 0;
        for (const auto& [address, bytes] : FakeGpu::left_in_l2) {
            (address < isa::kConstantBankBase ? code : constants) += bytes;
        }
        CHECK(code == (fills ? isa::code_addresses(kernels()).back() - isa::kCodeBase : 0));
        CHECK(constants == (fills ? 4096 : 0));
        CHECK(result.size() == 778);
    }
}

TEST_CASE("what a driver does wrong is a program error that says what") {
    const std::vector<std::byte> bytes(64);
    expect_error([&](Device& device) { device.copy_to_device(0x1234, bytes); }, "not inside an allocation");
    expect_error([&](Device& device) { device.copy_to_device(device.allocate(63), bytes); },
                 "not inside an allocation");
    expect_error([](Device& device) { device.fill(device.allocate(8) + 1, std::byte{1}, 8); }, "fill of 8 bytes");
    expect_error([](Device& device) { device.launch("nothing", {}, {}); }, "kernel 'nothing'");
    expect_error(
        [](Device& device) {
            device.launch("negate", {{1}, {2000}}, pack_parameters(8L));
        },
        "exceeds 1024 threads");
    expect_error([](Device& device) { device.launch("negate", {{0}, {32}}, pack_parameters(8L)); }, "is empty");
    expect_error(
        [](Device& device) {
            device.launch("negate", {{1}, {32}}, pack_parameters(8));
        },
        "4 bytes of parameters");
    CHECK_NOTHROW(count_outputs(contract([](Device& device) {
                                    device.launch("negate", {{1}, {1024}}, pack_parameters(8L));
                                }),
                                1));
}

}  // namespace
}  // namespace lookahead::gpu
