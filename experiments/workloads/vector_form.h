#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "experiments/workloads/forms.h"

/// The form `vector` of a workload with a form `looped`: vector.cu beside looped.cu has the same loops with the vector
/// memory instructions of Crago et al. (TACO 2018), written by hand. Inputs, reference and check are the original's.
namespace lookahead {

inline constexpr std::array<std::string_view, 3> kOriginalLoopedOrVector{"original", "looped", "vector"};
inline constexpr std::array<std::string_view, 3> kVectorLengths{"4", "8", "16"};

inline constexpr WordParameter kLoopedOrVector{
    "form", kOriginalLoopedOrVector,
    "`looped`: the program that the vector memory paper's is compared with (Crago et al., TACO 2018, section 7.3): a "
    "thread goes over several elements in loops, which are unrolled by `unroll`. `vector`: these loops with strided "
    "and "
    "indirect vector memory instructions of `length` elements."};
inline constexpr WordParameter kVectorLength{
    "length", kVectorLengths,
    "Elements of a vector memory instruction of form=vector. Other forms refuse 8 "
    "and 16; 4 says nothing to them."};

/// `form`, `unroll` (one of `factors`) and `length`.
constexpr std::array<WordParameter, 3> looped_and_vector_form(std::span<const std::string_view> factors) {
    return {{kLoopedOrVector, {"unroll", factors, kUnrollHelp}, kVectorLength}};
}
inline constexpr std::array<WordParameter, 3> kLoopedAndVectorForm = looped_and_vector_form(kUnrollFactors);
/// For threads with at most eight elements.
inline constexpr std::array<WordParameter, 3> kLoopedAndVectorFormTo8 =
    looped_and_vector_form(std::span(kUnrollFactors).first<4>());

/// Like kernel_of_form, with three words: `stencil_v4` if vector memory instructions have four elements.
/// ConfigurationError for a length without such a form.
std::string kernel_of_form(std::string_view kernel, std::string_view form, std::string_view unroll,
                           std::string_view length);

}  // namespace lookahead

/// As LOOKAHEAD_TWO_FORMS of sized_workload.h: the PTX file is kernel.ptx, looped.ptx or vector.ptx.
#define LOOKAHEAD_VECTOR_FORMS(parameters, name)                         \
    name##_files::kName,                                                 \
        parameters.words[0] == "vector"   ? name##_files::kVectorPtx     \
        : parameters.words[0] == "looped" ? name##_files::kLoopedPtx     \
                                          : name##_files::kKernelPtx,    \
        parameters.words[0] == "vector"   ? name##_files::kVectorPtxFile \
        : parameters.words[0] == "looped" ? name##_files::kLoopedPtxFile \
                                          : name##_files::kKernelPtxFile

/// As LOOKAHEAD_SIZED_WORKLOAD, for a class that takes these forms.
#define LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Class, name)                 \
    Class(const Parameters& parameters, const WorkloadContext& context) \
        : SizedWorkload(parameters, context, LOOKAHEAD_VECTOR_FORMS(parameters, name)) {}
