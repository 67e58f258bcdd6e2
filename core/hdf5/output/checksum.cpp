#include "core/hdf5/output/checksum.h"

#include <array>
#include <bit>
#include <cstring>

namespace lookahead::hdf5 {

namespace {

/// Three words of state, and the rotations of Jenkins' two rounds ("lookup3.c, by Bob Jenkins, May 2006", public domain).
struct Lookup3 {
    std::uint32_t a, b, c;

    void add(const std::byte* block) {
        std::array<std::uint32_t, 3> words;
        std::memcpy(words.data(), block, sizeof(words));
        a += words[0];
        b += words[1];
        c += words[2];
    }

    void mix() {
        static constexpr std::array kRotations{4, 6, 8, 16, 19, 4};
        for (const int rotation : kRotations) {
            a = (a - c) ^ std::rotl(c, rotation);
            c += b;
            const std::uint32_t first = a;  // the next step works on (b, c, a)
            a = b;
            b = c;
            c = first;
        }
    }

    void finish() {
        static constexpr std::array kRotations{14, 11, 25, 16, 4, 14, 24};
        for (const int rotation : kRotations) {
            c = (c ^ b) - std::rotl(b, rotation);
            const std::uint32_t first = a;  // the next step works on (c, b) = (a, c)
            a = b;
            b = c;
            c = first;
        }
    }
};

}  // namespace

std::uint32_t checksum(std::span<const std::byte> bytes) {
    constexpr std::size_t kBlock = 12;
    const std::uint32_t start = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size());
    Lookup3 state{start, start, start};
    if (bytes.empty()) {
        return state.c;
    }
    for (; bytes.size() > kBlock; bytes = bytes.subspan(kBlock)) {
        state.add(bytes.data());
        state.mix();
    }
    std::array<std::byte, kBlock> last{};
    std::memcpy(last.data(), bytes.data(), bytes.size());
    state.add(last.data());
    state.finish();
    return state.b;  // the last step's c, after its turn
}

}  // namespace lookahead::hdf5
