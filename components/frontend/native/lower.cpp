#include "components/frontend/native/lower.h"

#include "components/frontend/native/lowering.h"
#include "core/error/error.h"

namespace lookahead::native {
namespace {

isa::Kernel frame_of(const CubinKernel& kernel, std::string_view file) {
    isa::Kernel result;
    result.name = kernel.name;
    result.source_file = file;
    result.parameter_bytes = (kernel.parameter_bytes + 3) / 4 * 4;
    result.parameter_offsets = kernel.parameter_offsets;
    result.parameter_sizes = kernel.parameter_sizes;
    result.static_shared_bytes = kernel.shared_bytes;
    constexpr std::uint32_t kStackAlignment = 16;
    result.local_bytes = (kernel.stack_bytes + kStackAlignment - 1) / kStackAlignment * kStackAlignment;
    result.max_threads_per_cta = kernel.max_threads;
    result.refusal = kernel.refusal;
    return result;
}

}  // namespace

isa::KernelTable lower(const Cubin& cubin, std::string_view file, bool own_barriers) {
    isa::KernelTable table;
    table.image = cubin.variables;
    for (const CubinKernel& kernel : cubin.kernels) {
        isa::Kernel result = frame_of(kernel, file);
        if (result.refusal.empty()) {
            try {
                Lowering(cubin, kernel, result).run(own_barriers);
            } catch (const InputError& error) {
                result = frame_of(kernel, file);
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
