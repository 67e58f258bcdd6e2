// What it would gain to make point `candidate` a centre (pgain of k-median clustering), a thread a point. Coordinates are
// stored dimension by dimension.
struct Point {
    float weight;
    float* coordinates;  // the host's; the device has them all in one array
    long long assigned;  // the point that is its centre
    float cost;          // weighted distance to it
};

__device__ inline float distance(const float* coordinates, int points, int dimensions, int a, int b) {
    float sum = 0.0f;
#pragma unroll 1  // as the papers' compilers, which unrolled only loops "with a known trip count" (CUDA guide 4.0, B.19)
    for (int i = 0; i < dimensions; ++i) {
        const float difference = coordinates[i * points + a] - coordinates[i * points + b];
        sum += difference * difference;
    }
    return sum;
}

// A point that is nearer to the candidate than to its centre would move to it; what that changes is counted at place `centres`
// of the thread's row of `lower`. Any other point counts at its centre's place what is lost if that centre is closed and the
// point goes to the candidate. Both are negative.
extern "C" __global__ void streamcluster_gain(int points, int dimensions, int candidate, const Point* point, int centres,
                                              int stride, const float* coordinates, float* lower,
                                              const int* place_of_centre, bool* moves) {
    const int block = blockIdx.x + gridDim.x * blockIdx.y;
    const int i = blockDim.x * block + threadIdx.x;
    if (i >= points) return;
    float* mine = lower + (long long)i * stride;
    const float cost = distance(coordinates, points, dimensions, i, candidate) * point[i].weight;
    const float present = point[i].cost;
    if (cost < present) {
        moves[i] = true;
        mine[centres] += cost - present;
    } else {
        mine[place_of_centre[point[i].assigned]] += present - cost;
    }
}
