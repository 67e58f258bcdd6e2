// The functions of the CUDA 13 runtime that the replacement does not have: each ends the program and reports its name.

#include "components/frontend/cudart/runtime/connection.h"

#define LOOKAHEAD_FUNCTION(name)                                                                   \
    extern "C" int name() {                                                                        \
        lookahead::cudart::Connection::get().refuse("it calls " #name ", which is not supported"); \
    }

#include "components/frontend/cudart/refused_functions.inc"
#undef LOOKAHEAD_FUNCTION
