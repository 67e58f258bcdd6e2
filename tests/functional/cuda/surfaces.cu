// Surface objects: 1D, 2D, 3D and layered arrays, written and read in kernels, all widths and boundary modes, and then
// read through a texture of the same array.
#include <cstring>
#include <vector>

#include "check.h"

__global__ void invert(cudaSurfaceObject_t image, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width || y >= height) return;
    uchar4 pixel;
    surf2Dread(&pixel, image, x * 4, y);
    surf2Dwrite(make_uchar4(255 - pixel.x, 255 - pixel.y, 255 - pixel.z, pixel.w), image, x * 4, y);
}

/// Each thread reads its neighbours on both sides; beyond the ends they are 0, or the end itself.
__global__ void neighbours(cudaSurfaceObject_t line, int* zero, int* clamped, int width) {
    const int x = threadIdx.x;
    if (x >= width) return;
    zero[x] = surf1Dread<int>(line, (x - 1) * 4, cudaBoundaryModeZero) +
              surf1Dread<int>(line, (x + 1) * 4, cudaBoundaryModeZero);
    clamped[x] = surf1Dread<int>(line, (x - 1) * 4, cudaBoundaryModeClamp) +
                 surf1Dread<int>(line, (x + 1) * 4, cudaBoundaryModeClamp);
}

/// Only elements inside are written.
__global__ void fill_volume(cudaSurfaceObject_t volume) {
    const int x = static_cast<int>(threadIdx.x) - 1, y = static_cast<int>(blockIdx.x) - 1, z = blockIdx.y;
    surf3Dwrite(static_cast<short>(x + 10 * y + 100 * z), volume, x * 2, y, z, cudaBoundaryModeZero);
}

__global__ void fill_layers(cudaSurfaceObject_t layers) {
    const int x = threadIdx.x, y = blockIdx.x, layer = blockIdx.y;
    surf2DLayeredwrite(make_float4(x, y, layer, 1.0f), layers, x * 16, y, layer);
}

__global__ void sample(cudaTextureObject_t layers, float* sums) {
    const float4 value = tex2DLayered<float4>(layers, threadIdx.x + 0.5f, blockIdx.x + 0.5f, blockIdx.y);
    sums[threadIdx.x + blockDim.x * (blockIdx.x + gridDim.x * blockIdx.y)] =
        value.x + 10 * value.y + 100 * value.z + 1000 * value.w;
}

static cudaResourceDesc resource_of(cudaArray_t array) {
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array) {
    const cudaResourceDesc resource = resource_of(array);
    cudaSurfaceObject_t surface = 0;
    CUDA_CHECK(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

static void image() {
    const int width = 37, height = 5;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array;
    CUDA_CHECK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
    std::vector<unsigned char> bytes(width * height * 4), results(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7);
    CUDA_CHECK(cudaMemcpy2DToArray(array, 0, 0, bytes.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
    const cudaSurfaceObject_t surface = surface_of(array);
    invert<<<dim3(2, height), 32>>>(surface, width, height);
    CUDA_CHECK(
        cudaMemcpy2DFromArray(results.data(), width * 4, array, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT(results[i] == (i % 4 == 3 ? bytes[i] : 255 - bytes[i]));
    CUDA_CHECK(cudaDestroySurfaceObject(surface));
    CUDA_CHECK(cudaFreeArray(array));
}

static void line() {
    const int width = 20;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    CUDA_CHECK(cudaMallocArray(&array, &format, width, 0, cudaArraySurfaceLoadStore));
    std::vector<int> values(width), zero(width), clamped(width);
    for (int i = 0; i < width; ++i) values[i] = i * i + 1;
    CUDA_CHECK(cudaMemcpy2DToArray(array, 0, 0, values.data(), width * 4, width * 4, 1, cudaMemcpyHostToDevice));
    int *d_zero, *d_clamped;
    CUDA_CHECK(cudaMalloc(&d_zero, width * 4));
    CUDA_CHECK(cudaMalloc(&d_clamped, width * 4));
    neighbours<<<1, 32>>>(surface_of(array), d_zero, d_clamped, width);
    CUDA_CHECK(cudaMemcpy(zero.data(), d_zero, width * 4, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(clamped.data(), d_clamped, width * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width; ++i) {
        const int before = i == 0 ? 0 : values[i - 1], after = i == width - 1 ? 0 : values[i + 1];
        EXPECT(zero[i] == before + after);
        EXPECT(clamped[i] == (i == 0 ? values[0] : before) + (i == width - 1 ? values[i] : after));
    }
}

static void volume() {
    const int width = 6, height = 4, depth = 3;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<short>();
    const cudaExtent extent = make_cudaExtent(width, height, depth);
    cudaArray_t array;
    CUDA_CHECK(cudaMalloc3DArray(&array, &format, extent, cudaArraySurfaceLoadStore));
    fill_volume<<<dim3(height + 2, depth + 1), width + 2>>>(surface_of(array));
    std::vector<short> results(width * height * depth);
    cudaMemcpy3DParms copy;
    std::memset(&copy, 0, sizeof copy);
    copy.srcArray = array;
    copy.dstPtr = make_cudaPitchedPtr(results.data(), width * 2, width, height);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    CUDA_CHECK(cudaMemcpy3D(&copy));
    for (int i = 0; i < width * height * depth; ++i)
        EXPECT(results[i] == i % width + 10 * (i / width % height) + 100 * (i / width / height));
}

static void layers() {
    const int width = 8, height = 3, count = 4;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
    cudaArray_t array;
    CUDA_CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, count),
                                 cudaArrayLayered | cudaArraySurfaceLoadStore));
    fill_layers<<<dim3(height, count), width>>>(surface_of(array));
    const cudaResourceDesc resource = resource_of(array);
    cudaTextureDesc sampling;
    std::memset(&sampling, 0, sizeof sampling);
    cudaTextureObject_t texture;
    CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
    float* sums;
    std::vector<float> results(width * height * count);
    CUDA_CHECK(cudaMalloc(&sums, results.size() * 4));
    sample<<<dim3(height, count), width>>>(texture, sums);
    CUDA_CHECK(cudaMemcpy(results.data(), sums, results.size() * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height * count; ++i)
        EXPECT(results[i] == i % width + 10 * (i / width % height) + 100 * (i / width / height) + 1000);
}

int main() {
    cudaArray_t plain;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CUDA_CHECK(cudaMallocArray(&plain, &format, 8));
    const cudaResourceDesc resource = resource_of(plain);
    cudaSurfaceObject_t surface;
    const bool refused = cudaCreateSurfaceObject(&surface, &resource) == cudaErrorInvalidValue;
    cudaGetLastError();
    EXPECT(refused);
    image();
    line();
    volume();
    layers();
    return finish("surfaces");
}
