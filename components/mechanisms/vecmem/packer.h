#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "components/mechanisms/vecmem/access.h"
#include "components/mechanisms/vecmem/kept_values.h"
#include "components/mechanisms/vecmem/pattern.h"

namespace lookahead::vecmem {

/// Two accesses that were exchanged although they may be to one place. The block is right if they do not overlap;
/// `distance` is the address of the second in program order minus that of the first.
struct Assumption {
    Form distance;
    unsigned first_bytes = 0;
    unsigned second_bytes = 0;
};

/// A block with its accesses packed.
struct PackedBlock {
    bool changed = false;
    std::uint32_t vectors = 0;             ///< vector memory instructions
    std::uint32_t elements = 0;            ///< accesses that they replace
    std::uint32_t longest = 0;             ///< elements of the longest vector
    std::uint32_t strided = 0;             ///< accesses in strided vectors
    std::map<std::uint32_t, Reason> left;  ///< by instruction of the original block
    std::vector<Assumption> assumptions;
    std::vector<VirtualInstruction> code;
    std::vector<std::uint32_t> behind;  ///< by original instruction: where in `code` its results are written
    std::vector<WordCopy> copies;       ///< into other blocks
};

/// Which vectors are wanted.
struct VectorKinds {
    bool global = true, shared = true;
    bool strided = true, indirect = true;
};

struct PackOptions {
    std::vector<unsigned> lengths;  ///< allowed lengths, preferred ones first
    /// Whether a distance can be checked before the block is entered; null: it cannot.
    std::function<bool(const Form& distance)> can_check;
    /// If `rounds` > 1, the block begins with so many rounds of `round_size` instructions, to be mixed: each
    /// instruction of all rounds before the next one, to shorten live ranges.
    unsigned rounds = 1;
    std::uint32_t round_size = 0;
    VectorKinds kinds = {};
};

/// Packs the accesses of a block into vector memory instructions; apart from new rows the kernel does not change.
PackedBlock pack_block(VirtualKernel& kernel, const Forms& forms, KeptValues& kept, std::uint32_t block,
                       const PackOptions& options);

}  // namespace lookahead::vecmem
