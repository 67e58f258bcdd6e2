#pragma once

#include <array>
#include <string>
#include <string_view>

#include "experiments/workloads/sized_workload.h"

/// Other forms of a workload's kernels, as two papers made them by hand. The text of form `looped` is looped.cu beside
/// kernel.cu, that of `wide` is wide.cu; inputs, reference and check are the original's.
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
/// Where a thread has no more than eight elements, or no registers for more.
inline constexpr std::array<WordParameter, 2> kLoopedFormTo8{
    {kLooped, {"unroll", std::span(kUnrollFactors).first<4>(), kUnrollHelp}}};

/// What a kernel is called in a form: `stencil` in the original, `stencil_4` where a round of its loop takes four
/// elements. A ConfigurationError where an unroll factor is given and there is no loop for it.
std::string kernel_of_form(std::string_view kernel, std::string_view form, std::string_view unroll);

}  // namespace lookahead
