#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "components/mechanisms/vecmem/access.h"
#include "components/mechanisms/vecmem/kept_values.h"
#include "components/mechanisms/vecmem/pattern.h"

namespace lookahead::vecmem {

/// Two accesses that changed places though they may be to one place. The block is right where they are apart:
/// `distance` is the address of the second in the program less that of the first.
struct Assumption {
    Form distance;
    unsigned first_bytes = 0;
    unsigned second_bytes = 0;
};

/// What a block's accesses become.
struct PackedBlock {
    bool changed = false;
    std::uint32_t vectors = 0;             ///< vector memory instructions
    std::uint32_t elements = 0;            ///< accesses that they stand for
    std::uint32_t longest = 0;             ///< elements of the longest
    std::uint32_t strided = 0;             ///< accesses in strided ones
    std::map<std::uint32_t, Reason> left;  ///< by instruction of the block as it was
    std::vector<Assumption> assumptions;
    std::vector<VirtualInstruction> code;
    std::vector<std::uint32_t> behind;  ///< by instruction as it was: where in `code` what it writes is written
    std::vector<WordCopy> copies;       ///< into other blocks
};

/// Which vectors are wanted.
struct VectorKinds {
    bool global = true, shared = true;
    bool strided = true, indirect = true;
};

struct PackOptions {
    std::vector<unsigned> lengths;  ///< that may be, the wanted ones first
    /// Whether a distance can be looked at before the block is entered; null: it cannot.
    std::function<bool(const Form& distance)> can_check;
    /// Where the block begins with so many rounds of so many instructions, and these are to be mixed: each instruction
    /// of all rounds before the next one, so that values live as short as may be.
    unsigned rounds = 1;
    std::uint32_t round_size = 0;
    VectorKinds kinds = {};
};

/// Packs the accesses of one block into vector memory instructions. The kernel gets rows, and stays otherwise.
PackedBlock pack_block(VirtualKernel& kernel, const Forms& forms, KeptValues& kept, std::uint32_t block,
                       const PackOptions& options);

}  // namespace lookahead::vecmem
