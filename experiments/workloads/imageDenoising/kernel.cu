// Two filters against noise in an image of four bytes a pixel, which is read as a texture. A thread makes a pixel: a mean of
// the pixels in a window of 7 x 7 with weights by distance and by likeness, blended with the pixel itself. The likeness is
// of single pixels (k nearest neighbours) or of the windows of 7 x 7 around them (non-local means).
constexpr float kRadius = 3.0f;
constexpr float kInverseArea = 1.0f / 49.0f;

struct Thresholds {
    float weight, part;  // pixels of the window with more than this weight; the part of the window that they must be
};
constexpr Thresholds kNearest{0.02f, 0.79f};
constexpr Thresholds kMeans{0.10f, 0.10f};

__device__ inline float difference(const float4& a, const float4& b) {
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z);
}

struct Mean {
    float r, g, b, weights, part;
};

__device__ inline void add(Mean& mean, const float4& pixel, float weight, float threshold) {
    mean.r += pixel.x * weight;
    mean.g += pixel.y * weight;
    mean.b += pixel.z * weight;
    mean.weights += weight;
    mean.part += weight > threshold ? kInverseArea : 0.0f;
}

__device__ inline float mix(float a, float b, float t) {
    return a + (b - a) * t;
}

__device__ inline unsigned blend(const Mean& mean, const float4& pixel, float own, float threshold) {
    const float scale = 1.0f / mean.weights;
    const float t = mean.part > threshold ? own : 1.0f - own;
    const float r = mix(mean.r * scale, pixel.x, t), g = mix(mean.g * scale, pixel.y, t),
                b = mix(mean.b * scale, pixel.z, t);
    return static_cast<unsigned>(b * 255.0f) << 16 | static_cast<unsigned>(g * 255.0f) << 8 |
           static_cast<unsigned>(r * 255.0f);
}

extern "C" __global__ void denoise_nearest(unsigned* to, cudaTextureObject_t image, int width, int height, float noise,
                                           float own) {
    const int ix = blockDim.x * blockIdx.x + threadIdx.x, iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix >= width || iy >= height) return;
    const float x = ix + 0.5f, y = iy + 0.5f;
    const float4 here = tex2D<float4>(image, x, y);
    Mean mean{};
    for (float i = -kRadius; i <= kRadius; ++i) {
        for (float j = -kRadius; j <= kRadius; ++j) {
            const float4 there = tex2D<float4>(image, x + j, y + i);
            const float weight = __expf(-(difference(here, there) * noise + (i * i + j * j) * kInverseArea));
            add(mean, there, weight, kNearest.weight);
        }
    }
    to[width * iy + ix] = blend(mean, here, own, kNearest.part);
}

extern "C" __global__ void denoise_means(unsigned* to, cudaTextureObject_t image, int width, int height, float noise,
                                         float own) {
    const int ix = blockDim.x * blockIdx.x + threadIdx.x, iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix >= width || iy >= height) return;
    const float x = ix + 0.5f, y = iy + 0.5f;
    Mean mean{};
    for (float i = -kRadius; i <= kRadius; ++i) {
        for (float j = -kRadius; j <= kRadius; ++j) {
            float unlike = 0.0f;
            for (float n = -kRadius; n <= kRadius; ++n) {
                for (float m = -kRadius; m <= kRadius; ++m) {
                    unlike +=
                        difference(tex2D<float4>(image, x + j + m, y + i + n), tex2D<float4>(image, x + m, y + n));
                }
            }
            const float weight = __expf(-(unlike * noise + (i * i + j * j) * kInverseArea));
            add(mean, tex2D<float4>(image, x + j, y + i), weight, kMeans.weight);
        }
    }
    to[width * iy + ix] = blend(mean, tex2D<float4>(image, x, y), own, kMeans.part);
}
