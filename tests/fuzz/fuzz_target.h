#pragma once

#include <cstddef>
#include <cstdint>

/// What a fuzzing engine calls with each input, and `corpus_main.cpp` with each file of the corpus. Returns 0; what
/// must not happen crashes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
