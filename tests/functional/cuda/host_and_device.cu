// The same functions on the host and in a kernel: integers of up to 128 bits alike, mathematics nearly so.
#include <cmath>
#include <cstdint>

#include "check.h"

using Wide = unsigned __int128;
using SignedWide = __int128;

struct Input {
    std::uint64_t a, b, c;
    double x, y;
    float f, g;
};
struct Output {
    std::uint64_t integers[20];
    double doubles[20];
    float floats[16];
};

__host__ __device__ void compute(const Input& in, Output& out) {
    const Wide both = static_cast<Wide>(in.a) << 64 | in.b;
    const auto signed_both = static_cast<SignedWide>(both);
    const auto a = static_cast<std::int64_t>(in.a), b = static_cast<std::int64_t>(in.b);
    const auto i = static_cast<int>(in.a), j = static_cast<int>(in.b) | 1;
    const unsigned shift = in.c % 128;
    std::uint64_t* integer = out.integers;
    *integer++ = static_cast<std::uint64_t>(static_cast<Wide>(in.a) * in.b >> 64);
    *integer++ = static_cast<std::uint64_t>(both / (in.c | 1));
    *integer++ = static_cast<std::uint64_t>(both % (in.c | 1));
    *integer++ = static_cast<std::uint64_t>(signed_both / (static_cast<SignedWide>(b) | 1));
    *integer++ = static_cast<std::uint64_t>(signed_both % j);
    *integer++ = static_cast<std::uint64_t>(both << shift) ^ static_cast<std::uint64_t>((both << shift) >> 64);
    *integer++ = static_cast<std::uint64_t>(signed_both >> shift);
    *integer++ = static_cast<std::uint64_t>((both - (static_cast<Wide>(in.c) << 32) + in.b) >> 64);
    *integer++ = signed_both < static_cast<SignedWide>(b) << 50;
    *integer++ = static_cast<std::uint64_t>((a >> 1) / (b | 1));
    *integer++ = static_cast<std::uint64_t>((a >> 1) % j);
    *integer++ = in.a / (in.b >> 33 | 1);
    *integer++ = static_cast<std::uint64_t>(i / 2 / j);
    *integer++ = static_cast<std::uint64_t>(static_cast<std::int16_t>(i) / (static_cast<std::int16_t>(j) | 1));
    *integer++ = static_cast<std::uint64_t>(static_cast<std::int8_t>(i) * static_cast<std::uint16_t>(j));
    *integer++ = static_cast<std::uint64_t>(static_cast<std::int64_t>(in.x * 1e9));
    *integer++ = static_cast<std::uint64_t>(std::llrint(in.y * 1e6));
    *integer++ = static_cast<std::uint64_t>(static_cast<int>(in.f * 1000));
    *integer++ = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<float>(a >> 2)));
    *integer++ = static_cast<std::uint64_t>(std::ilogb(in.x)) + (in.x < in.y) + 2 * (in.f >= in.g);
    double* number = out.doubles;
    for (const double value :
         {in.x / in.y, std::sqrt(std::fabs(in.x)), std::sin(in.x * 1e7), std::tan(in.y), std::exp(in.x / 100),
          std::log(std::fabs(in.y)), std::pow(std::fabs(in.x), 1.37), std::atan2(in.x, in.y), std::sinh(in.y / 100),
          std::cbrt(in.x), std::hypot(in.x, in.y), std::fmod(in.x, in.y), std::remainder(in.x, in.y),
          std::erf(in.x / 500), std::tgamma(std::fabs(in.y) / 50), std::expm1(in.x / 1000), std::rint(in.y),
          std::nextafter(in.x, in.y), static_cast<double>(in.a), std::ldexp(in.x, i % 50)})
        *number++ = value;
    float* single = out.floats;
    for (const float value :
         {in.f / in.g, std::sqrt(std::fabs(in.f)), std::sin(in.f * 1e6f), std::tan(in.g), std::exp(in.f / 100),
          std::log(std::fabs(in.g)), std::pow(std::fabs(in.f), 1.37f), std::atan2(in.f, in.g), std::cbrt(in.g),
          std::hypot(in.f, in.g), std::fmod(in.f, in.g), std::erf(in.f / 500), std::round(in.g),
          static_cast<float>(in.a), static_cast<float>(b), static_cast<float>(in.x)})
        *single++ = value;
}
__global__ void run(const Input* in, Output* out) {
    compute(in[threadIdx.x], out[threadIdx.x]);
}

template <class T>
bool close(T found, T expected, T error) {
    return found == expected || std::fabs(found - expected) <= error * std::fabs(expected);
}

int main() {
    constexpr int kInputs = 32;
    Input* in;
    Output *out, expected;
    CUDA_CHECK(cudaMallocManaged(&in, kInputs * sizeof *in));
    CUDA_CHECK(cudaMallocManaged(&out, kInputs * sizeof *out));
    std::uint64_t state = 88172645463325252;
    const auto random = [&state] {
        state ^= state << 13;
        state ^= state >> 7;
        return state ^= state << 17;
    };
    const auto integer = [&] {
        const std::uint64_t bits = random(), kind = random() % 4, shift = random() % 64;
        return kind == 0 ? bits : kind == 1 ? bits >> shift : kind == 2 ? ~(bits >> shift) : std::uint64_t{1} << shift;
    };
    const auto number = [&] { return static_cast<double>(static_cast<std::int64_t>(random())) / 1e16; };
    for (int i = 0; i < kInputs; ++i)
        in[i] = {integer(), integer(), integer(), number(), number(), static_cast<float>(number()),
                 static_cast<float>(number())};
    run<<<1, kInputs>>>(in, out);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < kInputs; ++i) {
        compute(in[i], expected);
        for (int k = 0; k < 20; ++k) EXPECT(out[i].integers[k] == expected.integers[k]);
        for (int k = 0; k < 20; ++k) EXPECT(close(out[i].doubles[k], expected.doubles[k], 1e-12));
        for (int k = 0; k < 16; ++k) EXPECT(close(out[i].floats[k], expected.floats[k], 1e-6f));
    }
    return finish("host and device");
}
