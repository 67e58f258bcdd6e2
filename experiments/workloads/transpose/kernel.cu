// Transposes a matrix tile by tile through shared memory: a block of kTile x kRows threads brings a tile row by row and
// writes its columns as rows. A row of shared memory has a word too many, so that a column lies in 32 banks.
constexpr int kTile = 32;
constexpr int kRows = 8;

extern "C" __global__ void transpose(float* to, const float* from, int width, int height) {
    __shared__ float tile[kTile][kTile + 1];
    const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
    for (int i = 0; i < kTile; i += kRows) tile[threadIdx.y + i][threadIdx.x] = from[(y + i) * width + x];
    __syncthreads();
    const int to_x = blockIdx.y * kTile + threadIdx.x, to_y = blockIdx.x * kTile + threadIdx.y;
    for (int i = 0; i < kTile; i += kRows) to[(to_y + i) * height + to_x] = tile[threadIdx.x][threadIdx.y + i];
}
