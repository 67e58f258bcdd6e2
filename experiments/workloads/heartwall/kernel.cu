// Tracks points from frame to frame, a block a point: the normalised cross-correlation of the point's template with a window of
// the frame is largest where the point is now. Arrays are stored column by column. With t rows of the template and s of the
// window, the correlation has s + t - 1 rows: everywhere where the two meet.
constexpr int kThreads = 256;
constexpr int kMostPoints = 256;
constexpr int kMostTemplate = 51;      // rows of a template
constexpr int kMostCorrelation = 131;  // and of a correlation, with windows of 81 rows
constexpr int kMove = 10;              // a point moves less than about half of that between frames

struct Common {
    int frame_rows, frames;
    int template_radius, window_radius;
    int template_rows, window_rows, correlation_rows, padded_rows;
    int update_every;  // frames
    float keep;        // share of the template that an update keeps
};
struct Frame {
    const float* pixels;
    int number;
};
struct Point {
    int* row;  // where the template was taken last
    int* column;
    int* track_rows;  // by frame
    int* track_columns;
    float* pattern;  // the template
    float* pattern_squares;
    float* window;
    float* window_squares;
    float* convolution;
    float* padded;
    float* padded_ends;
    float* strips;
    float* strip_ends;
    float* sums;
    float* square_sums;
    float* mask;
    float* masked;
};

__constant__ Common heartwall_common;
__constant__ Frame heartwall_frame;
__constant__ Point heartwall_points[kMostPoints];

// Sums of `values` over the template's area wherever it meets the window: running sums down the columns of a padded copy,
// differences of those t apart, and the same along the rows.
__device__ inline void window_sums(const float* values, float* sums) {
    const Common& common = heartwall_common;
    const Point& point = heartwall_points[blockIdx.x];
    const int t = common.template_rows, rows = common.correlation_rows, padded_rows = common.padded_rows;
    for (int i = threadIdx.x; i < padded_rows * padded_rows; i += kThreads) {
        const int row = i % padded_rows - t, column = i / padded_rows - t;
        if (row >= 0 && row < common.window_rows && column >= 0 && column < common.window_rows) {
            point.padded[i] = values[column * common.window_rows + row];
        } else {
            point.padded[i] = 0.0f;
        }
    }
    __syncthreads();
    for (int column = threadIdx.x; column < padded_rows; column += kThreads) {
        float sum = 0.0f;
        for (int i = column * padded_rows; i < (column + 1) * padded_rows; ++i) {
            sum += point.padded[i];
            point.padded[i] = sum;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < rows * padded_rows; i += kThreads) {
        point.padded_ends[i] = point.padded[i / rows * padded_rows + i % rows + t];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < rows * padded_rows; i += kThreads) {
        point.strips[i] = point.padded[i / rows * padded_rows + i % rows];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < rows * padded_rows; i += kThreads) {
        point.strips[i] = point.padded_ends[i] - point.strips[i];
    }
    __syncthreads();  // which the suite lacks: a row's words are other threads'
    for (int row = threadIdx.x; row < rows; row += kThreads) {
        float sum = 0.0f;
        for (int i = row; i < rows * padded_rows; i += rows) {
            sum += point.strips[i];
            point.strips[i] = sum;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < rows * rows; i += kThreads) {
        point.strip_ends[i] = point.strips[(i / rows + t) * rows + i % rows];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < rows * rows; i += kThreads) sums[i] = point.strips[i];
    __syncthreads();
    for (int i = threadIdx.x; i < rows * rows; i += kThreads) sums[i] = point.strip_ends[i] - sums[i];
    __syncthreads();
}

// Of the frame's pixels under the template, the i-th.
__device__ inline float pixel_under(const Point& point, int i) {
    const Common& common = heartwall_common;
    const int row = *point.row - common.template_radius + i % common.template_rows;
    const int column = *point.column - common.template_radius + i / common.template_rows;
    return heartwall_frame.pixels[column * common.frame_rows + row];
}

extern "C" __global__ void heartwall_track() {
    __shared__ float column_sums[kMostTemplate], row_square_sums[kMostTemplate];
    __shared__ float sum, square_sum, pattern_norm;
    __shared__ float largest_values[kMostCorrelation];
    __shared__ int largest_places[kMostCorrelation];
    __shared__ float rotated[kMostTemplate * kMostTemplate];
    const Common& common = heartwall_common;
    const Frame& frame = heartwall_frame;
    const Point& point = heartwall_points[blockIdx.x];
    const int t = common.template_rows, rows = common.correlation_rows, window_rows = common.window_rows;

    // The first frame gives the templates.
    if (frame.number == 0) {
        if (threadIdx.x == 0) {
            point.track_rows[0] = *point.row;
            point.track_columns[0] = *point.column;
        }
        for (int i = threadIdx.x; i < t * t; i += kThreads) point.pattern[i] = pixel_under(point, i);
    }

    if (frame.number != 0) {
        for (int i = threadIdx.x; i < window_rows * window_rows; i += kThreads) {
            const int row = *point.row - common.window_radius + i % window_rows;
            const int column = *point.column - common.window_radius + i / window_rows;
            point.window[i] = frame.pixels[column * common.frame_rows + row];
        }
        __syncthreads();

        // The correlation is a convolution with the template turned round.
        for (int i = threadIdx.x; i < t * t; i += kThreads) {
            rotated[i] = point.pattern[(t - 1 - i / t) * t + t - 1 - i % t];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < rows * rows; i += kThreads) {
            const int row = i % rows, column = i / rows;
            const int first_column = max(column - window_rows + 1, 0), last_column = min(column, t - 1);
            const int first_row = max(row - window_rows + 1, 0), last_row = min(row, t - 1);
            float total = 0.0f;
            for (int c = first_column; c <= last_column; ++c) {
#pragma unroll 1  // as the papers' compilers, which unrolled only loops "with a known trip count" (CUDA guide 4.0, B.19)
                for (int r = first_row; r <= last_row; ++r) {
                    total += rotated[c * t + r] * point.window[(column - c) * window_rows + row - r];
                }
            }
            point.convolution[i] = total;
        }
        __syncthreads();

        window_sums(point.window, point.sums);
        for (int i = threadIdx.x; i < window_rows * window_rows; i += kThreads) {
            point.window_squares[i] = point.window[i] * point.window[i];
        }
        __syncthreads();
        window_sums(point.window_squares, point.square_sums);

        const float elements = t * t;
        for (int i = threadIdx.x; i < rows * rows; i += kThreads) {
            const float mean = point.sums[i];
            float squares = point.square_sums[i] - mean * mean / elements;
            if (squares < 0.0f) squares = 0.0f;
            point.square_sums[i] = sqrtf(squares);
        }
        __syncthreads();

        // The template's mean and deviation.
        for (int i = threadIdx.x; i < t * t; i += kThreads) point.pattern_squares[i] = point.pattern[i] * point.pattern[i];
        __syncthreads();
        for (int column = threadIdx.x; column < t; column += kThreads) {
            float total = 0.0f;
            for (int i = 0; i < t; ++i) total += point.pattern[column * t + i];
            column_sums[column] = total;
        }
        __syncthreads();
        for (int row = threadIdx.x; row < t; row += kThreads) {
            float total = 0.0f;
            for (int i = 0; i < t; ++i) total += point.pattern_squares[i * t + row];
            row_square_sums[row] = total;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            sum = 0.0f;
            for (int i = 0; i < t; ++i) sum += column_sums[i];
        } else if (threadIdx.x == 1) {
            square_sum = 0.0f;
            for (int i = 0; i < t; ++i) square_sum += row_square_sums[i];
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            const float mean = sum / elements;
            const float variance = square_sum / elements - mean * mean;
            pattern_norm = sqrtf(elements - 1.0f) * sqrtf(variance);
        }
        __syncthreads();

        for (int i = threadIdx.x; i < rows * rows; i += kThreads) point.square_sums[i] *= pattern_norm;
        __syncthreads();
        for (int i = threadIdx.x; i < rows * rows; i += kThreads) {
            point.convolution[i] -= point.sums[i] * sum / elements;
        }
        __syncthreads();
        for (int i = threadIdx.x; i < rows * rows; i += kThreads) {
            point.square_sums[i] = point.convolution[i] / point.square_sums[i];
        }
        __syncthreads();

        // Where the point was is marked in the mask, which a convolution with kMove x kMove ones widens.
        const int reach = common.window_radius + common.template_radius;
        const int place = (point.track_columns[frame.number - 1] - *point.column + reach) * rows +
                          point.track_rows[frame.number - 1] - *point.row + reach;
        for (int i = threadIdx.x; i < rows * rows; i += kThreads) {
            if (i == place) {
                point.mask[i] = 1.0f;
            } else {
                point.mask[i] = 0.0f;
            }
        }
        __syncthreads();
        for (int i = threadIdx.x; i < rows * rows; i += kThreads) {
            const int row = i % rows + kMove / 2, column = i / rows + kMove / 2;
            const int first_column = max(column - kMove + 1, 0), last_column = min(column, rows - 1);
            const int first_row = max(row - kMove + 1, 0), last_row = min(row, rows - 1);
            float total = 0.0f;
            for (int c = first_column; c <= last_column; ++c) {
#pragma unroll 1  // as above
                for (int r = first_row; r <= last_row; ++r) total += point.mask[c * rows + r];
            }
            point.masked[i] = point.square_sums[i] * total;
        }
        __syncthreads();

        // The largest of each column, then of all.
        float largest = 0.0f;
        int largest_place = 0;
        for (int column = threadIdx.x; column < rows; column += kThreads) {
            for (int i = column * rows; i < (column + 1) * rows; ++i) {
                const float value = fabsf(point.masked[i]);
                if (value > largest) {
                    largest = value;
                    largest_place = i;
                }
            }
            largest_values[column] = largest;
            largest_places[column] = largest_place;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            float best = 0.0f;
            int best_place = 0;
            for (int i = 0; i < rows; ++i) {
                if (largest_values[i] > best) {
                    best = largest_values[i];
                    best_place = largest_places[i];
                }
            }
            point.track_rows[frame.number] = *point.row + best_place % rows - reach;
            point.track_columns[frame.number] = *point.column + best_place / rows - reach;
        }
        __syncthreads();
    }

    // Now and then the template follows the frames.
    if (frame.number != 0 && frame.number % common.update_every == 0) {
        *point.row = point.track_rows[frame.number];
        *point.column = point.track_columns[frame.number];
        for (int i = threadIdx.x; i < t * t; i += kThreads) {
            point.pattern[i] = common.keep * point.pattern[i] + (1.0f - common.keep) * pixel_under(point, i);
        }
    }
}
