#pragma once

#include <array>
#include <string>
#include <string_view>

#include "experiments/workloads/sized_workload.h"

/// Other forms of a workload's kernels, made by hand as in two papers: `looped` in looped.cu beside kernel.cu, `wide`
/// in wide.cu. Inputs, reference and check are the original's.
namespace lookahead {

inline constexpr std::array<std::string_view, 2> kOriginalOrWide{"original", "wide"};
inline constexpr std::array<std::string_view, 2> kOriginalOrLooped{"original", "looped"};
inline constexpr std::array<std::string_view, 5> kUnrollFactors{"1", "2", "4", "8", "16"};

inline constexpr std::string_view kUnrollHelp = "Elements that a round of a loop of form=looped takes.";
inline constexpr WordParameter kLooped{
    "form", kOriginalOrLooped,
    "`looped`: the program that the vector memory paper's is compared with (Crago et al., TACO 2018, section 7.3): a "
    "thread goes over several elements in loops, which are unrolled by `unroll`."};

/// A multiple of 16 x 16 in the original must be one of 32 x 32 here.
inline constexpr std::array<WordParameter, 1> kWideForm{{
    {"form", kOriginalOrWide,
     "`wide`: blocks of 32 x 32 threads instead of 16 x 16, so that a row is a warp (Collange and Kouyoumdjian, 2011, "
     "section 3.2)."},
}};
inline constexpr std::array<WordParameter, 2> kLoopedForm{{kLooped, {"unroll", kUnrollFactors, kUnrollHelp}}};
/// For threads with at most eight elements, or without registers for more.
inline constexpr std::array<WordParameter, 2> kLoopedFormTo8{
    {kLooped, {"unroll", std::span(kUnrollFactors).first<4>(), kUnrollHelp}}};

/// A kernel's name in a form: `stencil` in the original, `stencil_4` if a round of its loop takes four elements.
/// ConfigurationError for an unroll factor without such a loop.
std::string kernel_of_form(std::string_view kernel, std::string_view form, std::string_view unroll);

}  // namespace lookahead
