#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "components/isa/dim3.h"
#include "components/isa/instruction_bytes.h"
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
    unsigned instruction_bytes() const {
        return binary_version >= 70 ? isa::kNativeInstructionBytes : isa::kInstructionBytes;
    }
    std::uint32_t warps() const;
};

/// The parts of global memory that traces access, of 4 GiB each.
class AccessedMemory {
  public:
    static constexpr std::uint64_t kPartBytes = std::uint64_t{4} << 30;

    void include(std::uint64_t address, std::uint64_t bytes) {
        const std::uint64_t last = address + bytes - 1;
        for (std::uint64_t part = address / kPartBytes; part <= last / kPartBytes; ++part) {
            if (part != latest_) { parts_.insert(latest_ = part); }
        }
        end_ = std::max(end_, last + 1);
    }
    /// The numbers of the parts, ascending: address / kPartBytes.
    const std::set<std::uint64_t>& parts() const { return parts_; }
    /// The address after the highest one.
    std::uint64_t end() const { return end_; }

  private:
    std::set<std::uint64_t> parts_;
    std::uint64_t latest_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t end_ = 0;
};

/// One launch of a trace.
struct TracedKernel {
    TraceHeader header;
    isa::Kernel kernel;
    std::shared_ptr<isa::Recording> recording;  ///< the kernel's, whose addresses have not moved yet
};

/// Reads the trace of one launch: text (.traceg), the same compressed with xz (.traceg.xz), or packed (.tracez).
/// Adds what it accesses of global memory to `accessed`. InputError with file and line.
TracedKernel read_traced_kernel(const std::string& path, AccessedMemory& accessed);

}  // namespace lookahead::trace
