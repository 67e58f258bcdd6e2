#include "components/frontend/ptx/instruction_form.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/error/error.h"

namespace lookahead::ptx {
namespace {

template <class Value>
using WordMeaning = std::pair<std::string_view, Value>;

constexpr WordMeaning<Comparison> kComparisons[] = {
    {"eq", Comparison::eq},   {"ne", Comparison::ne},   {"lt", Comparison::lt},   {"le", Comparison::le},
    {"gt", Comparison::gt},   {"ge", Comparison::ge},   {"lo", Comparison::lt},   {"ls", Comparison::le},
    {"hi", Comparison::gt},   {"hs", Comparison::ge},   {"equ", Comparison::equ}, {"neu", Comparison::neu},
    {"ltu", Comparison::ltu}, {"leu", Comparison::leu}, {"gtu", Comparison::gtu}, {"geu", Comparison::geu},
    {"num", Comparison::num}, {"nan", Comparison::nan}};
constexpr WordMeaning<Combine> kCombines[] = {{"and", Combine::and_}, {"or", Combine::or_}, {"xor", Combine::xor_}};
constexpr WordMeaning<Combine> kBarrierReductions[] = {
    {"popc", Combine::popc}, {"and", Combine::and_}, {"or", Combine::or_}};
constexpr WordMeaning<Rounding> kRoundings[] = {{"rn", Rounding::rn},   {"rz", Rounding::rz},   {"rm", Rounding::rm},
                                                {"rp", Rounding::rp},   {"rni", Rounding::rni}, {"rzi", Rounding::rzi},
                                                {"rmi", Rounding::rmi}, {"rpi", Rounding::rpi}};
constexpr WordMeaning<Precision> kPrecisions[] = {{"approx", Precision::approx}, {"full", Precision::full}};
constexpr WordMeaning<MulMode> kMulModes[] = {{"lo", MulMode::lo}, {"hi", MulMode::hi}, {"wide", MulMode::wide}};
constexpr WordMeaning<StateSpace> kSpaces[] = {
    {"const", StateSpace::constant}, {"global", StateSpace::global},      {"local", StateSpace::local},
    {"param", StateSpace::param},    {"param::entry", StateSpace::param}, {"param::func", StateSpace::param},
    {"shared", StateSpace::shared},  {"shared::cta", StateSpace::shared}};
constexpr WordMeaning<CacheOperator> kCacheOperators[] = {
    {"ca", CacheOperator::ca}, {"cg", CacheOperator::cg}, {"cs", CacheOperator::cs}, {"lu", CacheOperator::lu},
    {"cv", CacheOperator::cv}, {"wb", CacheOperator::wb}, {"wt", CacheOperator::wt}};
constexpr WordMeaning<Semantics> kSemantics[] = {{"weak", Semantics::weak},
                                                 {"volatile", Semantics::volatile_},
                                                 {"relaxed", Semantics::relaxed},
                                                 {"acquire", Semantics::acquire},
                                                 {"release", Semantics::release},
                                                 {"acq_rel", Semantics::acq_rel},
                                                 {"sc", Semantics::sc}};
constexpr WordMeaning<Scope> kScopes[] = {
    {"cta", Scope::cta}, {"gpu", Scope::gpu}, {"gl", Scope::gpu}, {"sys", Scope::sys}};
constexpr WordMeaning<AtomicOperation> kAtomicOperations[] = {
    {"add", AtomicOperation::add},     {"and", AtomicOperation::bit_and}, {"or", AtomicOperation::bit_or},
    {"xor", AtomicOperation::bit_xor}, {"exch", AtomicOperation::exch},   {"cas", AtomicOperation::cas},
    {"min", AtomicOperation::min},     {"max", AtomicOperation::max},     {"inc", AtomicOperation::inc},
    {"dec", AtomicOperation::dec}};
constexpr WordMeaning<ShuffleMode> kShuffleModes[] = {
    {"up", ShuffleMode::up}, {"down", ShuffleMode::down}, {"bfly", ShuffleMode::bfly}, {"idx", ShuffleMode::idx}};
constexpr WordMeaning<VoteMode> kVoteModes[] = {
    {"all", VoteMode::all}, {"any", VoteMode::any}, {"uni", VoteMode::uni}, {"ballot", VoteMode::ballot}};
constexpr WordMeaning<BarrierKind> kBarrierKinds[] = {
    {"sync", BarrierKind::sync}, {"arrive", BarrierKind::arrive}, {"red", BarrierKind::red}};
constexpr WordMeaning<ShiftDirection> kDirections[] = {{"l", ShiftDirection::left}, {"r", ShiftDirection::right}};
constexpr WordMeaning<ShiftOverflow> kOverflows[] = {{"wrap", ShiftOverflow::wrap}, {"clamp", ShiftOverflow::clamp}};
constexpr WordMeaning<PermuteMode> kPermuteModes[] = {{"f4e", PermuteMode::f4e}, {"b4e", PermuteMode::b4e},
                                                      {"rc8", PermuteMode::rc8}, {"ecl", PermuteMode::ecl},
                                                      {"ecr", PermuteMode::ecr}, {"rc16", PermuteMode::rc16}};
constexpr WordMeaning<FloatProperty> kProperties[] = {
    {"finite", FloatProperty::finite}, {"infinite", FloatProperty::infinite},
    {"number", FloatProperty::number}, {"notanumber", FloatProperty::notanumber},
    {"normal", FloatProperty::normal}, {"subnormal", FloatProperty::subnormal}};
constexpr WordMeaning<TextureGeometry> kGeometries[] = {{"1d", TextureGeometry::d1},   {"2d", TextureGeometry::d2},
                                                        {"3d", TextureGeometry::d3},   {"a1d", TextureGeometry::a1d},
                                                        {"a2d", TextureGeometry::a2d}, {"cube", TextureGeometry::cube}};
constexpr WordMeaning<SurfaceBound> kBounds[] = {
    {"trap", SurfaceBound::trap}, {"clamp", SurfaceBound::clamp}, {"zero", SurfaceBound::zero}};
constexpr WordMeaning<PrefetchLevel> kLevels[] = {{"L1", PrefetchLevel::l1}, {"L2", PrefetchLevel::l2}};
constexpr WordMeaning<std::uint8_t> kComponents[] = {
    {"r", std::uint8_t{0}}, {"g", std::uint8_t{1}}, {"b", std::uint8_t{2}}, {"a", std::uint8_t{3}}};
constexpr WordMeaning<std::uint8_t> kVectorWidths[] = {
    {"v2", std::uint8_t{2}}, {"v4", std::uint8_t{4}}, {"v8", std::uint8_t{8}}, {"v16", std::uint8_t{16}}};
constexpr WordMeaning<bool> kHalves[] = {{"lo", false}, {"hi", true}};
constexpr WordMeaning<bool> kAccumulate[] = {{"add", true}};

/// Sets the field for a word in a group of one kind; returns false if the word is unknown there.
using Setter = bool (*)(std::string_view word, Modifiers* modifiers);

template <auto& kMeanings, auto kField>
bool set_from_table(std::string_view word, Modifiers* modifiers) {
    for (const auto& [name, value] : kMeanings) {
        if (name != word) { continue; }
        if (modifiers != nullptr) { modifiers->*kField = value; }
        return true;
    }
    return false;
}

/// A group of one word, its kind's name.
template <auto kField>
bool set_flag(std::string_view, Modifiers* modifiers) {
    if (modifiers != nullptr) { modifiers->*kField = true; }
    return true;
}

/// Accepts words that select forms or are hints to caches, and sets nothing.
bool accept(std::string_view, Modifiers*) {
    return true;
}

bool set_type(std::string_view word, Modifiers* modifiers) {
    const std::optional<Type> type = type_named(word);
    if (!type) { return false; }
    if (modifiers != nullptr) { *std::find(modifiers->types.begin(), modifiers->types.end(), Type::none) = *type; }
    return true;
}

constexpr WordMeaning<Setter> kKinds[] = {
    {"type", set_type},
    {"cmp", set_from_table<kComparisons, &Modifiers::comparison>},
    {"bool", set_from_table<kCombines, &Modifiers::combine>},
    {"redbool", set_from_table<kBarrierReductions, &Modifiers::combine>},
    {"rnd", set_from_table<kRoundings, &Modifiers::rounding>},
    {"prec", set_from_table<kPrecisions, &Modifiers::precision>},
    {"mode", set_from_table<kMulModes, &Modifiers::mul_mode>},
    {"space", set_from_table<kSpaces, &Modifiers::space>},
    {"cop", set_from_table<kCacheOperators, &Modifiers::cache_operator>},
    {"sem", set_from_table<kSemantics, &Modifiers::semantics>},
    {"scope", set_from_table<kScopes, &Modifiers::scope>},
    {"op", set_from_table<kAtomicOperations, &Modifiers::atomic>},
    {"shfl", set_from_table<kShuffleModes, &Modifiers::shuffle>},
    {"vote", set_from_table<kVoteModes, &Modifiers::vote>},
    {"barrier", set_from_table<kBarrierKinds, &Modifiers::barrier>},
    {"dir", set_from_table<kDirections, &Modifiers::direction>},
    {"over", set_from_table<kOverflows, &Modifiers::overflow>},
    {"perm", set_from_table<kPermuteModes, &Modifiers::permute>},
    {"prop", set_from_table<kProperties, &Modifiers::property>},
    {"geom", set_from_table<kGeometries, &Modifiers::geometry>},
    {"level", set_from_table<kLevels, &Modifiers::prefetch_level>},
    {"bound", set_from_table<kBounds, &Modifiers::surface_bound>},
    {"comp", set_from_table<kComponents, &Modifiers::component>},
    {"vec", set_from_table<kVectorWidths, &Modifiers::vector_width>},
    {"half", set_from_table<kHalves, &Modifiers::upper_half>},
    {"accumulate", set_from_table<kAccumulate, &Modifiers::accumulate>},
    {"ftz", set_flag<&Modifiers::ftz>},
    {"sat", set_flag<&Modifiers::saturate>},
    {"cc", set_flag<&Modifiers::carry_out>},
    {"nc", set_flag<&Modifiers::non_coherent>},
    {"to", set_flag<&Modifiers::to>},
    {"uni", set_flag<&Modifiers::uniform>},
    {"shiftamt", set_flag<&Modifiers::shift_amount>},
    {"sync", set_flag<&Modifiers::sync>},
    {"aligned", set_flag<&Modifiers::aligned>},
    {"noftz", accept},
    {"hint", accept},
    {"word", accept},
};

Setter setter_of(std::string_view kind) {
    for (const auto& [name, setter] : kKinds) {
        if (name == kind) { return setter; }
    }
    return nullptr;
}

}  // namespace

bool is_modifier_kind(std::string_view kind) {
    return setter_of(kind) != nullptr;
}

bool is_modifier_word(std::string_view kind, std::string_view word) {
    return setter_of(kind)(word, nullptr);
}

void apply_modifier(std::string_view kind, std::string_view word, Modifiers& modifiers) {
    const bool known = setter_of(kind)(word, &modifiers);
    LOOKAHEAD_ASSERT(known, "the instruction table accepts a modifier that has no meaning");
}

}  // namespace lookahead::ptx
