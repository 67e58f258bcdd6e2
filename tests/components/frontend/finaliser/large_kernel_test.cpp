// Kernels of tens of thousands of instructions give right results, and finalising takes little more than linear time.
#include <doctest/doctest.h>

#include <ctime>
#include <functional>
#include <random>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/instruction.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

constexpr std::uint32_t kA = 12345;
/// The most seconds of this process for a kernel; on a machine of 2020 each takes less than two.
constexpr double kMostSeconds = 20;

/// Builds a kernel of operations on many values, and computes its result.
class Program {
  public:
    explicit Program(unsigned values) : values_(values) {
        for (unsigned i = 0; i < values; ++i) {
            emit("mad.lo.u32 " + reg(i) + ", %a, " + std::to_string(2 * i + 1) + ", " + std::to_string(i) + ";");
            values_[i] = kA * (2 * i + 1) + i;
        }
    }

    void work(unsigned count) { operations(count, true); }

    /// A loop of `times` iterations of what `body` adds.
    void loop(unsigned times, const std::function<void()>& body) {
        const std::string number = std::to_string(labels_++), counter = "%c" + number, label = "LOOP" + number;
        emit("mov.u32 " + counter + ", 0;\n" + label + ":");
        const std::size_t begin = done_.size();
        body();
        const std::vector<Operation> turn(done_.begin() + static_cast<std::ptrdiff_t>(begin), done_.end());
        for (unsigned i = 1; i < times; ++i) {
            for (const Operation& operation : turn) { run(operation); }
        }
        emit("add.u32 " + counter + ", " + counter + ", 1; setp.lt.u32 %p0, " + counter + ", " + std::to_string(times) +
             "; @%p0 bra " + label + ";");
    }

    /// Two paths that meet; one of them computes.
    void diamond() {
        const unsigned a = pick(), b = pick();
        const std::string label = "JOIN" + std::to_string(labels_++);
        emit("setp.lt.u32 %p0, " + reg(a) + ", " + reg(b) + "; @%p0 bra " + label + ";");
        operations(4, values_[a] >= values_[b]);
        emit(label + ":");
        work(3);
    }

    /// A jump over a table; the case that kA's remainder selects computes.
    void table(unsigned cases) {
        const std::string number = std::to_string(labels_++);
        std::string targets;
        for (unsigned i = 0; i < cases; ++i) {
            targets += (i == 0 ? "" : ", ") + ("CASE" + number + "_" + std::to_string(i));
        }
        emit("rem.u32 %t, %a, " + std::to_string(cases) + ";\nTABLE" + number + ": .branchtargets " + targets +
             ";\nbrx.idx %t, TABLE" + number + ";");
        for (unsigned i = 0; i < cases; ++i) {
            emit("CASE" + number + "_" + std::to_string(i) + ":");
            operations(8, i == kA % cases);
            emit("bra END" + number + ";");
        }
        emit("END" + number + ":");
    }

    /// Finalises the kernel within kMostSeconds and runs it: the result is a sum of all values.
    isa::Kernel check(unsigned limit) {
        std::uint32_t sum = 0;
        emit("mov.u32 %t, 0;");
        for (unsigned i = 0; i < values_.size(); ++i) {
            emit("mad.lo.u32 %t, %t, 31, " + reg(i) + ";");
            sum = sum * 31 + values_[i];
        }
        std::string text =
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 o, .param .u32 "
            "pa, .param .u32 pb) {\n.reg .b32 %r<" +
            std::to_string(values_.size()) + ">, %c<" + std::to_string(labels_ + 1) +
            ">, %t, %a;\n.reg .b64 %out;\n.reg .pred %p<1>;\nld.param.u64 %out, [o];\nld.param.u32 %a, "
            "[pa];\n" +
            code_ + "st.global.u32 [%out], %t;\nret;\n}\n";
        const ptx::Module module = ptx::parse_module(text, "large.ptx");
        FinaliserOptions options;
        options.isa.registers = limit;
        const std::clock_t begin = std::clock();
        isa::Kernel kernel = finalise(module, module.functions[0], options);
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        MESSAGE(kernel.code.size() << " instructions, " << kernel.spill_bytes << " bytes spilled, " << seconds << " s");
#ifdef NDEBUG
        CHECK(seconds < kMostSeconds);
#endif
        CHECK(kernel.registers <= limit);
        CHECK(run_kernel(kernel) == sum);
        return kernel;
    }

  private:
    struct Operation {
        unsigned kind, to, a, b;
    };

    static std::uint32_t run_kernel(const isa::Kernel& kernel) {
        return test::run(kernel, kA)[0];
    }
    static std::string reg(unsigned i) {
        return "%r" + std::to_string(i);
    }
    unsigned pick() {
        return static_cast<unsigned>(random_() % values_.size());
    }
    void emit(const std::string& line) {
        code_ += line + "\n";
    }

    void operations(unsigned count, bool runs) {
        static const char* const kNames[] = {"add.u32 ", "sub.u32 ", "xor.b32 ", "mul.lo.u32 "};
        for (unsigned i = 0; i < count; ++i) {
            const Operation operation{static_cast<unsigned>(random_() % 4), pick(), pick(), pick()};
            emit(kNames[operation.kind] + reg(operation.to) + ", " + reg(operation.a) + ", " + reg(operation.b) + ";");
            if (runs) { run(operation); }
        }
    }

    void run(const Operation& operation) {
        const std::uint32_t a = values_[operation.a], b = values_[operation.b];
        const std::uint32_t results[] = {a + b, a - b, a ^ b, a * b};
        values_[operation.to] = results[operation.kind];
        done_.push_back(operation);
    }

    std::vector<std::uint32_t> values_;
    std::string code_;
    std::vector<Operation> done_;
    unsigned labels_ = 0;
    std::mt19937 random_{7};
};

}  // namespace

TEST_CASE("30 000 instructions in a row over 150 values are spilled in seconds, and right") {
    Program program(150);
    program.work(30000);
    CHECK(program.check(63).spill_bytes > 0);
}

TEST_CASE("1 200 branches over 100 values are spilled in seconds, and right") {
    Program program(100);
    for (unsigned i = 0; i < 1200; ++i) { program.diamond(); }
    CHECK(program.check(63).spill_bytes > 0);
}

TEST_CASE("nests of loops over 90 values are spilled in seconds, and right") {
    Program program(90);
    const std::function<void(unsigned)> nest = [&](unsigned depth) {
        program.work(30);
        if (depth > 0) {
            program.loop(2, [&] { nest(depth - 1); });
        }
        program.work(30);
    };
    for (unsigned i = 0; i < 24; ++i) { nest(5); }
    CHECK(program.check(63).spill_bytes > 0);
}

TEST_CASE("a jump table of 600 cases over 80 values is spilled in seconds, and right") {
    Program program(80);
    program.table(600);
    CHECK(program.check(63).spill_bytes > 0);
}

TEST_CASE("10 000 loads, sums and stores that could come in any order are scheduled in seconds") {
    std::string body;
    for (unsigned i = 0; i < 10000; ++i) {
        body += "ld.global.u32 %r1, [%out+" + std::to_string(4 * i + 256) +
                "]; add.u32 %r1, %r1, %a; st.global.u32 [%out+" + std::to_string(4 * i + 256) + "], %r1;\n";
    }
    const std::clock_t begin = std::clock();
    const isa::Kernel kernel = kernel_of(body);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    MESSAGE(kernel.code.size() << " instructions, " << seconds << " s");
#ifdef NDEBUG
    CHECK(seconds < kMostSeconds);
#endif
    CHECK(kernel.code.size() >= 30000);
    CHECK(kernel.spill_bytes == 0);
}
