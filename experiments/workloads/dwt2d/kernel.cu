// Forward two-dimensional wavelet transform with the reversible 5/3 filter of JPEG 2000, by lifting: odd samples lose the
// mean of their neighbours, then even ones gain a quarter of theirs; outside the image it continues mirrored. A block is
// as wide as it has threads and slides down the image eight rows a step: rows come to shared memory, are transformed
// along x there, then along y, and leave as four bands. Even and odd columns lie apart in shared memory, so that
// neighbouring threads use neighbouring banks.
constexpr int kRows = 8;  // new rows a step

// Interleaved bytes to three planes around 0.
extern "C" __global__ void dwt_components(int* red, int* green, int* blue, const unsigned char* pixels, int count) {
    __shared__ unsigned char bytes[3 * 256];
    const int first = blockIdx.x * 256, thread = threadIdx.x;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        const int place = 3 * first + 256 * i + thread;
        if (place < 3 * count) bytes[256 * i + thread] = pixels[place];
    }
    __syncthreads();
    if (first + thread >= count) return;
    red[first + thread] = bytes[3 * thread] - 128;
    green[first + thread] = bytes[3 * thread + 1] - 128;
    blue[first + thread] = bytes[3 * thread + 2] - 128;
}

// What is far outside, where a block is wider than what remains of the image, only has to be somewhere in it.
__device__ inline int mirror(int value, int limit) {
    const int positive = abs(value);
    return positive < limit ? positive : max(2 * (limit - 1) - positive, 0);
}

template <int kWide>
struct Window {
    // A row: columns first - 2, first, ... first + kWide, then first - 1, first + 1, ... first + kWide - 1.
    static constexpr int kEven = kWide / 2 + 2, kOdd = kWide / 2 + 1, kPitch = kEven + kOdd;
    // Rows: the odd one above the step's first (done), the first (done along x), and the step's new ones.
    int rows[kRows + 2][kPitch];
};

template <int kWide>
__device__ inline void load_row(int* row, const int* from, int first, int width) {
    for (int i = threadIdx.x; i < kWide + 3; i += kWide) {
        const int place = i % 2 == 0 ? i / 2 : Window<kWide>::kEven + i / 2;
        row[place] = from[mirror(first - 2 + i, width)];
    }
}

// `count` rows along x.
template <int kWide>
__device__ inline void transform_rows(int (*rows)[Window<kWide>::kPitch], int count) {
    constexpr int kEven = Window<kWide>::kEven, kOdd = Window<kWide>::kOdd;
    for (int i = threadIdx.x; i < count * kOdd; i += kWide) {
        int* row = rows[i / kOdd];
        const int k = i % kOdd;
        row[kEven + k] -= (row[k] + row[k + 1]) >> 1;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count * (kWide / 2); i += kWide) {
        int* row = rows[i / (kWide / 2)];
        const int k = i % (kWide / 2) + 1;
        row[k] += (row[kEven + k - 1] + row[kEven + k] + 2) >> 2;
    }
    __syncthreads();
}

// `low` takes the band that is low along x and y, its rows `low_pitch` apart; `bands` the others at their places in the
// transformed image. A block makes `steps` steps of kRows rows.
template <int kWide>
__device__ void forward(int* low, int low_pitch, int* bands, int pitch, const int* from, int from_pitch, int width,
                        int height, int steps) {
    __shared__ Window<kWide> window;
    const int thread = threadIdx.x, first = blockIdx.x * kWide;
    const int top = blockIdx.y * steps * kRows;

    // The three rows above the first step's new ones; they end as the odd one above, done, and the first.
    for (int i = 0; i < 3; ++i) {
        load_row<kWide>(window.rows[i], from + mirror(top - 2 + i, height) * from_pitch, first, width);
    }
    __syncthreads();
    transform_rows<kWide>(window.rows, 3);
    // A thread's column: the first half of threads have even ones, which are low.
    const bool is_odd = thread >= kWide / 2;
    const int half = is_odd ? thread - kWide / 2 : thread;
    int* column = &window.rows[0][is_odd ? Window<kWide>::kEven + half + 1 : half + 1];
    constexpr int kPitch = Window<kWide>::kPitch;
    const int above = column[kPitch] - ((column[0] + column[2 * kPitch]) >> 1);
    const int here = column[2 * kPitch];
    column[0] = above;
    column[kPitch] = here;
    __syncthreads();

    const int x = first / 2 + half;
    const bool inside = first + 2 * half + is_odd < width;
    const int low_width = (width + 1) / 2, low_height = (height + 1) / 2;
    for (int step = 0; step < steps; ++step) {
        const int y = top + step * kRows;
        if (y >= height) return;
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
            load_row<kWide>(window.rows[2 + i], from + mirror(y + 1 + i, height) * from_pitch, first, width);
        }
        __syncthreads();
        transform_rows<kWide>(window.rows + 2, kRows);

        int odd_above = column[0], even = column[kPitch];
#pragma unroll
        for (int i = 0; i < kRows; i += 2) {
            const int even_below = column[(i + 3) * kPitch];
            const int odd = column[(i + 2) * kPitch] - ((even + even_below) >> 1);
            even += (odd_above + odd + 2) >> 2;
            if (inside && y + i < height) {
                const int row = (y + i) / 2;
                if (is_odd) {
                    bands[row * pitch + low_width + x] = even;
                } else {
                    low[row * low_pitch + x] = even;
                }
            }
            if (inside && y + i + 1 < height) {
                bands[((y + i) / 2 + low_height) * pitch + (is_odd ? low_width : 0) + x] = odd;
            }
            odd_above = odd;
            even = even_below;
        }
        column[0] = odd_above;
        column[kPitch] = even;
        __syncthreads();
    }
}

extern "C" __global__ void dwt53_192(int* low, int low_pitch, int* bands, int pitch, const int* from, int from_pitch,
                                     int width, int height, int steps) {
    forward<192>(low, low_pitch, bands, pitch, from, from_pitch, width, height, steps);
}

extern "C" __global__ void dwt53_128(int* low, int low_pitch, int* bands, int pitch, const int* from, int from_pitch,
                                     int width, int height, int steps) {
    forward<128>(low, low_pitch, bands, pitch, from, from_pitch, width, height, steps);
}

extern "C" __global__ void dwt53_64(int* low, int low_pitch, int* bands, int pitch, const int* from, int from_pitch,
                                    int width, int height, int steps) {
    forward<64>(low, low_pitch, bands, pitch, from, from_pitch, width, height, steps);
}
