#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "experiments/workloads/sized_workload.h"

/// Other forms of a workload's kernels, made by hand as in two papers: `looped` in looped.cu beside kernel.cu, `wide`
/// in wide.cu, and `vector` in vector.cu: the loops of looped.cu with the vector memory instructions of Crago et al.
/// (TACO 2018). Inputs, reference and check are the original's.
namespace lookahead {

inline constexpr std::array<std::string_view, 2> kOriginalOrWide{"original", "wide"};
inline constexpr std::array<std::string_view, 3> kOriginalLoopedOrVector{"original", "looped", "vector"};
inline constexpr std::array<std::string_view, 5> kUnrollFactors{"1", "2", "4", "8", "16"};
inline constexpr std::array<std::string_view, 3> kVectorLengths{"4", "8", "16"};

/// A multiple of 16 x 16 in the original must be one of 32 x 32 here.
inline constexpr std::array<WordParameter, 1> kWideForm{{
    {"form", kOriginalOrWide,
     "`wide`: blocks of 32 x 32 threads instead of 16 x 16, so that a row is a warp (Collange and Kouyoumdjian, 2011, "
     "section 3.2)."},
}};

/// `form`, `unroll` (one of `factors`) and `length`.
constexpr std::array<WordParameter, 3> looped_and_vector_form(std::span<const std::string_view> factors) {
    return {
        {{"form", kOriginalLoopedOrVector,
          "`looped`: the program with which the vector memory paper compares its own (Crago et al., TACO 2018, section "
          "7.3): a thread goes over several elements in loops, which are unrolled by `unroll`. `vector`: these loops "
          "with strided and indirect vector memory instructions of `length` elements."},
         {"unroll", factors, "Elements that a round of a loop of form=looped takes."},
         {"length", kVectorLengths,
          "Elements of a vector memory instruction of form=vector. Other forms refuse 8 and 16, and ignore 4."}}};
}
inline constexpr std::array<WordParameter, 3> kLoopedAndVectorForm = looped_and_vector_form(kUnrollFactors);
/// For threads with at most eight elements, or without registers for more.
inline constexpr std::array<WordParameter, 3> kLoopedAndVectorFormTo8 =
    looped_and_vector_form(std::span(kUnrollFactors).first<4>());

/// A kernel's name in a form: `stencil` in the original, `stencil_4` if a round of its loop takes four elements,
/// `stencil_v4` if vector memory instructions have four elements. ConfigurationError for an unroll factor or a length
/// without such a form.
std::string kernel_of_form(std::string_view kernel, std::string_view form, std::string_view unroll,
                           std::string_view length);

}  // namespace lookahead

/// As LOOKAHEAD_SIZED_WORKLOAD, for a class that takes `kWideForm`.
#define LOOKAHEAD_WORKLOAD_OF_WIDE_FORM(Class, name)                    \
    Class(const Parameters& parameters, const WorkloadContext& context) \
        : SizedWorkload(parameters, context, name##_files::kName,       \
                        parameters.words[0] == "wide" ? LOOKAHEAD_CODE(name, Wide) : LOOKAHEAD_CODE(name, Kernel)) {}

/// The code of the form in `parameters`.
#define LOOKAHEAD_CODE_OF_VECTOR_FORMS(parameters, name)             \
    parameters.words[0] == "vector"   ? LOOKAHEAD_CODE(name, Vector) \
    : parameters.words[0] == "looped" ? LOOKAHEAD_CODE(name, Looped) \
                                      : LOOKAHEAD_CODE(name, Kernel)

/// As LOOKAHEAD_SIZED_WORKLOAD, for a class that takes looped and vector forms.
#define LOOKAHEAD_WORKLOAD_OF_VECTOR_FORMS(Class, name)                 \
    Class(const Parameters& parameters, const WorkloadContext& context) \
        : SizedWorkload(parameters, context, name##_files::kName, LOOKAHEAD_CODE_OF_VECTOR_FORMS(parameters, name)) {}
