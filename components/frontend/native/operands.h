#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/frontend/native/cubin.h"
#include "components/frontend/native/decode.h"
#include "components/isa/kernel.h"
#include "components/isa/operand.h"

namespace lookahead::native {

/// Why an instruction cannot be lowered; Lowering adds its place.
struct Refusal {
    std::string reason;
};
[[noreturn]] void refuse(std::string reason);

/// The rows of one kernel's warps, and what an instruction reads and writes of them: registers R0.., uniform registers
/// UR0.., four rows for results that nothing reads, four for operands that are loaded from constant memory, and five
/// for what the parts of one instruction pass on; then the launch's constant rows with the kernel's literals. Throws
/// Refusal for what the kernel does not have.
class Operands {
  public:
    /// Sets the registers of `to`, which has the kernel's frame, from what `code` uses; literals are added to it.
    Operands(const Cubin& cubin, const CubinKernel& kernel, isa::Kernel& to, const std::vector<Instruction>& code);

    isa::Operand reg(std::uint32_t number, unsigned rows = 1);
    isa::Operand uniform(std::uint32_t number, unsigned rows = 1);
    isa::Operand literals(const std::vector<std::uint32_t>& words);
    /// The temporary row, of 0 to 4.
    isa::Operand temporary(unsigned number, unsigned rows = 1) const { return rows_from(temporary_ + number, rows); }
    /// The rows of an operand that is loaded first.
    isa::Operand loaded(unsigned rows) const { return rows_from(loaded_, rows); }
    /// `rows` words at a byte of the launch's bank (0), of the kernel's own (2), or of that of addresses (4).
    isa::Operand constant(unsigned bank, std::uint32_t offset, unsigned rows);

    /// Whether an operand was the window of local memory, with which generic addresses are made.
    bool makes_local_addresses() const { return makes_local_addresses_; }

    void set_result(isa::Instruction& to, std::uint32_t number, unsigned rows = 1) const;
    void set_uniform_result(isa::Instruction& to, std::uint32_t number, unsigned rows = 1) const;
    void set_temporary(isa::Instruction& to, unsigned number, unsigned rows = 1) const;

  private:
    static isa::Operand rows_from(std::uint32_t first, unsigned rows);
    void check_register(std::uint32_t number, unsigned rows) const;
    isa::Operand words_of(const std::vector<std::byte>& bank, std::uint32_t offset, unsigned rows);
    isa::Operand of_launch(std::uint32_t offset, unsigned rows);

    const Cubin& cubin_;
    const CubinKernel& kernel_;
    isa::Kernel& to_;
    std::uint32_t zero_uniform_;
    bool makes_local_addresses_ = false;
    std::uint32_t unread_ = 0;
    std::uint32_t loaded_ = 0;
    std::uint32_t temporary_ = 0;
};

}  // namespace lookahead::native
