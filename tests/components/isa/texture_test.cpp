#include "components/isa/texture.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "components/isa/instruction.h"

using namespace lookahead::isa;

namespace {

Instruction fetch(TextureGeometry geometry, Type coordinate = Type::f32) {
    Instruction instruction;
    instruction.operation = Operation::texture;
    instruction.type = Type::f32;
    instruction.source_type = coordinate;
    instruction.mode = texture_mode(geometry);
    return instruction;
}

/// A texture and its memory, which begins at address 1024.
struct Image {
    TextureDescriptor descriptor;
    std::vector<std::byte> memory;

    Image(std::uint32_t width, std::uint32_t height, std::uint32_t depth, unsigned channels = 1,
          unsigned channel_bytes = 4, ChannelKind kind = ChannelKind::floating) {
        descriptor.base = 1024;
        descriptor.width = width;
        descriptor.height = height;
        descriptor.depth = depth;
        descriptor.channels = static_cast<std::uint8_t>(channels);
        descriptor.channel_bytes = static_cast<std::uint8_t>(channel_bytes);
        descriptor.kind = kind;
        descriptor.row_pitch = (width + 1) * descriptor.texel_bytes();  // one more than needed
        descriptor.slice_pitch = std::uint64_t{descriptor.row_pitch} * (height + 2);
        memory.resize(descriptor.bytes());
        REQUIRE(descriptor.is_valid());
    }
    std::byte* at(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        return memory.data() + z * descriptor.slice_pitch + y * descriptor.row_pitch + x * descriptor.texel_bytes();
    }
    void fill_floats(std::uint32_t seed) {
        std::mt19937 random(seed);
        for (std::uint32_t z = 0; z < descriptor.depth; ++z) {
            for (std::uint32_t y = 0; y < descriptor.height; ++y) {
                for (std::uint32_t x = 0; x < descriptor.width; ++x) {
                    for (unsigned c = 0; c < descriptor.channels; ++c) {
                        const float value = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 8;
                        std::memcpy(at(x, y, z) + 4 * c, &value, 4);
                    }
                }
            }
        }
    }
    float value(std::uint32_t x, std::uint32_t y, std::uint32_t z, unsigned c = 0) {
        float result;
        std::memcpy(&result, at(x, y, z) + 4 * c, 4);
        return result;
    }
    std::vector<std::uint32_t> read(const Instruction& instruction, std::vector<std::uint32_t> coordinates) {
        coordinates.resize(3);
        const TextureSample sample = locate(descriptor, instruction, coordinates.data());
        std::byte texels[kMaximumTexels][kMaximumTexelBytes];
        for (unsigned i = 0; i < sample.texels; ++i) {
            if (sample.address[i] == TextureSample::kBorder) { continue; }
            REQUIRE(sample.address[i] >= 1024);
            REQUIRE(sample.address[i] + descriptor.texel_bytes() <= 1024 + memory.size());
            std::memcpy(texels[i], memory.data() + (sample.address[i] - 1024), descriptor.texel_bytes());
        }
        std::vector<std::uint32_t> words(4);
        filter(descriptor, instruction, sample, texels, words.data());
        return words;
    }
    float sample(const Instruction& instruction, const std::vector<float>& point, unsigned channel = 0) {
        std::vector<std::uint32_t> bits;
        for (const float each : point) { bits.push_back(std::bit_cast<std::uint32_t>(each)); }
        return std::bit_cast<float>(read(instruction, bits)[channel]);
    }
};

/// The plain reference: address modes as functions of whole, unbounded indices.
long index_of(long i, long n, AddressMode mode) {
    switch (mode) {
        case AddressMode::wrap:
            return ((i % n) + n) % n;
        case AddressMode::mirror:
            i = ((i % (2 * n)) + 2 * n) % (2 * n);
            return i < n ? i : 2 * n - 1 - i;
        case AddressMode::border:
            return i < 0 || i >= n ? -1 : i;
        default:
            return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

/// The formulas of the CUDA C++ Programming Guide, "Linear Filtering", one dimension after the other.
double reference(Image& image, const std::vector<double>& u, std::vector<long> index = {}) {
    const TextureDescriptor& d = image.descriptor;
    const std::size_t dimension = index.size();
    if (dimension == u.size()) {
        index.resize(3, 0);
        const long sizes[] = {d.width, d.height, d.depth};
        for (std::size_t i = 0; i < u.size(); ++i) {
            index[i] = index_of(index[i], sizes[i], d.address[i]);
            if (index[i] < 0) { return d.border[0]; }
        }
        return image.value(static_cast<std::uint32_t>(index[0]), static_cast<std::uint32_t>(index[1]),
                           static_cast<std::uint32_t>(index[2]));
    }
    const auto with = [&index](double i) {
        std::vector<long> longer = index;
        longer.push_back(static_cast<long>(i));
        return longer;
    };
    if (d.filter == FilterMode::point) { return reference(image, u, with(std::floor(u[dimension]))); }
    const double b = u[dimension] - 0.5;
    double i = std::floor(b);
    const double alpha = std::floor((b - i) * 256 + 0.5) / 256;
    return (1 - alpha) * reference(image, u, with(i)) + alpha * reference(image, u, with(i + 1));
}

constexpr AddressMode kModes[] = {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border};

}  // namespace

TEST_CASE("Sampling is CUDA's formula in every dimension, with every address mode and filter") {
    std::mt19937 random(20);
    const TextureGeometry geometries[] = {TextureGeometry::d1, TextureGeometry::d2, TextureGeometry::d3};
    for (unsigned dimensions = 1; dimensions <= 3; ++dimensions) {
        for (const AddressMode mode : kModes) {
            for (const FilterMode filter_mode : {FilterMode::point, FilterMode::linear}) {
                for (const bool normalised : {false, true}) {
                    CAPTURE(dimensions);
                    CAPTURE(static_cast<int>(mode));
                    CAPTURE(static_cast<int>(filter_mode));
                    CAPTURE(normalised);
                    Image image(8, dimensions > 1 ? 4 : 1, dimensions > 2 ? 2 : 1);
                    image.fill_floats(dimensions);
                    for (AddressMode& each : image.descriptor.address) { each = mode; }
                    image.descriptor.filter = filter_mode;
                    image.descriptor.normalised_coordinates = normalised;
                    image.descriptor.border[0] = 7.5f;
                    const double sizes[] = {8, 4, 2};
                    // Wrapping and mirroring exist for normalised coordinates only; others are clamped.
                    Image expected = image;
                    if (!normalised && mode != AddressMode::border) {
                        for (AddressMode& each : expected.descriptor.address) { each = AddressMode::clamp; }
                    }
                    for (int i = 0; i < 400; ++i) {
                        std::vector<float> point;
                        std::vector<double> u;
                        for (unsigned d = 0; d < dimensions; ++d) {
                            // In 1/256 of a texel, from two sizes before to two sizes after.
                            const double texels = (static_cast<double>(random() % 5000) / 5000 * 5 - 2) * sizes[d];
                            // A point between two texels belongs to either, depending on how a mirror is counted.
                            const double between = filter_mode == FilterMode::point ? 1.0 / 512 : 0;
                            u.push_back(std::floor(texels * 256) / 256 + between);
                            point.push_back(static_cast<float>(normalised ? u[d] / sizes[d] : u[d]));
                        }
                        const float got = image.sample(fetch(geometries[dimensions - 1]), point);
                        CHECK(got == doctest::Approx(reference(expected, u)).epsilon(1e-6));
                    }
                }
            }
        }
    }
}

TEST_CASE("Fractions have 8 bits and are rounded; the next texel is reached half a step before it") {
    Image image(2, 1, 1);
    const float values[] = {0, 256};
    std::memcpy(image.at(0, 0, 0), values, 8);
    image.descriptor.filter = FilterMode::linear;
    CHECK(image.sample(fetch(TextureGeometry::d1), {0.5f + 100.0f / 256}) == 100);
    CHECK(image.sample(fetch(TextureGeometry::d1), {0.5f + 100.49f / 256}) == 100);
    CHECK(image.sample(fetch(TextureGeometry::d1), {0.5f + 100.5f / 256}) == 101);
    CHECK(image.sample(fetch(TextureGeometry::d1), {1.5f - 0.5f / 256}) == 256);
}

TEST_CASE("Every channel format is read as CUDA reads it, as stored and as fractions") {
    for (const ChannelKind kind : {ChannelKind::signed_integer, ChannelKind::unsigned_integer, ChannelKind::floating}) {
        for (const unsigned bytes : {1u, 2u, 4u}) {
            for (const unsigned channels : {1u, 2u, 4u}) {
                if (kind == ChannelKind::floating && bytes == 1) { continue; }
                CAPTURE(static_cast<int>(kind));
                CAPTURE(bytes);
                CAPTURE(channels);
                Image image(4, 1, 1, channels, bytes, kind);
                // The width's least and greatest values, and two between.
                const std::uint32_t patterns[] = {1u << (8 * bytes - 1), (1u << (8 * bytes - 1)) - 1, 0, 0x3c};
                for (std::uint32_t x = 0; x < 4; ++x) {
                    for (unsigned c = 0; c < channels; ++c) {
                        std::memcpy(image.at(x, 0, 0) + c * bytes, &patterns[(x + c) % 4], bytes);
                    }
                }
                for (std::uint32_t x = 0; x < 4; ++x) {
                    const auto words = image.read(fetch(TextureGeometry::d1, Type::s32), {x});
                    for (unsigned c = 0; c < 4; ++c) {
                        const std::uint32_t pattern = patterns[(x + c) % 4];
                        const bool is_float = kind == ChannelKind::floating;
                        std::uint32_t expected = pattern;
                        if (c >= channels) {
                            expected = c < 3 ? 0 : is_float ? 0x3f800000 : 1;
                        } else if (kind == ChannelKind::signed_integer && bytes < 4 &&
                                   pattern >> (8 * bytes - 1) != 0) {
                            expected |= ~0u << (8 * bytes);
                        } else if (is_float && bytes == 2) {
                            continue;  // tested below, as half
                        }
                        CHECK(words[c] == expected);
                    }
                }
            }
        }
    }
    Image half(4, 1, 1, 1, 2, ChannelKind::floating);
    const std::uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x7bff};
    std::memcpy(half.at(0, 0, 0), halves, 8);
    const float expected[] = {1, -2, 0x1p-24f, 65504};
    for (std::uint32_t x = 0; x < 4; ++x) {
        CHECK(std::bit_cast<float>(half.read(fetch(TextureGeometry::d1, Type::s32), {x})[0]) == expected[x]);
    }

    const auto fraction = [](auto value, ChannelKind kind) {
        Image image(1, 1, 1, 1, sizeof value, kind);
        image.descriptor.normalised_values = 1;
        std::memcpy(image.at(0, 0, 0), &value, sizeof value);
        return image.sample(fetch(TextureGeometry::d1), {0.5f});
    };
    CHECK(fraction(std::uint8_t{255}, ChannelKind::unsigned_integer) == 1);
    CHECK(fraction(std::uint8_t{51}, ChannelKind::unsigned_integer) == 0.2f);
    CHECK(fraction(std::int8_t{-128}, ChannelKind::signed_integer) == -1);
    CHECK(fraction(std::int8_t{-127}, ChannelKind::signed_integer) == -1);
    CHECK(fraction(std::int8_t{127}, ChannelKind::signed_integer) == 1);
    CHECK(fraction(std::uint16_t{65535}, ChannelKind::unsigned_integer) == 1);
    CHECK(fraction(std::int16_t{-32768}, ChannelKind::signed_integer) == -1);
    CHECK(fraction(std::int16_t{16384}, ChannelKind::signed_integer) == 16384.0f / 32767.0f);
}

TEST_CASE("Whole coordinates name texels, outside them is the border or the edge; layers are clamped") {
    Image image(5, 3, 4);
    image.fill_floats(3);
    const auto at = [&](std::vector<int> point, TextureGeometry geometry) {
        std::vector<std::uint32_t> bits(point.begin(), point.end());
        return std::bit_cast<float>(image.read(fetch(geometry, Type::s32), bits)[0]);
    };
    CHECK(at({4, 2}, TextureGeometry::d2) == image.value(4, 2, 0));
    CHECK(at({-3, 9}, TextureGeometry::d2) == image.value(0, 2, 0));
    CHECK(at({3, 4, 2}, TextureGeometry::a2d) == image.value(4, 2, 3));
    CHECK(at({9, 1, 1}, TextureGeometry::a2d) == image.value(1, 1, 3));
    CHECK(at({1, 2}, TextureGeometry::a1d) == image.value(2, 0, 1));
    for (AddressMode& each : image.descriptor.address) { each = AddressMode::border; }
    image.descriptor.border[0] = -1;
    CHECK(at({-1, 0}, TextureGeometry::d2) == -1);
    CHECK(at({0, 3}, TextureGeometry::d2) == -1);
    CHECK(at({4, 2, 3}, TextureGeometry::d3) == image.value(4, 2, 3));
    CHECK(at({4, 2, 4}, TextureGeometry::d3) == -1);
}

TEST_CASE("Coordinates that are no numbers or are huge still name a texel") {
    Image image(4, 1, 1);
    image.fill_floats(4);
    const float infinity = std::numeric_limits<float>::infinity();
    for (const AddressMode mode : {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror}) {
        for (const FilterMode filter_mode : {FilterMode::point, FilterMode::linear}) {
            for (const bool normalised : {false, true}) {
                for (const float x : {std::nanf(""), infinity, -infinity, 1e38f, -1e38f, -1e-38f, 0x1.fffffep-1f}) {
                    image.descriptor.address[0] = mode;
                    image.descriptor.filter = filter_mode;
                    image.descriptor.normalised_coordinates = normalised;
                    CHECK(std::isfinite(image.sample(fetch(TextureGeometry::d1), {x})));
                }
            }
        }
    }
    image.descriptor.address[0] = AddressMode::clamp;
    CHECK(image.sample(fetch(TextureGeometry::d1), {infinity}) == image.value(3, 0, 0));
    CHECK(image.sample(fetch(TextureGeometry::d1), {-infinity}) == image.value(0, 0, 0));
}

TEST_CASE("A direction meets a cube's face at CUDA's coordinates, and no sample reaches over an edge") {
    constexpr std::uint32_t kSize = 4;
    Image image(kSize, kSize, 6);
    image.fill_floats(4);
    const auto read = [&](float x, float y, float z) {
        const std::vector<std::uint32_t> bits{std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y),
                                              std::bit_cast<std::uint32_t>(z)};
        return std::bit_cast<float>(image.read(fetch(TextureGeometry::cube), bits)[0]);
    };
    // The guide's table inverted: the direction of the point (s, t) in [-1, 1] x [-1, 1] of each face.
    const auto on_face = [&](std::uint32_t face, float s, float t, float length) {
        const float directions[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
        const float* const d = directions[face];
        return read(length * d[0], length * d[1], length * d[2]);
    };
    for (const FilterMode mode : {FilterMode::point, FilterMode::linear}) {
        image.descriptor.filter = mode;
        for (std::uint32_t face = 0; face < 6; ++face) {
            for (std::uint32_t y = 0; y < kSize; ++y) {
                for (std::uint32_t x = 0; x < kSize; ++x) {
                    CHECK(on_face(face, (static_cast<float>(x) + 0.5f) / 2 - 1, (static_cast<float>(y) + 0.5f) / 2 - 1,
                                  0.125f) == image.value(x, y, face));
                }
            }
        }
    }
    for (AddressMode& each : image.descriptor.address) { each = AddressMode::wrap; }
    CHECK(on_face(3, -0.96875f, 0.25f, 8) == image.value(0, 2, 3));
    CHECK(on_face(0, 0, -0.25f, 2) == (image.value(1, 1, 0) + image.value(2, 1, 0)) / 2);
    // Every direction and texture gives a texel.
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const float odd : {0.0f, nan, std::numeric_limits<float>::infinity()}) { read(odd, 0, odd); }
    Image flat(kSize, kSize, 1);
    flat.fill_floats(5);
    std::swap(image, flat);
    CHECK(read(0.1f, 0.1f, -1) == read(0.1f, 0.1f, -2));
}

TEST_CASE("A gather takes one component of the four texels around a point, in PTX's order") {
    Image image(4, 4, 1, 4);
    image.fill_floats(5);
    Instruction gather = fetch(TextureGeometry::d2);
    gather.mode = gather_mode(2);
    const auto words = image.read(gather, {std::bit_cast<std::uint32_t>(2.0f), std::bit_cast<std::uint32_t>(1.0f)});
    CHECK(std::bit_cast<float>(words[0]) == image.value(1, 1, 0, 2));
    CHECK(std::bit_cast<float>(words[1]) == image.value(2, 1, 0, 2));
    CHECK(std::bit_cast<float>(words[2]) == image.value(2, 0, 0, 2));
    CHECK(std::bit_cast<float>(words[3]) == image.value(1, 0, 0, 2));
}

TEST_CASE("What is no descriptor is found out") {
    const auto is_valid_with = [](auto change) {
        Image image(4, 4, 1);
        change(image.descriptor);
        return image.descriptor.is_valid();
    };
    CHECK(is_valid_with([](TextureDescriptor&) {}));
    CHECK_FALSE(is_valid_with([](TextureDescriptor& d) { d.magic ^= 1; }));
    CHECK_FALSE(is_valid_with([](TextureDescriptor& d) { d.width = 0; }));
    CHECK_FALSE(is_valid_with([](TextureDescriptor& d) { d.channels = 3; }));
    CHECK_FALSE(is_valid_with([](TextureDescriptor& d) { d.base = 1026; }));
    CHECK_FALSE(is_valid_with([](TextureDescriptor& d) { d.channel_bytes = 1; }));
    CHECK_FALSE(is_valid_with([](TextureDescriptor& d) { d.address[1] = static_cast<AddressMode>(4); }));
}
