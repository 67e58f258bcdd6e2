#include "components/frontend/ptx/form_table.h"

// The instructions that the parser accepts, after the syntax lines of the PTX ISA (version 9.0, chapter 9).
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

using enum Opcode;

constexpr FormRow kForms[] = {
    // --- integer and floating-point arithmetic ---
    {"abs", abs, "type(s16|s32|s64)", "=T T"},
    {"abs", abs, "ftz? type(f32|f16|f16x2)", "=T T"},
    {"abs", abs, "type(f64)", "=T T"},
    {"add", add, INTEGERS, "=T T T"},
    {"add", add, "sat type(s32)", "=T T T"},
    {"add", add, "cc " INTEGERS_32_64, "=T T T"},
    {"add", add, "rnd?" ROUNDINGS " ftz? sat? type(f32)", "=T T T"},
    {"add", add, "rnd?" ROUNDINGS " type(f64)", "=T T T"},
    {"add", add, FTZ_SAT_F16, "=T T T"},
    {"addc", addc, "cc? " INTEGERS_32_64, "=T T T"},
    {"bfe", bfe, INTEGERS_32_64, "=T T u32 u32"},
    {"bfi", bfi, "type(b32|b64)", "=T T T u32 u32"},
    {"bfind", bfind, "shiftamt? " INTEGERS_32_64, "=u32 T"},
    {"bmsk", bmsk, "over(clamp|wrap) type(b32)", "=T T u32"},
    {"brev", brev, "type(b32|b64)", "=T T"},
    {"clz", clz, "type(b32|b64)", "=u32 T"},
    {"copysign", copysign, "type(f32|f64)", "=T T T"},
    {"cos", cos, "prec(approx) ftz? type(f32)", "=T T"},
    {"div", div, INTEGERS, "=T T T"},
    {"div", div, "prec(approx|full) ftz? type(f32)", "=T T T"},
    {"div", div, "rnd" ROUNDINGS " ftz? type(f32)", "=T T T"},
    {"div", div, "rnd" ROUNDINGS " type(f64)", "=T T T"},
    {"dp2a", dp2a, "half(lo|hi) type(u32|s32) type(u32|s32)", "=b32 T U b32"},
    {"dp4a", dp4a, "type(u32|s32) type(u32|s32)", "=b32 T U b32"},
    {"ex2", ex2, "prec(approx) ftz? type(f32)", "=T T"},
    {"ex2", ex2, "prec(approx) type(f16|f16x2)", "=T T"},
    {"fma", fma, "rnd" ROUNDINGS " ftz? sat? type(f32)", "=T T T T"},
    {"fma", fma, "rnd" ROUNDINGS " type(f64)", "=T T T T"},
    {"fma", fma, "rnd(rn) ftz? sat? type(f16|f16x2)", "=T T T T"},
    {"fns", fns, "type(b32)", "=T T u32 s32"},
    {"lg2", lg2, "prec(approx) ftz? type(f32)", "=T T"},
    {"mad", mad, "mode(lo|hi) " INTEGERS, "=T T T T"},
    {"mad", mad, "mode(wide) type(u16|u32|s16|s32)", "=W T T W"},
    {"mad", mad, "mode(hi) sat type(s32)", "=T T T T"},
    {"mad", mad, "mode(lo|hi) cc " INTEGERS_32_64, "=T T T T"},
    {"mad", mad, "rnd" ROUNDINGS " ftz? sat? type(f32)", "=T T T T"},
    {"mad", mad, "rnd" ROUNDINGS " type(f64)", "=T T T T"},
    {"mad24", mad24, "mode(lo|hi) type(u32|s32)", "=T T T T"},
    {"mad24", mad24, "mode(hi) sat type(s32)", "=T T T T"},
    {"madc", madc, "mode(lo|hi) cc? " INTEGERS_32_64, "=T T T T"},
    {"max", max, INTEGERS, "=T T T"},
    {"max", max, "ftz? type(f32|f16|f16x2)", "=T T T"},
    {"max", max, "type(f64)", "=T T T"},
    {"min", min, INTEGERS, "=T T T"},
    {"min", min, "ftz? type(f32|f16|f16x2)", "=T T T"},
    {"min", min, "type(f64)", "=T T T"},
    {"mul", mul, "mode(lo|hi) " INTEGERS, "=T T T"},
    {"mul", mul, "mode(wide) type(u16|u32|s16|s32)", "=W T T"},
    {"mul", mul, "rnd?" ROUNDINGS " ftz? sat? type(f32)", "=T T T"},
    {"mul", mul, "rnd?" ROUNDINGS " type(f64)", "=T T T"},
    {"mul", mul, FTZ_SAT_F16, "=T T T"},
    {"mul24", mul24, "mode(lo|hi) type(u32|s32)", "=T T T"},
    {"neg", neg, "type(s16|s32|s64)", "=T T"},
    {"neg", neg, "ftz? type(f32|f16|f16x2)", "=T T"},
    {"neg", neg, "type(f64)", "=T T"},
    {"popc", popc, "type(b32|b64)", "=u32 T"},
    {"rcp", rcp, "prec(approx) ftz? type(f32)", "=T T"},
    {"rcp", rcp, "prec(approx) ftz type(f64)", "=T T"},
    {"rcp", rcp, "rnd" ROUNDINGS " ftz? type(f32)", "=T T"},
    {"rcp", rcp, "rnd" ROUNDINGS " type(f64)", "=T T"},
    {"rem", rem, INTEGERS, "=T T T"},
    {"rsqrt", rsqrt, "prec(approx) ftz? type(f32|f64)", "=T T"},
    {"sad", sad, INTEGERS, "=T T T T"},
    {"sin", sin, "prec(approx) ftz? type(f32)", "=T T"},
    {"sqrt", sqrt, "prec(approx) ftz? type(f32)", "=T T"},
    {"sqrt", sqrt, "rnd" ROUNDINGS " ftz? type(f32)", "=T T"},
    {"sqrt", sqrt, "rnd" ROUNDINGS " type(f64)", "=T T"},
    {"sub", sub, INTEGERS, "=T T T"},
    {"sub", sub, "sat type(s32)", "=T T T"},
    {"sub", sub, "cc " INTEGERS_32_64, "=T T T"},
    {"sub", sub, "rnd?" ROUNDINGS " ftz? sat? type(f32)", "=T T T"},
    {"sub", sub, "rnd?" ROUNDINGS " type(f64)", "=T T T"},
    {"sub", sub, FTZ_SAT_F16, "=T T T"},
    {"subc", subc, "cc? " INTEGERS_32_64, "=T T T"},
    {"tanh", tanh, "prec(approx) type(f32|f16|f16x2)", "=T T"},
    {"testp", testp, "prop(finite|infinite|number|notanumber|normal|subnormal) type(f32|f64)", "=pred T"},
    {"vabsdiff2", vabsdiff2, "type(u32|s32) type(u32|s32) type(u32|s32) sat?", "=T U V T"},
    {"vabsdiff2", vabsdiff2, "type(u32|s32) type(u32|s32) type(u32|s32) accumulate(add)", "=T U V T"},
    {"vabsdiff4", vabsdiff4, "type(u32|s32) type(u32|s32) type(u32|s32) sat?", "=T U V T"},
    {"vabsdiff4", vabsdiff4, "type(u32|s32) type(u32|s32) type(u32|s32) accumulate(add)", "=T U V T"},

    // --- logic and shifts ---
    {"and", and_, "type(pred|b16|b32|b64)", "=T T T"},
    {"cnot", cnot, "type(b16|b32|b64)", "=T T"},
    {"lop3", lop3, "type(b32)", "=T T T T $u32"},
    {"not", not_, "type(pred|b16|b32|b64)", "=T T"},
    {"or", or_, "type(pred|b16|b32|b64)", "=T T T"},
    {"prmt", prmt, "type(b32) perm?(f4e|b4e|rc8|ecl|ecr|rc16)", "=T T T b32"},
    {"shf", shf, "dir(l|r) over(clamp|wrap) type(b32)", "=T T T u32"},
    {"shl", shl, "type(b16|b32|b64)", "=T T u32"},
    {"shr", shr, "type(b16|b32|b64|u16|u32|u64|s16|s32|s64)", "=T T u32"},
    {"xor", xor_, "type(pred|b16|b32|b64)", "=T T T"},

    // --- comparison and selection ---
    {"selp", selp, "type(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64)", "=T T T pred"},
    {"set", set, UNSIGNED_COMPARISONS "type(u32|s32|f32) type(u16|u32|u64)", "=T U U"},
    {"set", set, "cmp(" ORDERED ") type(u32|s32|f32) type(s16|s32|s64)", "=T U U"},
    {"set", set, "cmp(eq|ne) type(u32|s32|f32) type(b16|b32|b64)", "=T U U"},
    {"set", set, FLOAT_COMPARISONS "ftz? type(u32|s32|f32) type(f32)", "=T U U"},
    {"set", set, FLOAT_COMPARISONS "type(u32|s32|f32) type(f64)", "=T U U"},
    {"set", set, UNSIGNED_COMPARISONS COMBINE " type(u32|s32|f32) type(u16|u32|u64)", "=T U U pred"},
    {"set", set, "cmp(" ORDERED ") " COMBINE " type(u32|s32|f32) type(s16|s32|s64)", "=T U U pred"},
    {"set", set, "cmp(eq|ne) " COMBINE " type(u32|s32|f32) type(b16|b32|b64)", "=T U U pred"},
    {"set", set, FLOAT_COMPARISONS COMBINE " ftz? type(u32|s32|f32) type(f32)", "=T U U pred"},
    {"set", set, FLOAT_COMPARISONS COMBINE " type(u32|s32|f32) type(f64)", "=T U U pred"},
    {"set", set, FLOAT_COMPARISONS "type(u16|s16|u32|s32|f16) type(f16)", "=T U U"},
    {"set", set, FLOAT_COMPARISONS "type(u32|s32|f16x2) type(f16x2)", "=T U U"},
    {"set", set, FLOAT_COMPARISONS COMBINE " type(u16|s16|u32|s32|f16) type(f16)", "=T U U pred"},
    {"set", set, FLOAT_COMPARISONS COMBINE " type(u32|s32|f16x2) type(f16x2)", "=T U U pred"},
    {"setp", setp, UNSIGNED_COMPARISONS "type(u16|u32|u64)", "=pred|p T T"},
    {"setp", setp, "cmp(" ORDERED ") type(s16|s32|s64)", "=pred|p T T"},
    {"setp", setp, "cmp(eq|ne) type(b16|b32|b64)", "=pred|p T T"},
    {"setp", setp, FLOAT_COMPARISONS "ftz? type(f32)", "=pred|p T T"},
    {"setp", setp, FLOAT_COMPARISONS "ftz? type(f16)", "=pred T T"},
    {"setp", setp, FLOAT_COMPARISONS "type(f64)", "=pred|p T T"},
    {"setp", setp, UNSIGNED_COMPARISONS COMBINE " type(u16|u32|u64)", "=pred|p T T pred"},
    {"setp", setp, "cmp(" ORDERED ") " COMBINE " type(s16|s32|s64)", "=pred|p T T pred"},
    {"setp", setp, "cmp(eq|ne) " COMBINE " type(b16|b32|b64)", "=pred|p T T pred"},
    {"setp", setp, FLOAT_COMPARISONS COMBINE " ftz? type(f32)", "=pred|p T T pred"},
    {"setp", setp, FLOAT_COMPARISONS COMBINE " ftz? type(f16)", "=pred T T pred"},
    {"setp", setp, FLOAT_COMPARISONS COMBINE " type(f64)", "=pred|p T T pred"},
    {"slct", slct, "type(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64) type(s32)", "=T T T s32"},
    {"slct", slct, "ftz? type(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64) type(f32)", "=T T T f32"},

    // --- data movement ---
    {"cvt", cvt,
     "rnd?(rn|rz|rm|rp|rni|rzi|rmi|rpi) ftz? sat? type(u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64) "
     "type(u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64)",
     "=T~ &U~"},
    {"cvt", cvt, "rnd(rn|rz) type(f16x2) type(f32)", "=T U U"},
    {"cvta", cvta, "space(const|global|local|param|param::entry|shared|shared::cta) type(u32|u64)", "=T var"},
    {"cvta", cvta, "to space(const|global|local|param|param::entry|shared|shared::cta) type(u32|u64)", "=T T"},
    {"isspacep", isspacep, "space(const|global|local|param|param::entry|shared|shared::cta)", "=pred A"},
    {"ld", ld, "sem?(weak) " LOAD_SPACES "cop?(ca|cg|cs|lu|cv) " LOAD_HINTS "vec?(v2|v4) " MEMORY_TYPES, "=#T~ addr"},
    {"ld", ld, "sem(volatile) " ORDERED_SPACES "vec?(v2|v4) " MEMORY_TYPES, "=#T~ addr"},
    {"ld", ld, "sem(relaxed|acquire) scope(cta|gpu|sys) " ORDERED_SPACES LOAD_HINTS "vec?(v2|v4) " MEMORY_TYPES,
     "=#T~ addr"},
    {"ld", ld, "space(global) cop?(ca|cg|cs) nc " LOAD_HINTS "vec?(v2|v4) " MEMORY_TYPES, "=#T~ addr"},
    {"ld", ld_stride, "word(stride) " VECTOR_MEMORY, "=#T addr s32"},
    {"ld", ld_indirect, "word(indirect) " VECTOR_MEMORY, "=#T addr #s32"},
    {"ldu", ldu, "space?(global) vec?(v2|v4) " MEMORY_TYPES, "=#T~ addr"},
    {"mov", mov, "type(pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64)", "custom"},
    {"prefetch", prefetch, "space?(global|local) level(L1|L2)", "addr"},
    {"prefetchu", prefetchu, "level(L1)", "addr"},
    {"st", st, "sem?(weak) " STORE_SPACES "cop?(wb|cg|cs|wt) " STORE_HINTS "vec?(v2|v4) " MEMORY_TYPES, "addr #T~"},
    {"st", st, "sem(volatile) " ORDERED_SPACES "vec?(v2|v4) " MEMORY_TYPES, "addr #T~"},
    {"st", st, "sem(relaxed|release) scope(cta|gpu|sys) " ORDERED_SPACES STORE_HINTS "vec?(v2|v4) " MEMORY_TYPES,
     "addr #T~"},
    {"st", st_stride, "word(stride) " VECTOR_MEMORY, "addr s32 #T"},
    {"st", st_indirect, "word(indirect) " VECTOR_MEMORY, "addr #s32 #T"},
    {"suld", suld,
     "word(b) geom(1d|2d|3d|a1d|a2d) cop?(ca|cg|cs|cv) vec?(v2|v4) type(b8|b16|b32|b64) bound(trap|clamp|zero)",
     "=tex~ tex"},
    {"sust", sust,
     "word(b) geom(1d|2d|3d|a1d|a2d) cop?(wb|cg|cs|wt) vec?(v2|v4) type(b8|b16|b32|b64) bound(trap|clamp|zero)",
     "tex #tex~"},
    {"tex", tex, "word(level) geom(1d|2d|3d|a1d|a2d|cube) vec(v4) type(u32|s32|f32) type(s32|f32)", "=tex tex U"},
    {"tex", tex, "geom(1d|2d|3d|a1d|a2d|cube) vec(v4) type(u32|s32|f32) type(s32|f32)", "=tex tex"},
    {"tld4", tld4, "comp(r|g|b|a) geom(2d) vec(v4) type(u32|s32|f32) type(f32)", "=tex tex"},

    // --- control ---
    {"bra", bra, "uni?", "custom"},
    {"brx", brx_idx, "word(idx) uni?", "custom"},
    {"call", call, "uni?", "custom"},
    {"exit", exit, "", ""},
    {"ret", ret, "uni?", ""},
    {"trap", trap, "", ""},
    {"brkpt", brkpt, "", ""},

    // --- synchronisation ---
    {"bar", bar, "word?(cta) barrier(sync)", "u32 u32?"},
    {"bar", bar, "word?(cta) barrier(arrive)", "u32 u32"},
    {"bar", bar, "word?(cta) barrier(red) redbool(popc) type(u32)", "=T u32 pred"},
    {"bar", bar, "word?(cta) barrier(red) redbool(popc) type(u32)", "=T u32 u32 pred"},
    {"bar", bar, "word?(cta) barrier(red) redbool(and|or) type(pred)", "=T u32 pred"},
    {"bar", bar, "word?(cta) barrier(red) redbool(and|or) type(pred)", "=T u32 u32 pred"},
    {"bar", bar_warp_sync, "word(warp) word(sync)", "b32"},
    {"barrier", barrier, "word?(cta) barrier(sync) aligned?", "u32 u32?"},
    {"barrier", barrier, "word?(cta) barrier(arrive) aligned?", "u32 u32"},
    {"barrier", barrier, "word?(cta) barrier(red) redbool(popc) aligned? type(u32)", "=T u32 pred"},
    {"barrier", barrier, "word?(cta) barrier(red) redbool(popc) aligned? type(u32)", "=T u32 u32 pred"},
    {"barrier", barrier, "word?(cta) barrier(red) redbool(and|or) aligned? type(pred)", "=T u32 pred"},
    {"barrier", barrier, "word?(cta) barrier(red) redbool(and|or) aligned? type(pred)", "=T u32 u32 pred"},
    {"fence", fence, "sem?(sc|acq_rel|acquire|release) scope(cta|gpu|sys)", ""},
    {"membar", membar, "scope(cta|gl|sys)", ""},
    {"nanosleep", nanosleep, "type(u32)", "T"},

    // --- warp-wide ---
    {"activemask", activemask, "type(b32)", "=T"},
    {"match", match, "vote(any) sync type(b32|b64)", "=b32 T b32"},
    {"match", match, "vote(all) sync type(b32|b64)", "=b32|p T b32"},
    {"redux", redux, "sync op(add|min|max) type(u32|s32)", "=T T b32"},
    {"redux", redux, "sync op(and|or|xor) type(b32)", "=T T b32"},
    {"shfl", shfl, "sync shfl(up|down|bfly|idx) type(b32)", "=T|p T b32 b32 b32"},
    {"shfl", shfl, "shfl(up|down|bfly|idx) type(b32)", "=T|p T b32 b32"},
    {"vote", vote, "sync vote(all|any|uni) type(pred)", "=T T b32"},
    {"vote", vote, "sync vote(ballot) type(b32)", "=T pred b32"},
    {"vote", vote, "vote(all|any|uni) type(pred)", "=T T"},
    {"vote", vote, "vote(ballot) type(b32)", "=T pred"},

    // --- atomics ---
    {"atom", atom, ATOM_ORDER "op(add) type(u32|s32|u64|f32|f64)", "=T addr T"},
    {"atom", atom, ATOM_ORDER "op(add) noftz type(f16|f16x2)", "=T addr T"},
    {"atom", atom, ATOM_ORDER "op(and|or|xor) type(b32|b64)", "=T addr T"},
    {"atom", atom, ATOM_ORDER "op(exch) type(b32|b64)", "=T addr T"},
    {"atom", atom, ATOM_ORDER "op(cas) type(b16|b32|b64)", "=T addr T T"},
    {"atom", atom, ATOM_ORDER "op(min|max) type(u32|s32|u64|s64)", "=T addr T"},
    {"atom", atom, ATOM_ORDER "op(inc|dec) type(u32)", "=T addr T"},
    {"red", red, RED_ORDER "op(add) type(u32|s32|u64|f32|f64)", "addr T"},
    {"red", red, RED_ORDER "op(add) noftz type(f16|f16x2)", "addr T"},
    {"red", red, RED_ORDER "op(and|or|xor) type(b32|b64)", "addr T"},
    {"red", red, RED_ORDER "op(min|max) type(u32|s32|u64|s64)", "addr T"},
    {"red", red, RED_ORDER "op(inc|dec) type(u32)", "addr T"},
};

}  // namespace

std::span<const FormRow> form_rows() {
    return kForms;
}

}  // namespace lookahead::ptx
