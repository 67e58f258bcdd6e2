#include "components/frontend/cudart/runtime/connection.h"

const int lookahead::cudart::kRuntimeMajor = LOOKAHEAD_CUDART_MAJOR;
