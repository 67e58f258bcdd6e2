#include "core/error/error.h"

namespace lookahead {

void assertion_failed(const char* condition, const char* file, int line, const std::string& message) {
    throw InternalError("{}:{}: {} ({})", file, line, message, condition);
}

}  // namespace lookahead
