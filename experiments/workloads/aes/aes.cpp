#include "experiments/workloads/aes/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::aes {

constexpr std::int64_t kThreads = 256, kRounds = 10, kBlockBytes = 16;

constexpr std::array<SizedParameter, 1> kParameters{{
    {"bytes", "byte", {4096, 1 << 19, 10 << 20, 64 << 20}, 1 << 28, "Bytes to encrypt.", 4 * kThreads},
}};

using Block = std::array<std::uint8_t, kBlockBytes>;

/// Twice a in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, section 4.2.1).
constexpr unsigned doubled(unsigned a) {
    return a << 1 ^ (a >> 7) * 0x11B;
}

/// Product in that field (FIPS 197, section 4.2).
constexpr std::uint8_t product(std::uint8_t a, std::uint8_t b) {
    unsigned result = 0, power = a;
    for (int bit = 0; bit < 8; ++bit, power = doubled(power)) {
        if ((b >> bit & 1) != 0) { result ^= power; }
    }
    return static_cast<std::uint8_t>(result);
}

/// The inverse, then the affine map (FIPS 197, section 5.1.1).
std::array<std::uint8_t, 256> make_substitution() {
    std::array<std::uint8_t, 256> table{};
    for (unsigned x = 0; x < 256; ++x) {
        std::uint8_t inverse = 1;
        for (int i = 0; i < 254; ++i) { inverse = product(inverse, static_cast<std::uint8_t>(x)); }
        unsigned y = x == 0 ? 0 : inverse;
        y = y ^ y << 1 ^ y << 2 ^ y << 3 ^ y << 4;
        table[x] = static_cast<std::uint8_t>((y ^ y >> 8 ^ 0x63) & 0xFF);
    }
    return table;
}

class Aes : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(Aes, aes)

    void run(Device& device) override {
        XorShift32 random(seed());
        for (std::uint8_t& byte : key_) { byte = static_cast<std::uint8_t>(random.next() >> 16); }
        plain_.resize(bytes_);
        for (std::uint8_t& byte : plain_) { byte = static_cast<std::uint8_t>(random.next() >> 16); }

        const std::vector<std::uint8_t> keys = expand(key_);
        device.copy_values(device.variable("aes_keys"), keys);
        const DeviceAddress plain = device.upload(plain_), cipher = device.allocate(bytes_);
        const DeviceAddress tables = device.upload(mixing_tables());
        device.launch("aes128_encrypt", {{blocks_for(bytes_, 4 * kThreads)}, {kThreads}},
                      pack_parameters(cipher, plain, tables));
        cipher_ = device.download<std::uint8_t>(cipher, bytes_);
    }

    CheckReport check() const override {
        // FIPS 197, appendix C.1, checks the reference itself.
        Block key, text;
        for (unsigned i = 0; i < kBlockBytes; ++i) {
            key[i] = static_cast<std::uint8_t>(i);
            text[i] = static_cast<std::uint8_t>(0x11 * i);
        }
        const Block known{0x69, 0xC4, 0xE0, 0xD8, 0x6A, 0x7B, 0x04, 0x30,
                          0xD8, 0xCD, 0xB7, 0x80, 0x70, 0xB4, 0xC5, 0x5A};
        if (encrypt(text, expand(key)) != known) {
            return {Outputs::mismatch, "the CPU reference fails FIPS 197's example"};
        }

        const std::vector<std::uint8_t> keys = expand(key_);
        std::vector<std::uint8_t> expected;
        for (std::int64_t first = 0; first < bytes_; first += kBlockBytes) {
            std::copy_n(plain_.begin() + first, kBlockBytes, text.begin());
            const Block block = encrypt(text, keys);
            expected.insert(expected.end(), block.begin(), block.end());
        }
        return compare_exact("byte", cipher_, expected);
    }

  private:
    std::vector<std::uint8_t> expand(const Block& key) const {
        std::vector<std::uint8_t> keys(key.begin(), key.end());
        std::uint8_t constant = 1;
        for (std::size_t i = kBlockBytes; i < kBlockBytes * (kRounds + 1); i += 4) {
            std::uint8_t word[4] = {keys[i - 4], keys[i - 3], keys[i - 2], keys[i - 1]};
            if (i % kBlockBytes == 0) {
                const std::uint8_t first = word[0];
                for (int j = 0; j < 3; ++j) { word[j] = substitution_[word[j + 1]]; }
                word[3] = substitution_[first];
                word[0] ^= constant;
                constant = product(constant, 2);
            }
            for (const std::uint8_t byte : word) { keys.push_back(keys[keys.size() - kBlockBytes] ^ byte); }
        }
        return keys;
    }

    /// Byte by byte, as FIPS 197 describes the cipher.
    Block encrypt(Block state, const std::vector<std::uint8_t>& keys) const {
        for (std::size_t i = 0; i < kBlockBytes; ++i) { state[i] ^= keys[i]; }
        for (std::size_t round = 1; round <= kRounds; ++round) {
            Block shifted;
            for (std::size_t i = 0; i < kBlockBytes; ++i) {
                shifted[i] = substitution_[state[(i + 4 * (i % 4)) % kBlockBytes]];
            }
            for (std::size_t i = 0; i < kBlockBytes; ++i) {
                const std::uint8_t* column = &shifted[i / 4 * 4];
                const auto at = [&](std::size_t j) { return column[(i + j) % 4]; };
                const unsigned mixed = doubled(at(0)) ^ doubled(at(1)) ^ at(1) ^ at(2) ^ at(3);
                state[i] =
                    static_cast<std::uint8_t>((round < kRounds ? mixed : shifted[i]) ^ keys[kBlockBytes * round + i]);
            }
        }
        return state;
    }

    /// Table t has, for each byte in row t of a column, its contribution to the mixed column, the first row in the
    /// lowest byte.
    std::vector<std::uint32_t> mixing_tables() const {
        std::vector<std::uint32_t> tables;
        for (unsigned row = 0; row < 4; ++row) {
            for (unsigned x = 0; x < 256; ++x) {
                const std::uint8_t s = substitution_[x];
                const std::uint32_t column[4] = {product(s, 2), s, s, product(s, 3)};
                std::uint32_t word = 0;
                for (unsigned i = 0; i < 4; ++i) { word |= column[(i + 4 - row) % 4] << (8 * i); }
                tables.push_back(word);
            }
        }
        return tables;
    }

    const std::int64_t bytes_ = value(0);
    const std::array<std::uint8_t, 256> substitution_ = make_substitution();
    Block key_{};
    std::vector<std::uint8_t> plain_, cipher_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Aes, aes)

}  // namespace lookahead::workloads::aes
