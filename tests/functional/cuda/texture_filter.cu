// Textures by object: arrays of one, two and three dimensions and layers, linear and pitched memory, point and linear
// filtering, every address mode. The host knows what interpolation gives to within the 8 bits of its fractions.
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int kWidth = 37, kHeight = 21, kDepth = 5;

__global__ void fetch_linear(cudaTextureObject_t texture, int n, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float>(texture, i - 2);
}

__global__ void sample_1d(cudaTextureObject_t texture, float begin, float step, int n, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<float>(texture, begin + step * i);
}

__global__ void sample_2d(cudaTextureObject_t texture, float begin, float step, float* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < kWidth && y < kHeight) out[y * kWidth + x] = tex2D<float>(texture, begin + step * x, begin + step * y);
}

__global__ void sample_3d(cudaTextureObject_t texture, float* out) {
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    if (x < kWidth) out[(z * kHeight + y) * kWidth + x] = tex3D<float>(texture, x + 0.75f, y + 0.5f, z + 0.25f);
}

__global__ void sample_layers(cudaTextureObject_t texture, float* out) {
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    if (x < kWidth) out[(z * kHeight + y) * kWidth + x] = tex2DLayered<float>(texture, x + 0.5f, y + 0.5f, z);
}

__global__ void sample_pixels(cudaTextureObject_t texture, float4* out) {
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < kWidth) out[y * kWidth + x] = tex2D<float4>(texture, x + 0.5f, y + 0.5f);
}

__global__ void gather(cudaTextureObject_t texture, float4* out) {
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < kWidth) out[y * kWidth + x] = tex2Dgather<float4>(texture, x + 1.0f, y + 1.0f, 0);
}

float element(int x, int y, int z) {
    return static_cast<float>((x * 7 + y * 13 + z * 29) % 64) - 20.0f;
}
int clamp(int i, int n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

int failures = 0;
void expect(const char* what, int i, float got, float wanted, float tolerance) {
    if (std::fabs(got - wanted) <= tolerance) return;
    if (++failures < 10) std::printf("%s %d: %f, not %f\n", what, i, got, wanted);
}

cudaTextureObject_t make(const cudaResourceDesc& resource, cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                         bool normalised, cudaTextureReadMode read = cudaReadModeElementType) {
    cudaTextureDesc sampling = {};
    for (auto& each : sampling.addressMode) each = mode;
    sampling.filterMode = filter;
    sampling.readMode = read;
    sampling.normalizedCoords = normalised;
    sampling.borderColor[0] = 0.0f;
    cudaTextureObject_t texture = 0;
    if (cudaCreateTextureObject(&texture, &resource, &sampling, nullptr) != cudaSuccess) ++failures;
    return texture;
}

template <class T>
std::vector<T> download(const T* device, std::size_t count) {
    std::vector<T> host(count);
    cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
}

/// Index of a texel by CUDA's address modes; -1 is the border.
int index_of(int i, int n, cudaTextureAddressMode mode) {
    switch (mode) {
        case cudaAddressModeWrap:
            return ((i % n) + n) % n;
        case cudaAddressModeMirror:
            i = ((i % (2 * n)) + 2 * n) % (2 * n);
            return i < n ? i : 2 * n - 1 - i;
        case cudaAddressModeBorder:
            return i < 0 || i >= n ? -1 : i;
        default:
            return clamp(i, n);
    }
}

void test_1d(float* out) {
    std::vector<float> values(kWidth);
    for (int x = 0; x < kWidth; ++x) values[x] = element(x, 0, 0);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, kWidth);
    cudaMemcpy2DToArray(array, 0, 0, values.data(), kWidth * 4, kWidth * 4, 1, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    constexpr int kSamples = 300;
    for (const auto mode : {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder})
        for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
            const cudaTextureObject_t texture = make(resource, mode, filter, true);
            const float begin = -1.3f, step = 0.0123f;
            sample_1d<<<(kSamples + 63) / 64, 64>>>(texture, begin, step, kSamples, out);
            const auto got = download(out, kSamples);
            const auto at = [&](int i) {
                const int place = index_of(i, kWidth, mode);
                return place < 0 ? 0.0f : values[place];
            };
            for (int i = 0; i < kSamples; ++i) {
                const double u = (begin + step * static_cast<double>(i)) * kWidth;
                if (filter == cudaFilterModePoint) {
                    if (std::fabs(u - std::round(u)) < 1e-3) continue;  // which texel is a matter of rounding
                    expect("1d point", i, got[i], at(static_cast<int>(std::floor(u))), 0);
                    continue;
                }
                const double below = std::floor(u - 0.5), fraction = u - 0.5 - below;
                const int lower = static_cast<int>(below);
                expect("1d linear", i, got[i],
                       static_cast<float>((1 - fraction) * at(lower) + fraction * at(lower + 1)), 64.0f / 256 + 1e-3f);
            }
            cudaDestroyTextureObject(texture);
        }
    cudaFreeArray(array);
}

void test_linear_memory(float* out) {
    std::vector<float> values(100);
    for (int i = 0; i < 100; ++i) values[i] = element(i, 1, 0);
    float* device = nullptr;
    cudaMalloc(&device, sizeof(float) * 100);
    cudaMemcpy(device, values.data(), sizeof(float) * 100, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = sizeof(float) * 100;
    const cudaTextureObject_t texture = make(resource, cudaAddressModeClamp, cudaFilterModePoint, false);
    fetch_linear<<<2, 64>>>(texture, 110, out);
    const auto got = download(out, 110);
    for (int i = 0; i < 110; ++i) expect("linear memory", i, got[i], i < 2 || i >= 102 ? 0 : values[i - 2], 0);
    cudaDestroyTextureObject(texture);
    cudaFree(device);
}

void test_pitched_memory(float* out) {
    float* device = nullptr;
    std::size_t pitch = 0;
    cudaMallocPitch(&device, &pitch, kWidth * sizeof(float), kHeight);
    std::vector<float> values(kWidth * kHeight);
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) values[y * kWidth + x] = element(x, y, 0);
    cudaMemcpy2D(device, pitch, values.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = device;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = kWidth;
    resource.res.pitch2D.height = kHeight;
    resource.res.pitch2D.pitchInBytes = pitch;
    const cudaTextureObject_t texture = make(resource, cudaAddressModeClamp, cudaFilterModeLinear, false);
    sample_2d<<<dim3((kWidth + 15) / 16, (kHeight + 7) / 8), dim3(16, 8)>>>(texture, -0.75f, 1.125f, out);
    const auto got = download(out, kWidth * kHeight);
    const auto at = [&](int x, int y) { return values[clamp(y, kHeight) * kWidth + clamp(x, kWidth)]; };
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            const float u = -0.75f + 1.125f * x - 0.5f, v = -0.75f + 1.125f * y - 0.5f;
            const int i = static_cast<int>(std::floor(u)), j = static_cast<int>(std::floor(v));
            const float a = u - i, b = v - j;
            const float wanted = (1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) +
                                 (1 - a) * b * at(i, j + 1) + a * b * at(i + 1, j + 1);
            expect("pitched memory", y * kWidth + x, got[y * kWidth + x], wanted, 1e-4f);  // the fractions are exact
        }
    cudaDestroyTextureObject(texture);
    cudaFree(device);
}

void test_3d_and_layers(float* out) {
    std::vector<float> values(kWidth * kHeight * kDepth);
    for (int z = 0; z < kDepth; ++z)
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) values[(z * kHeight + y) * kWidth + x] = element(x, y, z);
    const auto at = [&](int x, int y, int z) {
        return values[(clamp(z, kDepth) * kHeight + clamp(y, kHeight)) * kWidth + clamp(x, kWidth)];
    };
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    for (const unsigned flags : {cudaArrayDefault, cudaArrayLayered}) {
        cudaArray_t array = nullptr;
        cudaMalloc3DArray(&array, &format, make_cudaExtent(kWidth, kHeight, kDepth), flags);
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(values.data(), kWidth * sizeof(float), kWidth, kHeight);
        copy.dstArray = array;
        copy.extent = make_cudaExtent(kWidth, kHeight, kDepth);
        copy.kind = cudaMemcpyHostToDevice;
        if (cudaMemcpy3D(&copy) != cudaSuccess) ++failures;
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        const cudaTextureObject_t texture = make(resource, cudaAddressModeClamp, cudaFilterModeLinear, false);
        if (flags == cudaArrayDefault)
            sample_3d<<<dim3(kHeight, kDepth), 64>>>(texture, out);
        else
            sample_layers<<<dim3(kHeight, kDepth), 64>>>(texture, out);
        const auto got = download(out, kWidth * kHeight * kDepth);
        for (int z = 0; z < kDepth; ++z)
            for (int y = 0; y < kHeight; ++y)
                for (int x = 0; x < kWidth; ++x) {
                    const float below = 0.75f * at(x, y, z - 1) + 0.25f * at(x + 1, y, z - 1);
                    const float here = 0.75f * at(x, y, z) + 0.25f * at(x + 1, y, z);
                    expect("3d", x, got[(z * kHeight + y) * kWidth + x],
                           flags == cudaArrayDefault ? 0.25f * below + 0.75f * here : at(x, y, z), 1e-4f);
                }
        cudaDestroyTextureObject(texture);
        cudaFreeArray(array);
    }
}

void test_pixels(float* out) {
    std::vector<uchar4> pixels(kWidth * kHeight);
    for (int i = 0; i < kWidth * kHeight; ++i) pixels[i] = make_uchar4(i % 256, 255, i * 5 % 256, 255 - i % 256);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, kWidth, kHeight);
    cudaMemcpy2DToArray(array, 0, 0, pixels.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    const cudaTextureObject_t texture =
        make(resource, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat);
    auto* const out4 = reinterpret_cast<float4*>(out);
    sample_pixels<<<kHeight, 64>>>(texture, out4);
    const auto got = download(out4, kWidth * kHeight);
    for (int i = 0; i < kWidth * kHeight; ++i) {
        expect("pixel x", i, got[i].x, pixels[i].x / 255.0f, 0);
        expect("pixel y", i, got[i].y, 1, 0);
        expect("pixel w", i, got[i].w, pixels[i].w / 255.0f, 0);
    }
    gather<<<kHeight, 64>>>(texture, out4);
    const auto four = download(out4, kWidth * kHeight);
    const auto red = [&](int x, int y) { return pixels[clamp(y, kHeight) * kWidth + clamp(x, kWidth)].x / 255.0f; };
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            expect("gather x", x, four[y * kWidth + x].x, red(x, y + 1), 0);
            expect("gather y", x, four[y * kWidth + x].y, red(x + 1, y + 1), 0);
            expect("gather z", x, four[y * kWidth + x].z, red(x + 1, y), 0);
            expect("gather w", x, four[y * kWidth + x].w, red(x, y), 0);
        }
    std::vector<uchar4> back(kWidth * kHeight);
    cudaMemcpy2DFromArray(back.data(), kWidth * 4, array, 0, 0, kWidth * 4, kHeight, cudaMemcpyDeviceToHost);
    for (int i = 0; i < kWidth * kHeight; ++i) expect("copied back", i, back[i].z, pixels[i].z, 0);
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
}

}  // namespace

int main() {
    float* out = nullptr;
    cudaMalloc(&out, sizeof(float) * kWidth * kHeight * kDepth);
    test_linear_memory(out);
    test_1d(out);
    test_pitched_memory(out);
    test_3d_and_layers(out);
    test_pixels(out);
    cudaFree(out);
    if (cudaGetLastError() != cudaSuccess) ++failures;
    std::printf("%s\n", failures == 0 ? "correct" : "wrong");
    return failures == 0 ? 0 : 1;
}
