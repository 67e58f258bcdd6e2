#include <bit>

#include "core/error/error.h"
#include "experiments/workloads/sized_workload.h"
#include "experiments/workloads/storegpu/files.h"

namespace lookahead::workloads::storegpu {

constexpr std::int64_t kThreads = 128, kBlock = 64;

constexpr std::array<SizedParameter, 3> kParameters{{
    {"windows", "window", {300, 49152, 18 * 49152, 96 * 49152}, 1 << 24, "Windows to hash; 49152 in the suite."},
    {"window", "B", {116, 52, 52, 52}, 1 << 12, "Length of a window; 52 in the suite.", 4},
    {"offset", "B", {4, 4, 4, 4}, 64, "Distance from the start of a window to the next one's.", 4},
}};

/// The first word of the message's digest (RFC 1321).
std::uint32_t md5(std::span<const std::uint8_t> message) {
    static constexpr std::uint32_t kSines[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
    };
    static constexpr int kBits[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    std::vector<std::uint8_t> bytes(message.begin(), message.end());
    bytes.push_back(0x80);
    while (bytes.size() % kBlock != kBlock - 8) { bytes.push_back(0); }
    for (int i = 0; i < 8; ++i) {
        bytes.push_back(static_cast<std::uint8_t>(std::uint64_t{message.size()} * 8 >> 8 * i));
    }

    std::array<std::uint32_t, 4> state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    for (std::size_t block = 0; block < bytes.size(); block += kBlock) {
        std::array<std::uint32_t, 16> words{};
        for (std::size_t i = 0; i < kBlock; ++i) { words[i / 4] |= std::uint32_t{bytes[block + i]} << 8 * (i % 4); }
        auto [a, b, c, d] = state;
        for (unsigned i = 0; i < 64; ++i) {
            std::uint32_t mixed = 0;
            unsigned word = 0;
            switch (i / 16) {
                case 0:
                    mixed = (b & c) | (~b & d), word = i;
                    break;
                case 1:
                    mixed = (b & d) | (c & ~d), word = 5 * i + 1;
                    break;
                case 2:
                    mixed = b ^ c ^ d, word = 3 * i + 5;
                    break;
                default:
                    mixed = c ^ (b | ~d), word = 7 * i;
                    break;
            }
            const std::uint32_t next = b + std::rotl(a + mixed + words[word % 16] + kSines[i], kBits[i / 16][i % 4]);
            a = d, d = c, c = b, b = next;
        }
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    }
    return state[0];
}

class StoreGpu : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(StoreGpu, storegpu)

    void run(Device& device) override {
        if (window_ % kBlock > kBlock - 12) {
            throw ConfigurationError(
                "storegpu: window = {} leaves no room for the padding in its last block of 64 bytes; at most 52 bytes "
                "may follow the last full block.",
                window_);
        }
        XorShift32 random(seed());
        file_.resize((windows_ - 1) * offset_ + window_);
        for (std::uint8_t& byte : file_) { byte = static_cast<std::uint8_t>(random.next() >> 24); }

        const DeviceAddress file = device.upload(file_);
        const DeviceAddress digests = device.allocate(windows_ * sizeof(std::uint32_t));
        device.launch("storegpu_md5_windows", {{blocks_for(windows_, kThreads)}, {kThreads}},
                      pack_parameters(file, s32(window_), s32(offset_), s32(windows_), digests));
        digests_ = device.download<std::uint32_t>(digests, windows_);
    }

    CheckReport check() const override {
        std::vector<std::uint32_t> expected;
        for (std::int64_t i = 0; i < windows_; ++i) {
            expected.push_back(md5(std::span(file_).subspan(i * offset_, window_)));
        }
        return compare_exact("digest", digests_, expected);
    }

  private:
    const std::int64_t windows_ = value(0), window_ = value(1), offset_ = value(2);
    std::vector<std::uint8_t> file_;
    std::vector<std::uint32_t> digests_;
};

LOOKAHEAD_REGISTER_WORKLOAD(StoreGpu, storegpu)

}  // namespace lookahead::workloads::storegpu
