// A cube map: every texel of every face by its direction; directions between texels.
#include <cstring>
#include <vector>

#include "check.h"

const int size = 8;

/// From the middle of the cube to a point of a face, whose coordinates go from -1 to 1.
__host__ __device__ float3 direction(int face, float s, float t) {
    switch (face) {
        case 0:
            return make_float3(1, -t, -s);
        case 1:
            return make_float3(-1, -t, s);
        case 2:
            return make_float3(s, 1, t);
        case 3:
            return make_float3(s, -1, -t);
        case 4:
            return make_float3(s, -t, 1);
        default:
            return make_float3(-s, -t, -1);
    }
}

__global__ void look(cudaTextureObject_t cube, float step, float* out) {
    const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
    const float s = (x + 0.5f + step) * 2 / size - 1;
    const float t = (y + 0.5f) * 2 / size - 1;
    const float3 d = direction(face, s, t);
    out[(face * size + y) * size + x] = texCubemap<float>(cube, d.x * 3, d.y * 3, d.z * 3);
}

int main() {
    const int n = 6 * size * size;
    std::vector<float> faces(n), got(n);
    for (int i = 0; i < n; ++i) faces[i] = i * 0.5f;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    EXPECT(cudaMalloc3DArray(&array, &format, make_cudaExtent(size, size, 5), cudaArrayCubemap) ==
           cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    CUDA_CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(size, size, 6), cudaArrayCubemap));
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(faces.data(), size * sizeof(float), size, size);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(size, size, 6);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA_CHECK(cudaMemcpy3D(&copy));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc sampling{};
    sampling.normalizedCoords = 1;
    sampling.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t cube;
    CUDA_CHECK(cudaCreateTextureObject(&cube, &resource, &sampling, nullptr));
    float* out;
    CUDA_CHECK(cudaMalloc(&out, n * sizeof(float)));
    for (const float step : {0.0f, 0.5f}) {
        look<<<6, dim3(size, size)>>>(cube, step, out);
        CUDA_CHECK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; ++i)
            if (i % size != size - 1) EXPECT(got[i] == faces[i] + step * 0.5f);  // not over an edge
    }
    CUDA_CHECK(cudaDestroyTextureObject(cube));
    CUDA_CHECK(cudaFreeArray(array));
    return finish("cube map");
}
