// Random loops: strides of both signs, known and unknown steps, arrays that overlap in any way, indices from memory,
// left-over iterations, statements under nested conditions. Each runs unchanged and with the pass at each length; some
// also run on the PTX interpreter. LOOKAHEAD_TEST_SEED repeats a run.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "tests/functional/vecmem/bench.h"
#include "tests/support/random_text.h"
#include "tests/support/seed.h"

using namespace lookahead;
using namespace lookahead::vecmem::test;
using lookahead::test::RandomText;

namespace {

const std::uint64_t kLoops = lookahead::test::often(250);
constexpr unsigned kMostNested = 2;
const char* const kLengths[] = {"4", "8", "16", "best"};

const RandomText::Names kNames = {
    {"pointer", {"%rd<1..4>"}},
    {"offset", {"", "", "+<0..3*4>"}},
    {"tested", {"and.b32 %r16, %r2, 1;", "and.b32 %r16, %r1, 2;", "and.b32 %r16, %gid, 4;", "mov.u32 %r16, %r14;"}},
    {"sum", {"ld.global.f32 %f2, [<pointer><offset>]; add.f32 %f1, %f1, %f2;"}},
    {"statement",
     {"<sum>", "<sum>", "ld.global.u32 %r4, [<pointer>]; mad.lo.u32 %r2, %r4, 3, %r2;",
      "st.global.u32 [<pointer><offset>], %r2;",
      "ld.global.u32 %r7, [<pointer>]; and.b32 %r7, %r7, 31; mul.wide.s32 %rd5, %r7, 4; add.s64 %rd5, %mine, %rd5; "
      "ld.global.u32 %r8, [%rd5]; xor.b32 %r2, %r2, %r8;",
      "mul.wide.s32 %rd6, %r1, 4; add.s64 %rd6, %mine, %rd6; ld.global.u32 %r9, [%rd6<offset>]; add.u32 %r2, %r2, %r9;",
      "and.b32 %r10, %r1, 31; shl.b32 %r10, %r10, 2; add.u32 %r10, %r10, %r6; st.shared.u32 [%r10], %r2; "
      "ld.shared.u32 %r11, [%r6+<0..7*4>]; add.u32 %r2, %r2, %r11;",
      "ld.global.u32 %r12, [<pointer>]; add.u32 %r12, %r12, %r2; st.global.u32 [<pointer>], %r12;",
      "ld.global.u32 %r13, [<pointer>]; and.b32 %r13, %r13, 31; mul.wide.s32 %rd7, %r13, 4; add.s64 %rd7, %mine, %rd7; "
      "st.global.u32 [%rd7], %r2;"}}};

/// %r1 counts; %rd1 to %rd4 point into the thread's 512 words, which begin at -256.
class Generator {
  public:
    explicit Generator(std::uint64_t seed) : random_(seed, kNames) {}

    std::string body() {
        std::string text;
        steps_ = below(4) == 0;  // of a word unknown to the pass
        rounds_ = below(26);
        step_ = 1 + static_cast<int>(below(3));
        for (unsigned i = 1; i <= 4; ++i) {
            text += fmt::format("add.s64 %rd{}, %mine, {};\n", i, 4 * (static_cast<int>(below(40)) - 20));
            // Distances of a byte more or less are not words: unaligned arrays are not checked here.
            stride_[i] = static_cast<int>(below(7)) - 3;
        }
        text +=
            "mov.f32 %f1, 0f3F800000; mov.u32 %r2, 7; mov.u32 %r14, 5; mov.u32 %r3, %gid; cvt.s64.s32 %rd9, %a; "
            "shl.b64 %rd9, %rd9, "
            "2;\n";
        text += "mov.u32 %r6, tile; mad.lo.s32 %r6, %gid, 160, %r6;\n";
        text += loop();
        return text +
               "st.global.f32 [%mine+508], %f1; st.global.u32 [%mine+504], %r2; st.global.u32 [%mine+500], %r1; "
               "st.global.u32 [%mine+496], %r14;\n";
    }

  private:
    unsigned below(unsigned end) { return random_.below(end); }

    /// The test follows the body, so there is at least one iteration unless the loop is skipped.
    std::string loop() {
        const bool down = below(3) == 0;
        const int first = static_cast<int>(below(5)) - 2;
        const int sign = down ? -1 : 1;
        const int last = first + sign * step_ * static_cast<int>(rounds_);
        const unsigned kind = below(6);
        std::string text = fmt::format("mov.s32 %r1, {};\n", first);
        // The bound is known, or comes from memory or a parameter, which makes the number of iterations unknown.
        const bool known = kind == 0;
        text += known ? "" : fmt::format("add.s32 %r5, %b, {};\n", last);
        const std::string bound = known ? std::to_string(last) : "%r5";
        if (rounds_ == 0) { text += "bra.uni DONE;\n"; }
        text += "LOOP:\n";
        const unsigned statements = 1 + below(4);
        for (unsigned i = 0; i < statements; ++i) { text += statement_or_condition(0); }
        for (unsigned i = 1; i <= 4; ++i) {
            text += stride_[i] == 3 && steps_ ? fmt::format("add.s64 %rd{0}, %rd{0}, %rd9;\n", i)
                                              : fmt::format("add.s64 %rd{0}, %rd{0}, {1};\n", i, 4 * stride_[i]);
        }
        text += fmt::format("add.s32 %r1, %r1, {};\n", sign * step_);
        static constexpr const char* kUp[] = {"lt.s32", "lt.s32", "ne.s32", "le.s32"};
        static constexpr const char* kDown[] = {"gt.s32", "gt.s32", "ne.s32", "ge.s32"};
        const unsigned test = below(4);
        // With le the last bound is one iteration later.
        text += fmt::format("setp.{} %p1, %r1, {};\n@%p1 bra LOOP;\nDONE:\n", (down ? kDown : kUp)[test], bound);
        return text;
    }

    std::string statement_or_condition(unsigned nested) {
        return nested < kMostNested && below(3) == 0 ? condition(nested + 1) : random_.fill("<statement>\n");
    }

    std::string statements_of(unsigned nested) {
        std::string text;
        for (unsigned i = 0; i <= below(2); ++i) { text += statement_or_condition(nested); }
        // Both sides may write it, only one may, or only one side needs it.
        if (below(2) == 0) { text += random_.fill("mad.lo.u32 %r14, %r2, <1|3|5|7|9>, %r1;\n"); }
        if (below(3) == 0) { text += "xor.b32 %r2, %r2, %r14;\n"; }
        return text;
    }

    /// An if, or an if with an else, on data, the counter or the thread: lanes diverge or stay together.
    std::string condition(unsigned nested) {
        const unsigned label = labels_++;
        // Later tests may reuse the predicate.
        const unsigned predicate = 2 + (below(3) == 0 ? 0 : label % 13);
        std::string text = random_.fill(
            fmt::format("<tested> setp.eq.u32 %p{0}, %r16, 0;\n@<|!>%p{0} bra ELSE{1};\n", predicate, label));
        text += statements_of(nested);
        if (below(2) == 0) { return text + fmt::format("ELSE{}:\n", label); }
        text += fmt::format("bra.uni END{0};\nELSE{0}:\n", label);
        return text + statements_of(nested) + fmt::format("END{}:\n", label);
    }

    RandomText random_;
    bool steps_ = false;
    unsigned rounds_ = 0, labels_ = 0;
    int step_ = 1;
    int stride_[5] = {};
};

bool has_unrolled_conditions(const std::string& body, const isa::Kernel& kernel) {
    return body.find("ELSE") != std::string::npos &&
           std::ranges::none_of(kernel.annotations,
                                [](const isa::Annotation& each) { return each.tag == "vecmem.stays.control"; }) &&
           std::ranges::any_of(kernel.annotations,
                               [](const isa::Annotation& each) { return each.tag == "vecmem.remainder"; });
}

}  // namespace

TEST_CASE("random loops do with vectors what they did without") {
    const std::uint64_t first = lookahead::test::random_seed();
    std::uint64_t executed = 0, packed = 0, with_conditions = 0;
    for (std::uint64_t seed = first; seed < first + kLoops; ++seed) {
        CAPTURE(seed);
        const std::string body = Generator(seed).body();
        CAPTURE(body);
        finaliser::FinaliserOptions options;
        options.schedule = seed % 3 != 0;
        options.fuse_products = seed % 4 == 0;
        options.isa.expand_64bit = seed % 5 == 0;
        options.isa.single_constant = seed % 7 == 0;
        options.simplify = seed % 6 != 0;
        options.isa.registers = seed % 11 == 0 ? 32 : 63;
        options.isa.pointers = seed % 13 == 0 ? 32 : 64;
        const auto step = static_cast<std::uint32_t>(static_cast<int>(seed % 7) - 3);
        std::vector<std::uint32_t> right;
        REQUIRE_NOTHROW(right = emulated(finalised(body, options), step, 0));
        if (seed % 10 == 0) { CHECK(interpreted(body, step, 0) == right); }
        for (const char* length : kLengths) {
            CAPTURE(length);
            isa::Kernel kernel;
            REQUIRE_NOTHROW(kernel = finalised(body, with_pass(length, options)));
            std::uint64_t vectors = 0;
            CHECK(emulated(kernel, step, 0, &vectors) == right);
            executed += vectors;
            packed += vectors != 0;
            with_conditions += vectors != 0 && has_unrolled_conditions(body, kernel);
        }
    }
    MESSAGE("vector memory instructions executed: " << executed << ", in kernels: " << packed
                                                    << ", of which with conditions: " << with_conditions);
    CHECK(packed > kLoops / 4);
    CHECK(with_conditions > kLoops / 25);
}
