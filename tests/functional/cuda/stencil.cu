// Ten steps of a five-point stencil over two streams' worth of calls, with a copy on the device and pitched rows.
#include <cstdio>
#include <vector>

__device__ float weighted(float centre, float around) {
    return 0.5f * centre + 0.125f * around;
}

__global__ void step(const float* from, float* to, int width, int height, size_t pitch) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= 0 || y <= 0 || x >= width - 1 || y >= height - 1) return;
    const float around =
        from[(y - 1) * pitch + x] + from[(y + 1) * pitch + x] + from[y * pitch + x - 1] + from[y * pitch + x + 1];
    to[y * pitch + x] = weighted(from[y * pitch + x], around);
}

int main() {
    const int width = 40, height = 24, steps = 10;
    std::vector<float> host(width * height), got(width * height);
    for (int i = 0; i < width * height; ++i) host[i] = (i * 37) % 64;
    float *a, *b;
    size_t pitch;
    cudaMallocPitch((void**)&a, &pitch, width * sizeof(float), height);
    cudaMallocPitch((void**)&b, &pitch, width * sizeof(float), height);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    const size_t row = width * sizeof(float);
    cudaMemset(a, 0, pitch * height);
    cudaMemcpy2D(a, pitch, host.data(), row, row, height, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(b, a, pitch * height, cudaMemcpyDeviceToDevice, stream);
    const dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
    for (int i = 0; i < steps; ++i) {
        step<<<grid, block, 0, stream>>>(i % 2 ? b : a, i % 2 ? a : b, width, height, pitch / sizeof(float));
    }
    cudaStreamSynchronize(stream);
    cudaMemcpy2D(got.data(), row, a, pitch, row, height, cudaMemcpyDeviceToHost);
    std::vector<float> next = host;
    for (int i = 0; i < steps; ++i) {
        for (int y = 1; y < height - 1; ++y)
            for (int x = 1; x < width - 1; ++x) {
                const int at = y * width + x;
                next[at] =
                    0.5f * host[at] + 0.125f * (host[at - width] + host[at + width] + host[at - 1] + host[at + 1]);
            }
        host = next;
    }
    int wrong = 0;
    for (int i = 0; i < width * height; ++i) wrong += std::abs(got[i] - host[i]) > 1e-4f;
    const cudaError_t error = cudaGetLastError();
    const bool correct = wrong == 0 && error == cudaSuccess;
    std::printf("%d wrong, centre %.4f, last error %s: %s\n", wrong, got[height / 2 * width + width / 2],
                cudaGetErrorName(error), correct ? "correct" : "wrong");
    return !correct;
}
