#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace lookahead::cudart::test {

using Bytes = std::vector<std::byte>;

/// A text's bytes and its final NUL.
inline Bytes text_bytes(std::string_view text) {
    Bytes bytes(text.size() + 1);
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// An entry of a fat binary: plain PTX unless the test says otherwise.
struct Entry {
    std::uint16_t kind = 1;
    std::uint64_t flags = 0x11;
    std::uint32_t architecture = 75;
    Bytes payload = {};
    std::uint32_t compressed = 0;
    std::uint64_t uncompressed = 0;
};

inline Bytes fat_binary(const std::vector<Entry>& entries) {
    Bytes all(16);
    for (const Entry& entry : entries) {
        Bytes bytes(64);
        const std::uint64_t padded = (entry.payload.size() + 7) / 8 * 8;
        put(bytes, 0, entry.kind);
        put(bytes, 2, std::uint16_t{0x0101});
        put(bytes, 4, std::uint32_t{64});
        put(bytes, 8, padded);
        put(bytes, 0x10, entry.compressed);
        put(bytes, 0x1C, entry.architecture);
        put(bytes, 0x28, entry.flags);
        put(bytes, 0x38, entry.uncompressed);
        bytes.insert(bytes.end(), entry.payload.begin(), entry.payload.end());
        bytes.resize(64 + padded);
        all.insert(all.end(), bytes.begin(), bytes.end());
    }
    put(all, 0, std::uint32_t{0xBA55ED50});
    put(all, 4, std::uint16_t{1});
    put(all, 6, std::uint16_t{16});
    put(all, 8, std::uint64_t{all.size() - 16});
    return all;
}
inline Bytes fat_binary(std::string_view ptx) {
    return fat_binary({Entry{.payload = text_bytes(ptx)}});
}

}  // namespace lookahead::cudart::test
