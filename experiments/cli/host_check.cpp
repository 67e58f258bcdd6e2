#include "experiments/cli/host_check.h"

#include "core/error/error.h"

namespace lookahead::cli {

void check_host_processor() {
    const bool has_level_3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    if (!has_level_3) {
        throw ConfigurationError(
            "this processor lacks x86-64-v3 (AVX2, FMA, BMI2), for which the program is built: run it on an Intel "
            "Haswell, AMD Zen or later");
    }
}

}  // namespace lookahead::cli
