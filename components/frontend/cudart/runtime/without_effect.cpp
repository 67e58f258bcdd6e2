// The functions of the CUDA runtime that do nothing here, and succeed.
#define LOOKAHEAD_FUNCTION(name) \
    extern "C" int name() {      \
        return 0;                \
    }

#include "components/frontend/cudart/functions_without_effect.inc"
#undef LOOKAHEAD_FUNCTION
