#pragma once

#include <cstddef>
#include <cstdint>

/// Called by a fuzzing engine with each input, and by `corpus_main.cpp` with each file of the corpus. Returns 0; a
/// forbidden result crashes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
