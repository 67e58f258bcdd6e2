#include "components/frontend/native/decode.h"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace lookahead::native {
namespace {

struct Row {
    unsigned architecture = 0;
    std::uint64_t place = 0, low = 0, high = 0;
    std::string text;
};

/// Those of words.txt.
const std::vector<Row>& rows() {
    static const std::vector<Row> kRows = [] {
        std::ifstream file(LOOKAHEAD_SOURCE_DIR "/tests/components/frontend/native/words.txt");
        std::vector<Row> all;
        for (std::string line; std::getline(file, line);) {
            Row row;
            std::istringstream words(line);
            if (words >> std::dec >> row.architecture >> std::hex >> row.place >> row.low >> row.high >> std::ws) {
                std::getline(words, row.text);
                all.push_back(row);
            }
        }
        return all;
    }();
    return kRows;
}

TEST_CASE("instructions have the text of the PTX that they were made from") {
    for (const Row& row : rows()) {
        const Instruction instruction = decode({row.low, row.high}, row.architecture);
        REQUIRE(instruction.opcode != nullptr);
        CHECK(text_of(instruction, row.place) == row.text);
    }
}

TEST_CASE("the rows cover most opcodes of the table") {
    std::set<std::uint16_t> covered;
    for (const Row& row : rows()) { covered.insert(decode({row.low, row.high}, row.architecture).opcode->number); }
    CHECK(covered.size() >= 90);
}

TEST_CASE("a field is the bits from its first one on, also across the two halves of a word") {
    const Word word{0x8000000000000001, 0xc000000000000005};
    const auto bit_by_bit = [&](unsigned first, unsigned count) {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < count && first + i < 128; ++i) {
            const unsigned place = first + i;
            const std::uint64_t half = place < 64 ? word.low : word.high;
            value |= (half >> place % 64 & 1) << i;
        }
        return value;
    };
    for (unsigned first = 0; first < 128; ++first) {
        for (unsigned count = 1; count <= 64 && first + count <= 128; ++count) {
            REQUIRE(word.bits(first, count) == bit_by_bit(first, count));
        }
    }
    CHECK(word.bits(63, 1) == 1);
    CHECK(word.bits(63, 2) == 3);
    CHECK(word.bits(64, 64) == word.high);
    CHECK(word.bits(63, 64) == 0x800000000000000b);
    CHECK(word.bit(127));
    CHECK_FALSE(word.bit(65));
}

TEST_CASE("a signed field is negative if its last bit is set") {
    const Word word{0xfff8000000000000, 0x1};
    CHECK(word.signed_bits(51, 13) == -1);
    CHECK(word.signed_bits(50, 14) == -2);
    CHECK(word.signed_bits(51, 14) == -1);
    CHECK(word.signed_bits(51, 15) == 0x3fff);
    CHECK(word.signed_bits(0, 64) == static_cast<std::int64_t>(word.low));
    CHECK(word.signed_bits(64, 2) == 1);
    CHECK(word.signed_bits(64, 1) == -1);
}

TEST_CASE("control words tell stalls, yields, barriers, waits and reuse") {
    // An HFMA2 and a MOV, which free nothing; an ATOMG, whose result is barrier 5 and whose sources are barrier 2.
    const isa::IssueControl plain = control_of({0x0000001110057231, 0x000fe20000000012});
    CHECK(plain.stall == 1);
    CHECK_FALSE(plain.yields);
    CHECK(control_of({0x0000000000147202, 0x000fca0000000f00}).yields);
    CHECK(plain.write_barrier == 7);
    CHECK(plain.read_barrier == 7);
    CHECK(plain.waits == 0);
    CHECK(plain.reuse == 0);
    const isa::IssueControl loads = control_of({0x000000021c1773a8, 0x00056800001f41ff});
    CHECK(loads.stall == 4);
    CHECK_FALSE(loads.yields);
    CHECK(loads.write_barrier == 5);
    CHECK(loads.read_barrier == 2);
    const isa::IssueControl waits = control_of({0x0000000504127226, 0x1c0fe20000000206});
    CHECK(waits.reuse == 7);
    CHECK(control_of({0, 0x03ffca0002000000}).waits == 0x3f);
}

TEST_CASE("an unknown opcode, and one that its architecture does not have, have no row and say so") {
    const Word unknown{0x000000000000783b, 0x004e280000000000};
    CHECK(decode(unknown, 90).opcode == nullptr);
    CHECK(text_of(decode(unknown, 90), 0) == "unknown opcode 0x83b: 0x004e280000000000 0x000000000000783b");
    const Word viadd{0x0000000107077836, 0x000fe20000000000}, minimum{0x0000000604187217, 0x000fe20003800200};
    const Word ldcu{0x00007100ff0477ac, 0x000e620008000800};
    CHECK(decode(viadd, 89).opcode == nullptr);
    CHECK(decode(viadd, 90).opcode != nullptr);
    CHECK(decode(minimum, 89).opcode != nullptr);
    CHECK(decode(minimum, 90).opcode == nullptr);
    CHECK(decode(ldcu, 90).opcode == nullptr);
    CHECK(decode(ldcu, 100).opcode != nullptr);
}

TEST_CASE("every opcode's operands and modifiers can be shown, whatever its other bits are") {
    for (const Opcode& opcode : opcodes()) {
        CHECK(opcode.first <= opcode.last);
        for (const std::uint64_t fill : {std::uint64_t{0}, ~std::uint64_t{0}}) {
            const Word word{(fill & ~std::uint64_t{0x1ff}) | opcode.number, fill};
            CHECK(text_of(decode(word, opcode.first), 0).find(opcode.name) != std::string::npos);
        }
    }
}

}  // namespace
}  // namespace lookahead::native
