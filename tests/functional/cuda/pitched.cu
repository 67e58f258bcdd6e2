// Memory with a pitch: copies and fillings of rectangles and boxes.
#include "check.h"

__global__ void transform(float* cells, std::size_t pitch, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float* const row = reinterpret_cast<float*>(reinterpret_cast<char*>(cells) + y * pitch);
    row[x] = row[x] * 2 + static_cast<float>(y);
}

int main() {
    const int width = 45, height = 12;
    float in[height][width], out[height][width];
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) in[y][x] = static_cast<float>(x - y);
    float* cells;
    std::size_t pitch = 0;
    CUDA_CHECK(cudaMallocPitch(&cells, &pitch, sizeof in[0], height));
    EXPECT(pitch >= sizeof in[0] && pitch % 32 == 0);
    CUDA_CHECK(cudaMemcpy2D(cells, pitch, in, sizeof in[0], sizeof in[0], height, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset2D(cells, pitch, 0, 5 * sizeof(float), 3));
    transform<<<dim3(3, 3), dim3(16, 4)>>>(cells, pitch, width, height);
    CUDA_CHECK(cudaMemcpy2D(out, sizeof out[0], cells, pitch, sizeof out[0], height, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            EXPECT(out[y][x] == (x < 5 && y < 3 ? 0 : 2 * in[y][x]) + static_cast<float>(y));

    const cudaExtent extent = make_cudaExtent(7, 3, 2);
    cudaPitchedPtr box;
    CUDA_CHECK(cudaMalloc3D(&box, extent));
    unsigned char bytes[2][3][7], back[2][3][7];
    for (int i = 0; i < 42; ++i) (&bytes[0][0][0])[i] = static_cast<unsigned char>(i * 5);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(bytes, 7, 7, 3);
    copy.dstPtr = box;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CUDA_CHECK(cudaMemcpy3D(&copy));
    CUDA_CHECK(cudaMemset3D(box, 0xee, make_cudaExtent(2, 1, 2)));
    copy.srcPtr = box;
    copy.dstPtr = make_cudaPitchedPtr(back, 7, 7, 3);
    copy.kind = cudaMemcpyDeviceToHost;
    CUDA_CHECK(cudaMemcpy3D(&copy));
    for (int z = 0; z < 2; ++z)
        for (int y = 0; y < 3; ++y)
            for (int x = 0; x < 7; ++x) EXPECT(back[z][y][x] == (y == 0 && x < 2 ? 0xee : bytes[z][y][x]));
    EXPECT(cudaMemcpy2D(out, 4, cells, pitch, sizeof out[0], height, cudaMemcpyDeviceToHost) ==
           cudaErrorInvalidPitchValue);
    return finish("pitched memory");
}
