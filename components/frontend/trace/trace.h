#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/isa/dim3.h"
#include "components/isa/kernel.h"

namespace lookahead::trace {

/// A step of a traced program: a copy to the device, or a launch.
struct TraceStep {
    enum class Kind : std::uint8_t { copy_to_device, launch };
    Kind kind = Kind::launch;
    std::uint64_t address = 0;  ///< of a copy, in the simulated memory
    std::uint64_t bytes = 0;
    std::uint32_t kernel = 0;  ///< of a launch: the number in Trace::kernels
    isa::Dim3 grid, block;
};

/// A program that was traced on a GPU. Each part of 4 GiB that it accesses of global memory is moved as a whole: the
/// parts follow one another in the simulated memory.
struct Trace {
    std::vector<TraceStep> steps;
    isa::KernelTable kernels;        ///< one for each launch, with its recording
    std::uint64_t memory_bytes = 0;  ///< of global memory, from isa::kGlobalBase on; 0: none
};

/// Whether the name is that of a trace: kernelslist.g, or any that ends in .g, .traceg, .traceg.xz or .tracez.
bool is_trace_name(std::string_view path);

/// The files that read_trace reads for `path`. InputError as read_trace's for a list that names none.
std::vector<std::string> files_of_trace(const std::string& path);

/// Reads a list of copies and traces (kernelslist.g), or the trace of one launch. A trace that the list names may
/// have been compressed since, with .xz after its name. InputError with file and line.
Trace read_trace(const std::string& path);

}  // namespace lookahead::trace
