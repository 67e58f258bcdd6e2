#pragma once

namespace lookahead::isa {

/// Bytes of one instruction that the finaliser makes (Fermi: 8).
inline constexpr unsigned kInstructionBytes = 8;
/// Bytes of an instruction in the native code of Volta and later GPUs.
inline constexpr unsigned kNativeInstructionBytes = 16;

}  // namespace lookahead::isa
