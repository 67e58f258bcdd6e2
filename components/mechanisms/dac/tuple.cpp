#include "components/mechanisms/dac/affine_cta.h"

#include <string>
#include <utility>

#include "core/error/error.h"

namespace lookahead::dac {

namespace {

std::uint64_t masked(std::uint64_t value, unsigned bits) {
    return bits == 64 ? value : value & 0xffffffffU;
}

std::uint64_t sum(const Offsets& offsets, const isa::Dim3& thread, const isa::Dim3& block) {
    return offsets.thread[0] * thread.x + offsets.thread[1] * thread.y + offsets.thread[2] * thread.z +
           offsets.block[0] * block.x + offsets.block[1] * block.y + offsets.block[2] * block.z;
}

Offsets combine(const Offsets& a, const Offsets& b, auto function) {
    Offsets result;
    for (std::size_t i = 0; i < 3; ++i) {
        result.thread[i] = function(a.thread[i], b.thread[i]);
        result.block[i] = function(a.block[i], b.block[i]);
    }
    return result;
}

Offsets map(const Offsets& a, auto function) {
    return combine(a, a, [&](std::uint64_t one, std::uint64_t) { return function(one); });
}

std::uint64_t sign_extended(std::uint64_t word) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(word)));
}

void require(bool holds, const char* rule) {
    if (!holds) { throw InternalError(std::string("affine tuple: ") + rule); }
}

/// The least and the greatest sum that a block's threads add to the base, with signed offsets.
std::pair<std::int64_t, std::int64_t> spread(const Offsets& offsets, const isa::Dim3& size) {
    std::pair<std::int64_t, std::int64_t> range{0, 0};
    const std::uint32_t last[] = {size.x - 1, size.y - 1, size.z - 1};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::int64_t end = static_cast<std::int64_t>(sign_extended(offsets.thread[i])) * last[i];
        (end < 0 ? range.first : range.second) += end;
    }
    return range;
}

}  // namespace

std::uint64_t Tuple::value(const isa::Dim3& thread, const isa::Dim3& block) const {
    std::uint64_t result = base + sum(offsets, thread, block);
    if (is_mod) {
        const std::uint64_t dividend = mod_base + sum(mod_offsets, thread, block);
        result += scale * (divisor == 0 ? dividend : dividend % divisor);
    }
    return masked(result, bits);
}

Tuple number(std::uint64_t value, unsigned bits) {
    Tuple result;
    result.bits = bits;
    result.base = masked(value, bits);
    return result;
}

Tuple add(const Tuple& a, const Tuple& b) {
    require(a.bits == b.bits, "a sum of different widths");
    require(!a.is_mod || !b.is_mod, "a sum of two mod-type tuples");
    Tuple result = a.is_mod ? a : b;
    const auto plus = [&](std::uint64_t x, std::uint64_t y) { return masked(x + y, a.bits); };
    result.base = plus(a.base, b.base);
    result.offsets = combine(a.offsets, b.offsets, plus);
    require(!result.is_mod || !result.offsets.by_thread(), "a sum of a mod-type tuple and one that differs by thread");
    return result;
}

Tuple multiply(const Tuple& a, const Tuple& b) {
    require(a.bits == b.bits, "a product of different widths");
    if (!b.is_number()) {
        require(a.is_number(), "a product of two tuples");
        return multiply(b, a);
    }
    const auto times = [&](std::uint64_t x) { return masked(x * b.base, a.bits); };
    Tuple result = a;
    result.base = times(a.base);
    result.offsets = map(a.offsets, times);
    result.scale = times(a.scale);
    return result;
}

Tuple negate(const Tuple& a) {
    return multiply(a, number(~std::uint64_t{0}, a.bits));
}

Tuple truncate(const Tuple& a) {
    const auto low = [](std::uint64_t x) { return masked(x, 32); };
    Tuple result = a;
    result.bits = 32;
    result.base = low(a.base);
    result.offsets = map(a.offsets, low);
    result.scale = low(a.scale);
    return result;
}

Tuple extend(const Tuple& a, bool is_signed, const isa::Dim3& size, const isa::Dim3& block) {
    require(a.bits == 32, "an extension of 64 bits");
    if (a.is_number()) { return number(is_signed ? sign_extended(a.base) : a.base, 64); }
    Tuple result = a;
    result.bits = 64;
    // One number for this block.
    if (!a.is_mod && !a.offsets.by_thread()) {
        const std::uint64_t value = a.value({0, 0, 0}, block);
        return number(is_signed ? sign_extended(value) : value, 64);
    }
    if (a.is_mod) {
        return result;  // the analysis has bounded the tuples that may be extended
    }
    // The block's base, and the range that its threads add.
    const std::uint64_t at = masked(a.base + sum({{}, a.offsets.block}, {0, 0, 0}, block), 32);
    const auto first = static_cast<std::int64_t>(is_signed ? sign_extended(at) : at);
    const auto [least, greatest] = spread(a.offsets, size);
    const std::int64_t low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : UINT32_MAX;
    if (first + least >= low && first + greatest <= high) {
        result.base = static_cast<std::uint64_t>(first);
        result.offsets = map({a.offsets.thread, {}}, sign_extended);
        return result;
    }
    Tuple wrapped = modulo(result, std::uint64_t{1} << 32);
    wrapped.base = is_signed ? sign_extended(0x80000000U) : 0;
    wrapped.mod_base += is_signed ? 0x80000000U : 0;
    return wrapped;
}

Tuple modulo(const Tuple& a, std::uint64_t divisor) {
    require(!a.is_mod, "a remainder of a mod-type tuple");
    Tuple result = number(0, a.bits);
    result.is_mod = true;
    result.scale = 1;
    result.mod_base = a.base;
    result.mod_offsets = a.offsets;
    result.divisor = divisor;
    return result;
}

}  // namespace lookahead::dac
