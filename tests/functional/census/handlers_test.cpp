// Every instruction of the census that is one instruction of the machine: its handler gives the scalar interpreter's
// bits in the active lanes, on pairs of edge values and on random ones, whatever the mask, also where the destination
// is a source; the other lanes keep theirs.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "tests/components/isa/half_reference.h"
#include "tests/components/isa/handler_harness.h"
#include "tests/functional/census/forms.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"

namespace lookahead::test {
namespace {

using isa::kWarpSize;
using isa::LaneMask;

constexpr const char* kCarry = "carry";

/// A kernel that defines each register, and the carry, on a line of its own, and then has the statement.
struct Kernel {
    explicit Kernel(const Statement& statement) {
        add(".version 9.0");
        add(".target sm_75");
        add(".address_size 64");
        add(".visible .entry k(.param .u64 out) {");
        add(".reg .b16 %h<4>; .reg .b32 %r<5>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .f64 %d<4>; .reg .pred %p<4>;");
        add(".reg .b64 %m; .reg .b32 %t<4>;");
        add("ld.param.u64 %m, [out];");
        const std::pair<const char*, const char*> banks[] = {
            {"h", "b16"}, {"r", "b32"}, {"rd", "b64"}, {"f", "f32"}, {"d", "f64"}};
        unsigned place = 0;
        for (const auto& [bank, type] : banks) {
            for (unsigned i = 1; i < 4; ++i) {
                const std::string name = fmt::format("%{}{}", bank, i);
                add(fmt::format("ld.global.{} {}, [%m+{}];", type, name, place++ * 8), name);
            }
        }
        add("ld.global.b32 %r4, [%m+120];", "%r4");
        for (unsigned i = 1; i < 3; ++i) {
            add(fmt::format("ld.global.u32 %t{}, [%m+{}];", i, 120 + 8 * i));
            add(fmt::format("setp.ne.u32 %p{0}, %t{0}, 0;", i), fmt::format("%p{}", i));
        }
        add("ld.global.u32 %t0, [%m+144];");
        add("add.cc.u32 %t3, %t0, %t0;", kCarry);
        std::string tested = statement.text;
        const bool has_complement = tested.starts_with("setp") && tested.find(".f16") == std::string::npos;
        if (has_complement) { tested.replace(tested.find("%p0"), 3, "%p0|%p3"); }
        add(tested);
        line = lines_;
        if (statement.destination == "p") {
            add("selp.u32 %t1, 1, 0, %p0; st.global.u32 [%m], %t1;");
            if (has_complement) { add("selp.u32 %t1, 1, 0, %p3; st.global.u32 [%m+8], %t1;"); }
        } else {
            const std::string& bank = statement.destination;
            const char* const bits = bank == "h" ? "16" : bank == "rd" || bank == "d" ? "64" : "32";
            add(fmt::format("st.global.b{} [%m], %{}0;", bits, bank));
        }
        add("addc.u32 %t2, 0, 0; st.global.u32 [%m+16], %t2;");
        add("ret; }");
    }

    std::string text;
    std::map<unsigned, std::string> defined;  ///< registers by the line that defines them
    unsigned line = 0;                        ///< of the statement

  private:
    void add(const std::string& more, const std::string& defines = "") {
        text += more + "\n";
        ++lines_;
        if (!defines.empty()) { defined[lines_] = defines; }
    }
    unsigned lines_ = 0;
};

/// A statement, and the instruction that it is.
class Form {
  public:
    explicit Form(const Statement& statement)
        : kernel_(statement),
          module_(ptx::parse_module(kernel_.text, "form.ptx")),
          interpreter_(module_),
          threads_(kWarpSize, {std::vector<std::uint64_t>(function().registers.size())}) {
        for (const ptx::Instruction& each : function().instructions) {
            if (each.line == kernel_.line) { statement_ = each; }
        }
        // The machine's registers hold what was defined last.
        std::map<unsigned, std::string> rows, predicates;
        unsigned instructions = 0;
        for (const isa::Instruction& each : finaliser::finalise(module_, function(), {}).code) {
            if (each.line == kernel_.line) {
                instruction_ = each;
                ++instructions;
            } else if (instructions == 0) {
                if (each.destination_rows > 0) { rows[each.destination] = kernel_.defined[each.line]; }
                if (each.destination_predicate != isa::kNoPredicate) {
                    predicates[each.destination_predicate] = kernel_.defined[each.line];
                }
            }
        }
        const unsigned bits = bits_of(statement_.operands[0].reg);
        is_one_ = instructions == 1 && instruction_.destination_rows == (bits == 1 ? 0 : (bits + 31) / 32);
        for (unsigned i = 0; is_one_ && i < 3; ++i) {
            const isa::Operand& operand = instruction_.source[i];
            if (operand.kind == isa::Operand::Kind::none) { continue; }
            is_one_ = operand.kind == isa::Operand::Kind::reg && rows.contains(operand.index);
            if (is_one_) { sources_.push_back({i, number_of(rows[operand.index])}); }
        }
        predicates_[0] = {instruction_.source_predicate, predicates[instruction_.source_predicate]};
        predicates_[1] = {instruction_.source_predicate2, predicates[instruction_.source_predicate2]};
        handler_ = isa::select_handler(instruction_);
    }

    bool is_one() const { return is_one_; }

    void check(bool all_edges) {
        REQUIRE((handler_ != nullptr));
        const unsigned rounds = sources_.size() > 1 ? 30 : 100;
        for (unsigned round = 0; round < rounds; ++round) {
            const LaneMask active = round % 3 == 0 ? isa::kFullMask : random_mask();
            execute([this](unsigned source, unsigned) { return any_value(source); }, active, round % 5);
        }
        if (sources_.empty() || !all_edges) { return; }
        const std::vector<std::uint64_t> first = edges_of(0), last = edges_of(sources_.size() > 1 ? 1 : 0);
        for (const std::uint64_t each : sources_.size() > 1 ? first : std::vector<std::uint64_t>{0}) {
            for (std::size_t from = 0; from < last.size(); from += kWarpSize) {
                const auto value = [&](unsigned source, unsigned lane) {
                    return source > 1                           ? any_value(source)
                           : source == 0 && sources_.size() > 1 ? each
                                                                : last[(from + lane) % last.size()];
                };
                execute(value, isa::kFullMask, 0);
            }
        }
    }

  private:
    struct Source {
        unsigned operand;
        unsigned number;  ///< of the register in the PTX
    };
    struct Predicate {
        std::uint8_t number = isa::kNoPredicate;
        std::string name = {};
    };

    const ptx::Function& function() const { return module_.functions.front(); }
    unsigned number_of(const std::string& name) const {
        const auto& registers = function().registers;
        const auto found = std::ranges::find(registers, name, &ptx::Register::name);
        LOOKAHEAD_ASSERT(found != registers.end(), "a source that no line defines: " + name);
        return static_cast<unsigned>(found - registers.begin());
    }
    unsigned bits_of(unsigned number) const { return ptx::bits(function().registers[number].type); }
    std::uint64_t truncated(std::uint64_t value, unsigned number) const {
        return bits_of(number) == 64 ? value : value & ((std::uint64_t{1} << bits_of(number)) - 1);
    }
    /// A random value, two of halves, or a value near one of half precision, where roundings decide.
    std::uint64_t any_value(unsigned source) const {
        auto& random = isa::test::random_bits();
        switch (random() % 8) {
            case 0:
                return isa::test::random_value() ^ isa::test::random_value() << 16;
            case 1: {
                const double near = isa::test::value_of_half(static_cast<std::uint16_t>(random())) *
                                    (1 + static_cast<double>(random() % 17) * 0x1p-14);
                return bits_of(sources_[source].number) == 64 ? isa::test::bits_of(near)
                                                              : isa::test::bits_of(static_cast<float>(near));
            }
            default:
                return isa::test::random_value();
        }
    }
    std::vector<std::uint64_t> edges_of(std::size_t source) const {
        std::vector<std::uint64_t> edges;
        for (const std::uint64_t each : isa::test::edge_values()) {
            edges.push_back(truncated(each, sources_[source].number));
        }
        std::ranges::sort(edges);
        edges.erase(std::ranges::unique(edges).begin(), edges.end());
        return edges;
    }
    static LaneMask random_mask() { return static_cast<LaneMask>(isa::test::random_bits()()); }

    /// Gives the threads a predicate, and returns the handler's.
    LaneMask set_predicate(const Predicate& predicate, bool negated) {
        const LaneMask mask = predicate.number == isa::kTruePredicate ? isa::kFullMask : random_mask();
        const bool is_register = !predicate.name.empty(), is_carry = predicate.name == kCarry;
        const unsigned number = is_register && !is_carry ? number_of(predicate.name) : 0;
        for (unsigned lane = 0; is_register && lane < kWarpSize; ++lane) {
            const bool is_set = mask >> lane & 1;
            if (is_carry) {
                threads_[lane].carry = is_set;
            } else {
                threads_[lane].bits[number] = is_set;
            }
        }
        return negated ? ~mask : mask;
    }

    template <class Value>
    void execute(const Value& value, LaneMask active, unsigned alias) {
        isa::Row words[3][2], result[2];
        for (isa::Row* each : {words[0], words[1], words[2], result}) {
            for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                const std::uint64_t bits = isa::test::random_bits()();
                each[0].lanes[lane] = static_cast<std::uint32_t>(bits);
                each[1].lanes[lane] = static_cast<std::uint32_t>(bits >> 32);
            }
        }
        for (unsigned source = 0; source < sources_.size(); ++source) {
            const auto& [operand, number] = sources_[source];
            for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                const std::uint64_t bits = threads_[lane].bits[number] = truncated(value(source, lane), number);
                std::uint32_t& low = words[operand][0].lanes[lane];
                low = bits_of(number) == 16 ? (low & 0xffff0000) | static_cast<std::uint32_t>(bits)
                                            : static_cast<std::uint32_t>(bits);
                words[operand][1].lanes[lane] = static_cast<std::uint32_t>(bits >> 32);
            }
        }
        isa::OperandRows rows{};
        for (unsigned i = 0; i < 2; ++i) {
            for (unsigned operand = 0; operand < 3; ++operand) { rows.source[operand][i] = words[operand][i].lanes; }
            const unsigned other = alias == 4 ? 1 - i : i;  // crossed: low on high
            rows.destination[i] = alias == 0 ? result[i].lanes : words[alias == 4 ? 0 : alias - 1][other].lanes;
        }
        for (ScalarInterpreter::Registers& thread : threads_) { thread.carry = false; }
        rows.source_predicate = set_predicate(predicates_[0], instruction_.source_predicate_negated);
        rows.source_predicate2 = set_predicate(predicates_[1], instruction_.source_predicate2_negated);
        const LaneMask before = rows.destination_predicate = random_mask();
        const LaneMask before2 = rows.destination_predicate2 = random_mask();
        const isa::Row old[2] = {row_of(rows.destination[0]), row_of(rows.destination[1])};
        interpreter_.execute_alone(statement_, threads_);
        handler_(rows, active, instruction_);
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            const bool runs = active >> lane & 1;
            for (unsigned i = 0; i < instruction_.destination_rows; ++i) {
                const std::uint32_t got = rows.destination[i][lane];
                const std::uint32_t matters = is_copy() ? 0xffff : 0xffffffff;
                const auto right = runs ? static_cast<std::uint32_t>(result_of(lane) >> (32 * i)) : old[i].lanes[lane];
                if (((got ^ right) & matters) != 0) {
                    fail(fmt::format("word {} is {:x}, not {:x}", i, got, right), lane, runs);
                }
            }
            const bool got[] = {(rows.destination_predicate >> lane & 1) != 0,
                                (rows.destination_predicate2 >> lane & 1) != 0};
            const bool right[] = {runs ? predicate_of(lane, 0) : (before >> lane & 1) != 0,
                                  runs ? predicate_of(lane, 1) : (before2 >> lane & 1) != 0};
            const bool writes[] = {instruction_.destination_predicate != isa::kNoPredicate,
                                   instruction_.destination_predicate2 != isa::kNoPredicate};
            for (unsigned i = 0; i < 2; ++i) {
                if (writes[i] && got[i] != right[i]) { fail(fmt::format("predicate {} is {}", i, got[i]), lane, runs); }
            }
        }
    }
    void fail(std::string message, unsigned lane, bool runs) const {
        for (const Source& source : sources_) {
            message += fmt::format(", {} is {:x}", function().registers[source.number].name,
                                   threads_[lane].bits[source.number]);
        }
        FAIL((message + (runs ? "" : " (lane outside the mask)")));
    }

    /// The interpreter's result, as registers hold it: a signed number of 16 bits is extended to a word.
    std::uint64_t result_of(unsigned lane) const {
        const std::uint64_t bits = threads_[lane].bits[statement_.operands[0].reg];
        return instruction_.type == isa::Type::s16 && instruction_.operation != isa::Operation::set &&
                       (bits & 0x8000) != 0
                   ? bits | 0xffff0000
                   : bits;
    }
    /// It copies a half word with what is above it.
    bool is_copy() const {
        return bits_of(statement_.operands[0].reg) == 16 &&
               (instruction_.operation == isa::Operation::mov || instruction_.operation == isa::Operation::select);
    }
    bool predicate_of(unsigned lane, unsigned destination) const {
        const bool is_carry = function().registers[statement_.operands[0].reg].type != ptx::Type::pred;
        return is_carry ? threads_[lane].carry : threads_[lane].bits[statement_.operands[destination].reg] != 0;
    }
    static isa::Row row_of(const std::uint32_t* words) {
        isa::Row row;
        std::copy_n(words, kWarpSize, row.lanes);
        return row;
    }

    Kernel kernel_;
    ptx::Module module_;
    ScalarInterpreter interpreter_;
    std::vector<ScalarInterpreter::Registers> threads_;
    ptx::Instruction statement_;
    isa::Instruction instruction_;
    isa::AluHandler handler_ = nullptr;
    bool is_one_ = false;
    std::vector<Source> sources_;
    Predicate predicates_[2];
};

/// Further instructions of PTX that handlers know.
constexpr std::pair<const char*, const char*> kMore[] = {
    {"cvt.{rn,rz,rm,rp}.sat.{f16,f32,f64}.{u8,u16,u32,u64,s8,s16,s32,s64}", "=U T"},
    {"cvt.{rn,rz,rm,rp}.sat.f16.{f32,f64}", "=U T"},
    {"cvt.sat.{f32,f64}.f16", "=U T"},
    {"cvt.{ftz.,}sat.f64.f32", "=U T"},
    {"cvt.{rni,rzi,rmi,rpi}.{ftz.,}{sat.,}f32.f32", "=U T"},
    {"cvt.{rni,rzi,rmi,rpi}.sat.f64.f64", "=U T"},
    {"set.{eq,ne,lt,le,gt,ge}.{and,or,xor}.{u32,f32}.{s16,u16,s32,u32,s64,u64}", "set"},
    {"set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{and,or,xor}.{u32,f32}.{f32,f64}", "set"},
    {"set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{and.,}ftz.{u32,f32}.f32", "set"},
    {"setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.f16", "setp"},
};

/// Instructions of several lanes, and those whose bits PTX does not determine.
constexpr const char* kBeyond[] = {".approx", ".full", "shfl", "vote", "match", "redux", "activemask", "bar."};

/// Checks the statement if it is one instruction; returns whether it is.
bool check_form(const Statement& statement, bool all_edges = true) {
    CAPTURE(statement.text);
    const auto contains = [&](const char* part) { return statement.text.find(part) != std::string::npos; };
    if (std::ranges::any_of(kBeyond, contains)) { return false; }
    Form form(statement);
    // A comparison's result is combined with a predicate after all.
    const bool combines = contains(".and.") || contains(".or.") || contains(".xor.");
    if (form.is_one()) { form.check(all_edges && !combines); }
    return form.is_one();
}

TEST_CASE("the handler of every instruction of the census gives its bits in the active lanes alone") {
    unsigned checked = 0;
    for (const Statement& statement : arithmetic_statements()) { checked += check_form(statement); }
    MESSAGE(checked << " instructions");
    CHECK(checked > 1600);
}

TEST_CASE("handlers of further instructions of PTX do, too") {
    for (const auto& [mnemonics, operands] : kMore) {
        for (const Statement& statement : statements_of(mnemonics, operands)) { CHECK(check_form(statement)); }
    }
    for (unsigned table = 0; table < 256; ++table) {
        check_form({fmt::format("lop3.b32 %r0, %r1, %r2, %r3, {};", table), "r"}, false);
    }
}

}  // namespace
}  // namespace lookahead::test
