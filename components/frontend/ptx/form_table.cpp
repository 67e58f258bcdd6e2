#include "components/frontend/ptx/form_table.h"

// The notation of instructions.def, after the syntax lines of the PTX ISA (version 9.0, chapter 9).
//
// Modifiers are groups, separated by one blank. `kind(a|b)` takes one of the words a, b with the meaning that
// modifier_groups.cpp gives for `kind`; `kind` alone means `kind(kind)`; a `?` after the kind makes the group optional,
// a `*` allows several. The order is that of the PTX ISA, but the parser does not insist on it; two groups of one kind
// (types) are filled in order.
//
// Operands are places, separated by one blank: a type for a source, `&T` for a source that may be a special register
// too, `$T` for a constant, `=T` for a destination, `=T|p` for a destination with an optional predicate, `#T` for a
// value or (with .v2, .v4) a vector; `~` at the end allows a wider register, `?` makes the place optional; `addr`,
// `var`, `tex`, `=tex`, `#tex` are addresses, textures, their results and the values of surfaces; `custom` means that
// separate code checks all operands. Types: T, U, V are the form's types in order, W is T with twice the width, A is
// u32 or u64, whichever the register has.

namespace lookahead::ptx {
namespace {

#define INTEGERS "type(u16|u32|u64|s16|s32|s64)"
#define INTEGERS_32_64 "type(u32|u64|s32|s64)"
#define FTZ_SAT_F16 "rnd?(rn) ftz? sat? type(f16|f16x2)"
#define ROUNDINGS "(rn|rz|rm|rp)"
#define COMBINE "bool(and|or|xor)"
#define ORDERED "eq|ne|lt|le|gt|ge"
#define FLOAT_COMPARISONS "cmp(" ORDERED "|equ|neu|ltu|leu|gtu|geu|num|nan) "
#define UNSIGNED_COMPARISONS "cmp(" ORDERED "|lo|ls|hi|hs) "
#define MEMORY_TYPES "type(b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64)"
#define EVICTION_HINTS "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"
#define LOAD_HINTS "hint*(" EVICTION_HINTS "|L2::64B|L2::128B|L2::256B) "
#define STORE_HINTS "hint*(" EVICTION_HINTS ") "
#define LOAD_SPACES "space?(const|global|local|param|param::entry|param::func|shared|shared::cta) "
#define STORE_SPACES "space?(global|local|param|param::func|shared|shared::cta) "
#define ORDERED_SPACES "space?(global|shared|shared::cta) "
#define ATOMIC_SPACES "scope?(cta|gpu|sys) " ORDERED_SPACES
#define ATOM_ORDER "sem?(relaxed|acquire|release|acq_rel) " ATOMIC_SPACES
#define RED_ORDER "sem?(relaxed|release) " ATOMIC_SPACES

// Not PTX: the vector memory instructions of Crago et al. (TACO 2018, figure 5), which the workloads' header
// vector_memory.cuh makes.
#define VECTOR_MEMORY "space(global|shared|shared::cta) vec(v4|v8|v16) type(b32|u32|s32|f32)"

constexpr FormRow kForms[] = {
#define INSTRUCTION(opcode, modifiers, operands) {Opcode::opcode, modifiers, operands},
#define FORM(opcode, modifiers, operands) {Opcode::opcode, modifiers, operands},
#include "components/frontend/ptx/instructions.def"
};

}  // namespace

std::span<const FormRow> form_rows() {
    return kForms;
}

}  // namespace lookahead::ptx
