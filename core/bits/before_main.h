#pragma once

#define LOOKAHEAD_JOIN_NAMES_2(a, b) a##b
#define LOOKAHEAD_JOIN_NAMES(a, b) LOOKAHEAD_JOIN_NAMES_2(a, b)

/// At namespace scope, in a .cpp: evaluates a bool before main().
#define LOOKAHEAD_BEFORE_MAIN(...)                                                            \
    namespace {                                                                               \
    [[maybe_unused]] const bool LOOKAHEAD_JOIN_NAMES(registered_, __COUNTER__) = __VA_ARGS__; \
    }
