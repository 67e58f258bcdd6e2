#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "components/frontend/ptx/state_space.h"
#include "components/frontend/ptx/type.h"
#include "components/isa/modes.h"
#include "components/isa/operation.h"
#include "components/isa/texture_descriptor.h"
#include "components/isa/type.h"

namespace lookahead::ptx {

// Modifiers with the machine ISA's meaning have its types.
using isa::PermuteMode;
using isa::Rounding;
using isa::ShuffleMode;
using isa::TextureGeometry;
/// Comparison of setp, set. lo, ls, hi, hs are lt, le, gt, ge of unsigned types and are stored as those.
using isa::Comparison;
/// Mode of vote (all, any, uni, ballot) and of match (any, all).
using isa::VoteMode;
/// Operation of atom, red and redux.
using AtomicOperation = isa::AtomicOp;
/// Ordering of ld, st, atom, red, fence. membar is sc at its scope.
using Semantics = isa::Order;
/// `gpu` is membar's .gl too. PTX's default (gpu for atom and red, sys for volatile) is filled in where needed.
using isa::Scope;

/// How setp and set combine their result with a further predicate; bar.red's reduction.
enum class Combine : std::uint8_t { none, and_, or_, xor_, popc };

enum class Precision : std::uint8_t { none, approx, full };

enum class MulMode : std::uint8_t { none, lo, hi, wide };

enum class CacheOperator : std::uint8_t { none, ca, cg, cs, lu, cv, wb, wt };

/// bar and barrier: .sync, .arrive, .red.
enum class BarrierKind : std::uint8_t { none, sync, arrive, red };

enum class ShiftDirection : std::uint8_t { none, left, right };

enum class ShiftOverflow : std::uint8_t { none, wrap, clamp };

/// testp's property.
enum class FloatProperty : std::uint8_t { none, finite, infinite, number, notanumber, normal, subnormal };

/// How suld and sust treat a coordinate outside of the surface.
enum class SurfaceBound : std::uint8_t { none, trap, clamp, zero };

enum class PrefetchLevel : std::uint8_t { none, l1, l2 };

/// An instruction's modifiers; a field that an instruction does not have keeps its first value.
struct Modifiers {
    /// Type modifiers in the order written. cvt: destination, source. set: destination, source. slct: data,
    /// selector. tex: result, coordinates. dp4a: a, b. vabsdiff2, vabsdiff4: d, a, b. All others: one.
    std::array<Type, 3> types{};
    Comparison comparison = Comparison::none;
    Combine combine = Combine::none;
    Rounding rounding = Rounding::none;
    Precision precision = Precision::none;
    MulMode mul_mode = MulMode::none;
    StateSpace space = StateSpace::generic;
    CacheOperator cache_operator = CacheOperator::none;
    /// `weak` is PTX's default for ld and st, `relaxed` for atom and red; the parser fills the default in.
    std::optional<Semantics> semantics{};
    Scope scope = Scope::none;
    AtomicOperation atomic = AtomicOperation::none;
    ShuffleMode shuffle = ShuffleMode::up;
    VoteMode vote = VoteMode::all;
    BarrierKind barrier = BarrierKind::none;
    ShiftDirection direction = ShiftDirection::none;
    ShiftOverflow overflow = ShiftOverflow::none;
    PermuteMode permute = PermuteMode::generic;
    FloatProperty property = FloatProperty::none;
    TextureGeometry geometry = TextureGeometry::d1;
    PrefetchLevel prefetch_level = PrefetchLevel::none;
    SurfaceBound surface_bound = SurfaceBound::none;
    std::uint8_t component = 0;     ///< tld4: 0 r, 1 g, 2 b, 3 a
    std::uint8_t vector_width = 1;  ///< 1, 2 or 4; of vector memory instructions 4, 8 or 16
    bool ftz = false;               ///< .ftz: subnormal inputs and results become zero of the same sign
    bool saturate = false;          ///< .sat
    bool carry_out = false;         ///< .cc
    bool non_coherent = false;      ///< ld.global.nc
    bool to = false;                ///< cvta.to.SPACE: generic to SPACE
    bool uniform = false;           ///< bra.uni, call.uni, ret.uni: a promise that all lanes agree
    bool shift_amount = false;      ///< bfind.shiftamt
    bool upper_half = false;        ///< dp2a.hi; dp2a.lo otherwise
    bool accumulate = false;        ///< vabsdiff2, vabsdiff4 ... .add
    bool sync = false;              ///< shfl.sync, vote.sync, match.sync, redux.sync: the last operand is a mask
    bool aligned = false;           ///< true for bar, and for barrier.aligned: all threads execute the same barrier
};

}  // namespace lookahead::ptx
