// Strided and indirect vector memory instructions from PTX, on the emulator: the effect of each, lane by lane.
#include <doctest/doctest.h>

#include <algorithm>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/emit/print.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"
#include "tests/core/error/error_of.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"
#include "tests/functional/vector_memory/vector_kernel.h"

namespace lookahead::test {
namespace {

VectorRun emulate(const VectorAccess& access, const VectorRun& run) {
    EmulatedDevice device(finalised(access));
    return execute(device, access, run);
}

/// Each lane has its own 64 words and begins in the middle. Memory words equal their numbers, and data differ from
/// these.
VectorRun lanes_apart(std::int32_t stride) {
    VectorRun run;
    for (std::uint32_t i = 0; i < kMemoryWords; ++i) { run.memory[i] = i; }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        Lane& each = run.lanes[lane];
        each.byte = static_cast<std::int32_t>(4 * (64 * lane + 32));
        each.stride = stride;
        for (std::int32_t k = 0; k < 16; ++k) {
            each.indices[static_cast<std::size_t>(k)] = k % 2 == 0 ? -2 * k : k + 3;
            each.data[static_cast<std::size_t>(k)] = 100'000 * (lane + 1) + static_cast<std::uint32_t>(k);
        }
    }
    return run;
}

TEST_CASE("every instruction, length and space, with strides and indices of both signs") {
    for (const VectorAccess& access : all_vector_accesses()) {
        for (const std::int32_t stride : {2, -2, 1, 0}) {
            CAPTURE(access.name());
            CAPTURE(stride);
            const VectorRun run = lanes_apart(stride);
            const VectorRun found = emulate(access, run);
            check_equal(found, expected(access, run));
            const bool stores = found.memory != run.memory;
            CHECK(stores != access.loads);
        }
    }
}

TEST_CASE("element 1 of lane 3 is where the stride, or its index, says") {
    const VectorRun run = lanes_apart(2);
    for (const unsigned length : {4u, 8u, 16u}) {
        CHECK(emulate({true, true, length, false, false}, run).lanes[3].data[1] == 64 * 3 + 32 + 2);
        CHECK(emulate({true, false, length, true, false}, run).lanes[3].data[1] == 64 * 3 + 32 + 4);
        CHECK(emulate({false, true, length, true, false}, run).memory[64 * 3 + 32 + 2] == 400'001);
        CHECK(emulate({false, false, length, false, false}, run).memory[64 * 3 + 32 + 4] == 400'001);
    }
}

TEST_CASE("masked lanes touch nothing, wherever their addresses lead") {
    for (const VectorAccess& access : all_vector_accesses()) {
        for (const std::uint32_t mask : {0x00000001u, 0x80000000u, 0x55555555u, 0x0000ffffu, 0u}) {
            CAPTURE(access.name());
            CAPTURE(mask);
            VectorRun run = lanes_apart(1);
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                if ((mask >> lane & 1) != 0) { continue; }
                run.lanes[lane].active = 0;
                run.lanes[lane].byte = 0x40000002;
                run.lanes[lane].stride = 0x7fffffff;
                run.lanes[lane].indices.fill(-0x7fffffff);
            }
            const VectorRun found = emulate(access, run);
            check_equal(found, expected(access, run));
        }
    }
}

TEST_CASE("indices are latched: the loaded words may take their registers") {
    for (const bool shared : {false, true}) {
        for (const unsigned length : {4u, 8u, 16u}) {
            const VectorAccess access{true, false, length, shared, true};
            CAPTURE(access.name());
            VectorRun run = lanes_apart(0);
            run.lanes[7].active = 0;
            check_equal(emulate(access, run), expected(access, run));
        }
    }
}

TEST_CASE("of a lane's stores to one place the later element's stays") {
    for (const bool shared : {false, true}) {
        for (const unsigned length : {4u, 8u, 16u}) {
            VectorRun run = lanes_apart(0);
            const VectorRun strided = emulate({false, true, length, shared, false}, run);
            CHECK(strided.memory[32] == 100'000 + length - 1);
            for (Lane& lane : run.lanes) { lane.indices = {5, 6, 5, 6}; }
            const VectorRun indirect = emulate({false, false, length, shared, false}, run);
            CHECK(indirect.memory[37] == 100'002);
            CHECK(indirect.memory[38] == 100'003);
        }
    }
}

TEST_CASE("a later element wins over an earlier one of another lane, and within an element the highest lane") {
    for (const bool shared : {false, true}) {
        VectorRun run = lanes_apart(0);
        // Lane 2's element 1 and lane 9's element 0; all lanes' element 3.
        for (Lane& lane : run.lanes) {
            lane.byte = 0;
            const auto own = static_cast<std::int32_t>(100 + 10 * (&lane - run.lanes.data()));
            lane.indices = {own, own + 1, own + 2, 7};
        }
        run.lanes[2].indices[1] = 5;
        run.lanes[9].indices[0] = 5;
        const VectorRun found = emulate({false, false, 4, shared, false}, run);
        CHECK(found.memory[5] == run.lanes[2].data[1]);
        CHECK(found.memory[7] == run.lanes[31].data[3]);
        check_equal(found, expected({false, false, 4, shared, false}, run));
    }
}

/// The fault's sentence, and the memory that it left.
std::string fault_of(const VectorAccess& access, const VectorRun& run) {
    return error_of<ProgramError>([&] { emulate(access, run); }, "no fault");
}

TEST_CASE("a fault names the element and the lane; one word less is none") {
    for (const VectorAccess& access : all_vector_accesses()) {
        for (unsigned element = 1; element < access.length; ++element) {
            CAPTURE(access.name());
            CAPTURE(element);
            VectorRun run = lanes_apart(0);
            Lane& lane = run.lanes[21];
            const auto end = static_cast<std::int32_t>(kMemoryWords);
            const auto reach = [&](std::int32_t word) {
                lane.byte = 4 * (word - static_cast<std::int32_t>(element));
                lane.stride = 1;
                lane.indices.fill(0);
                lane.indices[element] = static_cast<std::int32_t>(element);
            };
            reach(end);
            const std::string sentence = fault_of(access, run);
            CAPTURE(sentence);
            CHECK(sentence.find("element " + std::to_string(element) + " of a vector " +
                                (access.loads ? "load" : "store") + " of 4 bytes") != std::string::npos);
            CHECK(sentence.find("lane 21") != std::string::npos);
            CHECK(sentence.find("illegal address") != std::string::npos);
            // The last of the words; with a stride, the following elements would be outside.
            reach(end - 1);
            if (!access.strided || element + 1 == access.length) { CHECK(fault_of(access, run) == "no fault"); }
        }
    }
}

TEST_CASE("an element before the memory's begin is a fault, and so is a misaligned address") {
    for (const VectorAccess& access : all_vector_accesses()) {
        CAPTURE(access.name());
        VectorRun run = lanes_apart(0);
        run.lanes[4].byte = 4;
        run.lanes[4].stride = -1;
        run.lanes[4].indices = {0, -1, -2, -3};
        CHECK(fault_of(access, run).find("element 2 of a vector") != std::string::npos);
        run = lanes_apart(0);
        run.lanes[6].byte += 2;
        const std::string sentence = fault_of(access, run);
        CHECK(sentence.find("misaligned address: element 0 of a vector") != std::string::npos);
        CHECK(sentence.find("lane 6") != std::string::npos);
    }
}

TEST_CASE("elements before the fault are stored, those behind it not") {
    const VectorAccess access{false, true, 8, false, false};
    VectorRun run = lanes_apart(1);
    run.lanes[31].byte = 4 * (static_cast<std::int32_t>(kMemoryWords) - 3);
    EmulatedDevice device(finalised(access));
    CHECK_THROWS_AS(execute(device, access, run), ProgramError);
    std::vector<std::uint32_t> left(kMemoryWords);
    const Allocator::Block* const memory = device.allocator().find(isa::kGlobalBase + 4 * kMemoryWords);
    REQUIRE(memory != nullptr);
    device.copy_from_device(std::as_writable_bytes(std::span(left)), memory->address);
    CHECK(left[32 + 2] == run.lanes[0].data[2]);
    CHECK(left[32 + 3] == 32 + 3);
    CHECK(left[kMemoryWords - 1] == run.lanes[31].data[2]);
}

TEST_CASE("64-bit strides do not wrap: the stride is extended before it is scaled") {
    // 4 * 0x40000000 elements are 2^32 bytes, which must not wrap to the beginning.
    VectorRun run = lanes_apart(0x40000000);
    CHECK(fault_of({true, true, 4, false, false}, run).find("element 1 of a vector load") != std::string::npos);
    run = lanes_apart(0);
    run.lanes[0].indices[2] = 0x40000000;
    CHECK(fault_of({true, false, 4, false, false}, run).find("element 2 of a vector load") != std::string::npos);
}

TEST_CASE("an observer sees each element of each lane, in the instruction's order") {
    struct Seen final : AccessObserver {
        std::vector<std::pair<unsigned, std::uint64_t>> words;  ///< lane, words from the first
        std::uint64_t first = 0;
        void begin_launch(std::uint64_t) override {}
        void access(const ExecutionPlace& place, unsigned lane, Kind kind, std::uint64_t address,
                    unsigned bytes) override {
            if (!isa::is_vector_memory(place.kernel.code[place.pc].operation)) { return; }
            CHECK(kind == Kind::write);
            CHECK(bytes == 4);
            first = words.empty() ? address : first;
            words.emplace_back(lane, (address - first) / 4);
        }
    } seen;
    const VectorAccess access{false, true, 4, false, false};
    VectorRun run = lanes_apart(3);
    for (unsigned lane = 2; lane < kLanes; ++lane) { run.lanes[lane].active = 0; }
    EmulatedDevice device(finalised(access), {.observer = &seen});
    execute(device, access, run);
    CHECK(seen.words == std::vector<std::pair<unsigned, std::uint64_t>>{
                            {0, 0}, {1, 64}, {0, 3}, {1, 67}, {0, 6}, {1, 70}, {0, 9}, {1, 73}});
    CHECK(device.counts().stores_to(isa::Space::global).warps == 1);
}

TEST_CASE("nothing moves across a vector memory instruction, and it stays though nobody reads what it loads") {
    const std::string text =
        ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %r<16>;\n.reg .b64 %rd<4>;\n"
        "ld.param.u64 %rd0, [p];\n"
        "ld.global.u32 %r0, [%rd0];\n"
        "add.u32 %r1, %r0, 1;\n"
        "ld.stride.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd0], 1;\n"
        "ld.global.u32 %r2, [%rd0+4];\n"
        "add.u32 %r3, %r2, %r1;\nst.global.u32 [%rd0+8], %r3;\nret;\n}\n";
    const isa::KernelTable table = finaliser::finalise_module(ptx::parse_module(text, "k.ptx"), {});
    std::vector<std::uint32_t> lines;
    for (const isa::Instruction& instruction : table[0].code) {
        if (instruction.line >= 9) { lines.push_back(instruction.line); }
    }
    CAPTURE(finaliser::print(table[0]));
    CHECK(std::ranges::is_sorted(lines));
    CHECK(std::ranges::count_if(table[0].code, [](const isa::Instruction& instruction) {
              return instruction.operation == isa::Operation::load_stride;
          }) == 1);
}

const std::string kStep = "add.u64 %rd0, %rd0, 16;\n";

/// A loop of three iterations with four words each, with `before` between the iteration's beginning and its vector load
/// from %rd1, and `behind` at its end.
std::string rounds(const std::string& before, const std::string& behind) {
    return ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
           ".reg .pred %p;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n"
           "ld.param.u64 %rd0, [p];\nld.param.u64 %rd2, [q];\nmov.u32 %r8, 0;\nhead:\n" +
           before +
           "ld.stride.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd1], 1;\n"
           "xor.b32 %r4, %r0, %r1;\nxor.b32 %r5, %r2, %r3;\nadd.u32 %r6, %r4, %r5;\n"
           "st.global.u32 [%rd2], %r6;\nadd.u64 %rd2, %rd2, 4;\n" +
           behind + "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p, %r8, 3;\n@%p bra head;\nret;\n}\n";
}

TEST_CASE("a sum of a base that changes in the loop is folded into the address where the base is still the same") {
    const auto check = [](const std::string& before, const std::string& behind, std::int32_t offset) {
        const std::string text = rounds(before, behind);
        const ptx::Module module = ptx::parse_module(text, "k.ptx");
        const isa::KernelTable table = finaliser::finalise_module(module, {});
        CAPTURE(finaliser::print(table[0]));
        const auto load = std::ranges::find(table[0].code, isa::Operation::load_stride, &isa::Instruction::operation);
        REQUIRE(load != table[0].code.end());
        CHECK(load->offset == offset);
        const auto run = [](Device& device) {
            std::vector<std::uint32_t> words(64);
            for (std::uint32_t i = 0; i < words.size(); ++i) { words[i] = i * i; }
            const DeviceAddress from = device.upload(words), to = device.upload(std::vector<std::uint32_t>(3));
            device.launch("k", {{1, 1, 1}, {1, 1, 1}}, pack_parameters(from, to));
            return device.download<std::uint32_t>(to, 3);
        };
        EmulatedDevice emulated(table);
        ScalarInterpreter interpreted(module);
        CHECK(run(emulated) == run(interpreted));
    };
    check("add.u64 %rd1, %rd0, 8;\n", kStep, 8);
    check("add.u64 %rd1, %rd0, -8;\nadd.u64 %rd1, %rd1, 12;\n", kStep, 4);
    // The base advances before the load.
    check("add.u64 %rd1, %rd0, 8;\n" + kStep, "", 0);
}

TEST_CASE("what the instructions are not given for is refused") {
    const auto refusal = [](const std::string& instruction) {
        const std::string text =
            ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
            ".reg .b32 %r<16>;\n.reg .f32 %f<16>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd0, [p];\n" +
            instruction + ";\nret;\n}\n";
        return error_of<InputError>([&] { finaliser::finalise_module(ptx::parse_module(text, "k.ptx"), {}); },
                                    "accepted");
    };
    const std::string four = "{%r0, %r1, %r2, %r3}", floats = "{%f0, %f1, %f2, %f3}";
    CHECK(refusal("ld.stride.global.v4.b32 " + four + ", [%rd0], %r4") == "accepted");
    CHECK(refusal("ld.stride.global.v4.f32 " + floats + ", [%rd0], -7") == "accepted");
    CHECK(refusal("st.indirect.shared.v4.b32 [%r9], " + four + ", " + floats) == "accepted");
    CHECK(refusal("ld.stride.v4.b32 " + four + ", [%rd0], %r4") != "accepted");
    CHECK(refusal("ld.stride.local.v4.b32 " + four + ", [%rd0], %r4") != "accepted");
    CHECK(refusal("ld.stride.global.b32 %r0, [%rd0], %r4") != "accepted");
    CHECK(refusal("ld.stride.global.v2.b32 {%r0, %r1}, [%rd0], %r4") != "accepted");
    CHECK(refusal("ld.stride.global.v8.b32 " + four + ", [%rd0], %r4") != "accepted");
    CHECK(refusal("ld.stride.global.v4.b64 {%rd0, %rd1, %rd2, %rd3}, [%rd0], %r4") != "accepted");
    CHECK(refusal("ld.stride.global.v4.b32 " + four + ", [%rd0], %rd1") != "accepted");
    CHECK(refusal("ld.indirect.global.v4.b32 " + four + ", [%rd0], " + floats) != "accepted");
    CHECK(refusal("ld.indirect.global.v4.b32 " + four + ", [%rd0], %r4") != "accepted");
    CHECK(refusal("ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%rd0]") != "accepted");
}

}  // namespace
}  // namespace lookahead::test
