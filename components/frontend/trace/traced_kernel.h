#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "components/frontend/trace/traced_form.h"
#include "components/isa/dim3.h"
#include "components/isa/kernel.h"

namespace lookahead::trace {

/// The header of a trace of one kernel launch, as accel-sim's tracer writes it (tracer versions 3 to 6).
struct TraceHeader {
    std::string name;  ///< mangled
    std::uint32_t id = 0;
    isa::Dim3 grid, block;
    std::uint32_t shared_bytes = 0;
    std::uint32_t registers = 0;
    std::uint32_t binary_version = 0;  ///< the GPU's architecture: 80
    std::uint64_t shared_base = 0;     ///< of the windows in generic addresses; 0: unknown
    std::uint64_t local_base = 0;
    std::uint32_t version = 0;  ///< of the tracer
    bool has_lines = false;     ///< each instruction begins with its line of source

    /// Takes a header line, "-key = value"; keys of no effect are passed over. InputError without a place.
    void take(std::string_view line);
    /// InputError without a place unless all that is needed was given.
    void check() const;
    unsigned instruction_bytes() const { return binary_version >= 70 ? 16 : 8; }
    std::uint32_t warps() const;
};

/// The addresses in global memory that traces access; empty: first > last.
struct AddressRange {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t last = 0;

    void include(std::uint64_t from, std::uint64_t bytes) {
        first = std::min(first, from);
        last = std::max(last, from + std::max<std::uint64_t>(bytes, 1) - 1);
    }
};

/// One launch of a trace.
struct TracedKernel {
    TraceHeader header;
    isa::Kernel kernel;  ///< without its recording
    std::shared_ptr<isa::Recording> recording;
};

/// Reads the trace of one launch: text (.traceg), the same compressed with xz (.traceg.xz), or packed (.tracez).
/// Extends `range` by the addresses in global memory. InputError with file and line.
TracedKernel read_traced_kernel(const std::string& path, AddressRange& range);

}  // namespace lookahead::trace
