// Leukocytes in a microscope's image: found by how steadily the brightness falls across circles around a pixel (GICOV, the
// inverse of the gradient's coefficient of variation), then outlined by a field that spreads from their edges (motion
// gradient vector flow). Images are stored column by column.
constexpr int kCircles = 7, kMostPoints = 150;
constexpr int kBorder = 22;  // pixels around the image whose circles would leave it
constexpr int kMostReach = 12;

__constant__ float leukocyte_cosines[kMostPoints];
__constant__ float leukocyte_sines[kMostPoints];
__constant__ int leukocyte_offsets[kCircles * kMostPoints];  // of the circles' points in the image
__constant__ int leukocyte_disc[(2 * kMostReach + 1) * (2 * kMostReach + 1)];

// A block is a column, a thread a pixel of it.
extern "C" __global__ void leukocyte_gicov(float* gicov, const float* across, const float* along, int height, int points) {
    const int place = (blockIdx.x + kBorder) * height + threadIdx.x + kBorder;
    float best = 0.0f;
    for (int circle = 0; circle < kCircles; ++circle) {
        float mean = 0.0f, squares = 0.0f;
        for (int i = 0; i < points; ++i) {
            const int there = place + leukocyte_offsets[circle * kMostPoints + i];
            const float outward = across[there] * leukocyte_cosines[i] + along[there] * leukocyte_sines[i];
            const float difference = outward - mean;
            mean += __fdividef(difference, static_cast<float>(i + 1));
            squares += difference * (outward - mean);
        }
        const float variance = squares / static_cast<float>(points - 1);
        best = fmaxf(best, mean * mean / variance);
    }
    gicov[place] = best;
}

// The most within a disc around each pixel.
extern "C" __global__ void leukocyte_dilate(float* dilated, const float* gicov, int width, int height, int reach) {
    const int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= width * height) return;
    const int row = place % height, column = place / height, side = 2 * reach + 1;
    float most = 0.0f;
    for (int i = 0; i < side; ++i) {
        const int y = row - reach + i;
        if (y < 0 || y >= height) continue;
        for (int j = 0; j < side; ++j) {
            const int x = column - reach + j;
            if (x < 0 || x >= width || leukocyte_disc[i * side + j] == 0) continue;
            most = fmaxf(most, gicov[x * height + y]);
        }
    }
    dilated[place] = most;
}

constexpr int kCellRows = 41, kCellColumns = 81, kCellPixels = kCellRows * kCellColumns;
constexpr int kThreads = 320;
constexpr float kSpread = 0.1f, kHold = 0.2f;
constexpr float kSoftness = 0.01f;

// What flows from a neighbour: the difference, by how much it lies uphill in the direction of motion (1, 1). The step
// function is a ramp.
__device__ inline float inflow(float neighbour, float here, int dx, int dy) {
    const float difference = neighbour - here;
    const float uphill = 0.5f + difference * static_cast<float>(dx + dy) * (0.5f / kSoftness);
    return fminf(fmaxf(uphill, 0.0f), 1.0f) * difference;
}

// A block takes a cell and iterates over its whole field in shared memory until it changes little. Threads go over the
// field in rounds; a round's results are written when the next round has been computed, so that all of it sees old values.
extern "C" __global__ void leukocyte_imgvf(float* fields, const float* edges, int most_iterations, float least_change,
                                           int* iterations) {
    __shared__ float field[kCellPixels];
    __shared__ float changes[kThreads];
    const int thread = threadIdx.x;
    const float* edge = edges + blockIdx.x * kCellPixels;
    for (int i = thread; i < kCellPixels; i += kThreads) field[i] = edge[i];
    __syncthreads();

    int iteration = 0;
    bool is_done = false;
    while (iteration < most_iterations && !is_done) {
        float change = 0.0f, pending = 0.0f;
        int place = thread;
        for (; place - thread < kCellPixels; place += kThreads) {
            float now = 0.0f;
            if (place < kCellPixels) {
                const int row = place / kCellColumns, column = place % kCellColumns;
                const float* middle = field + row * kCellColumns;
                const float* up = field + max(row - 1, 0) * kCellColumns;
                const float* down = field + min(row + 1, kCellRows - 1) * kCellColumns;
                const int left = max(column - 1, 0), right = min(column + 1, kCellColumns - 1);
                const float old = middle[column], hold = edge[place];
                const float in = inflow(up[left], old, -1, -1) + inflow(up[column], old, 0, -1) +
                                 inflow(up[right], old, 1, -1) + inflow(middle[left], old, -1, 0) +
                                 inflow(middle[right], old, 1, 0) + inflow(down[left], old, -1, 1) +
                                 inflow(down[column], old, 0, 1) + inflow(down[right], old, 1, 1);
                const float moved = old + kSpread * in;
                now = moved - kHold * hold * (moved - hold);
                change += fabsf(now - old);
            }
            __syncthreads();
            if (place >= kThreads) field[place - kThreads] = pending;
            pending = now;
        }
        if (place - kThreads < kCellPixels) field[place - kThreads] = pending;

        changes[thread] = change;
        __syncthreads();
        if (thread < kThreads - 256) changes[thread] += changes[thread + 256];
        __syncthreads();
        for (int half = 128; half > 0; half /= 2) {
            if (thread < half) changes[thread] += changes[thread + half];
            __syncthreads();
        }
        is_done = changes[0] < least_change * kCellPixels;
        __syncthreads();
        ++iteration;
    }
    for (int i = thread; i < kCellPixels; i += kThreads) fields[blockIdx.x * kCellPixels + i] = field[i];
    if (thread == 0) iterations[blockIdx.x] = iteration;
}
