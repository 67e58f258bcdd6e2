// Steps of a seven-point mean on the blocks of a mesh that is refined in places. A block has kSide^3 cells for each of its
// variables, without room for neighbours: the layers of cells beyond its six sides are arrays of their own. Neighbouring
// blocks differ by one level of refinement at most.
constexpr int kThreads = 128;
constexpr int kSide = 10, kLayer = kSide * kSide, kCells = kLayer * kSide;
constexpr int kHalf = kSide / 2;

enum Kind { kBorder, kSame, kCoarser, kFiner };

// What is beyond side 0..5 (below and above along i, j, k) of a block: blocks[0] is the neighbour; of four finer ones
// blocks[u + 2 v] has the cells in half u along the first and half v along the second of the side's axes. `quarter`, u + 2 v,
// tells which quarter of a coarser neighbour's side this block is at.
struct Neighbour {
    int kind, quarter;
    int blocks[4];
};

// The halo of a side, a block for each: blockIdx.x is 6 * block + side, blockIdx.y the variable.
extern "C" __global__ void __launch_bounds__(kThreads)
    miniamr_halos(float* halos, const float* cells, const Neighbour* neighbours) {
    const Neighbour& neighbour = neighbours[blockIdx.x];
    const int block = blockIdx.x / 6, side = blockIdx.x % 6, variables = gridDim.y;
    const int axis = side / 2;
    const int stride = axis == 0 ? 1 : axis == 1 ? kSide : kLayer;  // across the side
    const int stride_u = axis == 0 ? kSide : 1, stride_v = axis == 2 ? kSide : kLayer;
    const int near = side % 2 == 0 ? kSide - 1 : 0;  // the neighbour's layer that touches the side
    float* const halo = halos + ((block * variables + blockIdx.y) * 6 + side) * kLayer;
    for (int i = threadIdx.x; i < kLayer; i += blockDim.x) {
        const int u = i % kSide, v = i / kSide;
        float value;
        if (neighbour.kind == kFiner) {
            const int quarter = (u >= kHalf) + 2 * (v >= kHalf);
            const float* const four = cells + (neighbour.blocks[quarter] * variables + blockIdx.y) * kCells +
                                      near * stride + 2 * (u % kHalf) * stride_u + 2 * (v % kHalf) * stride_v;
            value = 0.25f * (four[0] + four[stride_u] + four[stride_v] + four[stride_u + stride_v]);
        } else if (neighbour.kind == kCoarser) {
            const int from_u = u / 2 + neighbour.quarter % 2 * kHalf, from_v = v / 2 + neighbour.quarter / 2 * kHalf;
            value = cells[(neighbour.blocks[0] * variables + blockIdx.y) * kCells + near * stride + from_u * stride_u +
                          from_v * stride_v];
        } else {
            // At the mesh's border the block's own cells are mirrored.
            const int layer = neighbour.kind == kSame ? near : kSide - 1 - near;
            value = cells[(neighbour.blocks[0] * variables + blockIdx.y) * kCells + layer * stride + u * stride_u +
                          v * stride_v];
        }
        halo[i] = value;
    }
}

// Of a cell and its six neighbours, some of which may be in the halos.
__device__ inline float sum_around(const float* cache, const float* halo, int cell) {
    const int i = cell % kSide, j = cell / kSide % kSide, k = cell / kLayer;
    float sum = cache[cell];
    sum += i > 0 ? +cache[cell - 1] : halo[j + k * kSide];
    sum += i < kSide - 1 ? +cache[cell + 1] : halo[kLayer + j + k * kSide];
    sum += j > 0 ? +cache[cell - kSide] : halo[2 * kLayer + i + k * kSide];
    sum += j < kSide - 1 ? +cache[cell + kSide] : halo[3 * kLayer + i + k * kSide];
    sum += k > 0 ? +cache[cell - kLayer] : halo[4 * kLayer + i + j * kSide];
    sum += k < kSide - 1 ? +cache[cell + kLayer] : halo[5 * kLayer + i + j * kSide];
    return sum;
}

// A step of one variable (blockIdx.y) of one block (blockIdx.x), whose cells are first brought to shared memory as one row.
extern "C" __global__ void __launch_bounds__(kThreads) miniamr_stencil(float* cells, const float* halos) {
    __shared__ float cache[kCells];
    const int which = blockIdx.x * gridDim.y + blockIdx.y;
    float* const mine = cells + which * kCells;
    const float* const halo = halos + which * 6 * kLayer;
    for (int cell = threadIdx.x; cell < kCells; cell += blockDim.x) cache[cell] = mine[cell];
    __syncthreads();
    for (int cell = threadIdx.x; cell < kCells; cell += blockDim.x) {
        mine[cell] = sum_around(cache, halo, cell) / 7.0f;
    }
}
