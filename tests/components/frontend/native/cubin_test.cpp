#include "components/frontend/native/cubin.h"

#include <cstring>
#include <random>

#include "components/isa/address_space.h"
#include "core/error/error.h"
#include "tests/components/frontend/native/samples.h"
#include "tests/support/seed.h"

namespace lookahead::native {
namespace {

using test::Bytes;
using test::named;
using test::sample;
using test::sample_bytes;
using Words = std::vector<std::uint32_t>;

template <class T>
T value_at(const Bytes& bytes, std::size_t offset) {
    T value{};
    REQUIRE(offset + sizeof value <= bytes.size());
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

const isa::ModuleVariable& variable(const Cubin& cubin, std::string_view name) {
    return named(cubin.variables, name);
}

TEST_CASE("a cubin's kernels have the parameters, registers, shared memory and stack of their PTX") {
    for (const unsigned architecture : {75u, 90u}) {
        const Cubin cubin = sample(architecture);
        CHECK(cubin.architecture == architecture);
        REQUIRE(cubin.kernels.size() == 6);
        const std::uint32_t base = architecture == 75 ? 0x160 : 0x210;
        for (const CubinKernel& kernel : cubin.kernels) {
            CHECK(kernel.refusal.empty());
            CHECK(kernel.parameter_base == base);
            CHECK(kernel.registers >= 4);
            CHECK(kernel.registers <= 32);
            CHECK(kernel.code.size() % 8 == 0);
        }
        const CubinKernel& reads = named(cubin.kernels, "reads");
        CHECK(reads.parameter_offsets == Words{0, 8, 10, 12, 16});
        CHECK(reads.parameter_sizes == Words{8, 1, 2, 4, 12});
        CHECK(reads.parameter_bytes == 28);
        CHECK(reads.shared_bytes == 0);
        CHECK(reads.max_threads == 0);
        const CubinKernel& shares = named(cubin.kernels, "shares");
        CHECK(shares.max_threads == 128);
        CHECK(shares.parameter_sizes == Words{8});
        // From Hopper on the GPU keeps 1 KB of its own.
        CHECK(shares.shared_bytes == (architecture == 75 ? 256 : 256 + 1024));
        CHECK(named(cubin.kernels, "stacks").stack_bytes == 40);
        CHECK(named(cubin.kernels, "calls").stack_bytes == 0);
    }
}

TEST_CASE("variables have addresses in global and constant memory, their first values, and one another's addresses") {
    for (const unsigned architecture : {75u, 90u}) {
        const Cubin cubin = sample(architecture);
        const isa::ModuleVariable& global = variable(cubin, ".nv.global.init");
        CHECK(global.address == isa::kModuleBase);
        const std::uint64_t counters = variable(cubin, "counters").address;
        for (unsigned i = 0; i < 3; ++i) {
            CHECK(value_at<std::uint32_t>(global.contents, counters - global.address + 4 * i) == 11 + i);
        }
        CHECK(value_at<std::uint64_t>(global.contents, variable(cubin, "where").address - global.address) == counters);
        const isa::ModuleVariable& scratch = variable(cubin, ".nv.global");
        CHECK(scratch.bytes == 64);
        CHECK(scratch.contents.empty());
        CHECK(scratch.address >= global.address + global.bytes);
        CHECK(variable(cubin, "scratch").address == scratch.address);

        const isa::ModuleVariable& constant = variable(cubin, ".nv.constant3");
        CHECK(constant.is_constant);
        CHECK(cubin.constants_address == isa::kConstantBase);
        CHECK(cubin.constants_bytes == 24);
        for (unsigned i = 0; i < 4; ++i) { CHECK(value_at<std::uint32_t>(constant.contents, 4 * i) == 3 + 2 * i); }
        CHECK(value_at<double>(constant.contents, variable(cubin, "factor").address - constant.address) == 3.0);
        // Kernels find variables by the addresses in bank 4.
        std::vector<std::uint64_t> addresses;
        for (std::size_t i = 0; i < cubin.addresses.size(); i += 8) {
            addresses.push_back(value_at<std::uint64_t>(cubin.addresses, i));
        }
        CHECK(addresses == std::vector{counters, variable(cubin, "where").address, scratch.address});
    }
}

TEST_CASE("what is no cubin, or is one for an older GPU, is refused with the file's name") {
    const auto refusal = [](const Bytes& bytes) -> std::string {
        try {
            read_cubin(bytes, "a.cubin");
        } catch (const InputError& error) { return error.what(); }
        return "";
    };
    CHECK(refusal({}).starts_with("a.cubin: this is no complete cubin"));
    CHECK_FALSE(is_cubin({}));
    Bytes bytes = sample_bytes(75);
    CHECK(is_cubin(bytes));
    CHECK(refusal(bytes).empty());
    bytes[49] = std::byte{60};  // the second byte of the flags
    CHECK(refusal(bytes) == "a.cubin: it is for sm_60; native code of sm_70 to sm_121 is read");
    bytes = sample_bytes(75);
    bytes[18] = std::byte{62};  // another machine
    CHECK_FALSE(is_cubin(bytes));
    CHECK_FALSE(refusal(bytes).empty());
}

/// Whether the file is accepted. It is lowered both ways then; all that comes out is in its range.
bool survives(const Bytes& bytes) {
    try {
        const Cubin cubin = read_cubin(bytes, "damaged.cubin");
        for (const bool own_barriers : {false, true}) {
            for (const isa::Kernel& kernel : lower(cubin, "damaged.cubin", own_barriers)) {
                test::check_ranges(kernel);
            }
        }
        return true;
    } catch (const InputError& error) {
        REQUIRE(std::string(error.what()).starts_with("damaged.cubin: "));
        return false;
    }
}

TEST_CASE("a cubin that ends before its last section header is refused") {
    for (const unsigned architecture : {75u, 90u}) {
        const Bytes whole = sample_bytes(architecture);
        const std::size_t end = value_at<std::uint64_t>(whole, 40) + value_at<std::uint16_t>(whole, 60) * 64u;
        for (std::size_t size = 0; size <= whole.size(); size += size + 20 < end || size > end ? 13 : 1) {
            const bool accepted = survives({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
            REQUIRE(accepted == (size >= end));
        }
    }
}

TEST_CASE("a damaged cubin is read or refused, and never anything else") {
    std::mt19937_64 random(lookahead::test::random_seed());
    std::size_t accepted = 0, refused = 0;
    for (const unsigned architecture : {75u, 90u}) {
        const Bytes whole = sample_bytes(architecture);
        const auto headers = value_at<std::uint64_t>(whole, 40);  // of sections
        for (std::uint64_t round = 0; round < lookahead::test::often(4000); ++round) {
            Bytes damaged = whole;
            for (auto count = 1 + random() % 3; count > 0; --count) {
                // Half of the changes are in the headers, where most bytes matter.
                const bool in_headers = random() % 2 != 0;
                const std::size_t first = in_headers ? headers : 0;
                const std::size_t place = first + random() % (whole.size() - first);
                const std::size_t width = std::min(std::size_t{1} << random() % 4, whole.size() - place);
                const std::uint64_t edges[] = {0, ~std::uint64_t{0}, random(), std::uint64_t{1} << random() % 64};
                std::memcpy(damaged.data() + place, &edges[random() % 4], width);
            }
            CAPTURE(round);
            survives(damaged) ? ++accepted : ++refused;
        }
    }
    // Both must happen often, else the changes test nothing.
    CHECK(accepted > 500);
    CHECK(refused > 500);
}

}  // namespace
}  // namespace lookahead::native
