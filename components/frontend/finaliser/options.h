#pragma once

namespace lookahead::finaliser {

/// How a kernel is brought onto the machine ISA.
struct FinaliserOptions {
    /// 32-bit registers a thread may use, 1 to 255. Fermi's machine ISA encodes 63.
    unsigned register_limit = 63;
    /// Predicate registers a thread may use, 1 to 7 (P7 is the constant PT). Values beyond them are kept in registers.
    unsigned predicate_limit = 7;
    /// Moves loads early inside basic blocks, within the register limit, as an assembler does.
    bool schedule = true;
};

}  // namespace lookahead::finaliser
