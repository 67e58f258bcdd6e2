#include "components/frontend/native/lower.h"

#include <algorithm>

#include "components/frontend/native/decode.h"
#include "components/frontend/native/lowering.h"
#include "components/frontend/ptx/graph.h"
#include "components/isa/code_address.h"
#include "components/isa/instruction_bytes.h"
#include "core/error/error.h"

namespace lookahead::native {
namespace {

/// Whether a function of the kernel may lead to itself. A call by register may lead to any.
bool is_recursive(const CubinKernel& kernel, unsigned architecture) {
    if (kernel.functions.empty()) { return false; }
    constexpr std::uint64_t kCall = 0x144, kByRegister = 1;
    const auto count = static_cast<std::uint32_t>(kernel.functions.size() + 1);
    // Function 0 is the kernel, with its subroutines that have no name.
    const auto function_of = [&](std::int64_t place) {
        const auto has = [&](const auto& range) { return place >= range.first && place < range.second; };
        const auto found = std::ranges::find_if(kernel.functions, has);
        return found == kernel.functions.end() ? 0 : static_cast<std::uint32_t>(found - kernel.functions.begin()) + 1;
    };
    std::vector<std::vector<std::uint32_t>> calls(count);
    for (std::size_t place = 0; place < kernel.code.size(); ++place) {
        const Word& word = kernel.code[place];
        if (word.bits(0, 9) != kCall) { continue; }
        std::vector<std::uint32_t>& from = calls[function_of(static_cast<std::int64_t>(place))];
        if (word.bits(9, 3) == kByRegister) {
            for (std::uint32_t any = 1; any < count; ++any) { from.push_back(any); }
        } else {
            const std::int64_t bytes = decode(word, architecture).branch_offset();
            from.push_back(function_of(static_cast<std::int64_t>(place) + 1 + bytes / isa::kNativeInstructionBytes));
        }
    }
    for (std::uint32_t function = 1; function < count; ++function) {
        const auto leads_back = [&](std::uint32_t callee) -> bool {
            return ptx::reached_from(callee, calls)[function];
        };
        if (std::ranges::any_of(calls[function], leads_back)) { return true; }
    }
    return false;
}

isa::Kernel frame_of(const CubinKernel& kernel, std::string_view file, unsigned architecture) {
    isa::Kernel result;
    result.name = kernel.name;
    result.source_file = file;
    result.parameter_bytes = (kernel.parameter_bytes + 3) / 4 * 4;
    result.parameter_offsets = kernel.parameter_offsets;
    result.parameter_sizes = kernel.parameter_sizes;
    result.static_shared_bytes = kernel.shared_bytes;
    constexpr std::uint32_t kStackAlignment = 16;
    // The cubin does not say how much a recursive kernel needs.
    const std::uint32_t stack = kernel.stack_bytes + (is_recursive(kernel, architecture) ? isa::kCallStackBytes : 0);
    result.local_bytes = (stack + kStackAlignment - 1) / kStackAlignment * kStackAlignment;
    result.max_threads_per_cta = kernel.max_threads;
    result.refusal = kernel.refusal;
    return result;
}

}  // namespace

isa::KernelTable lower(const Cubin& cubin, std::string_view file, bool own_barriers) {
    isa::KernelTable table;
    table.image = cubin.variables;
    for (const CubinKernel& kernel : cubin.kernels) {
        const isa::Kernel frame = frame_of(kernel, file, cubin.architecture);
        isa::Kernel result = frame;
        if (result.refusal.empty()) {
            try {
                Lowering lowering(cubin, kernel, result, false);
                lowering.run(own_barriers);
                if (lowering.makes_local_addresses()) {
                    result = frame;
                    Lowering(cubin, kernel, result, true).run(own_barriers);
                }
            } catch (const InputError& error) {
                result = frame;
                result.refusal = error.what();
            }
        } else {
            result.refusal = fmt::format("{}: kernel {}: {}", file, kernel.name, result.refusal);
        }
        table.push_back(std::move(result));
    }
    return table;
}

}  // namespace lookahead::native
