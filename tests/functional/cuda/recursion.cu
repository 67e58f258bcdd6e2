// Functions that call themselves, directly, in turn, through pointers and virtually, with local arrays, structures by
// value and pointers into their callers' variables; lanes of a warp are at different depths.
#include <algorithm>
#include <vector>

#include "check.h"

constexpr int kThreads = 48;

__host__ __device__ __noinline__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

// The counts of both kinds of a sequence that each makes of the other.
__host__ __device__ __noinline__ int male(int n);
__host__ __device__ __noinline__ int female(int n) {
    return n == 0 ? 1 : n - male(female(n - 1));
}
__host__ __device__ __noinline__ int male(int n) {
    return n == 0 ? 0 : n - female(male(n - 1));
}

__host__ __device__ __noinline__ void sort(float* values, int first, int last) {
    if (first >= last) return;
    const float pivot = values[(first + last) / 2];
    int i = first, j = last;
    while (i <= j) {
        while (values[i] < pivot) ++i;
        while (values[j] > pivot) --j;
        if (i > j) break;
        const float swapped = values[i];
        values[i++] = values[j];
        values[j--] = swapped;
    }
    sort(values, first, j);
    sort(values, i, last);
}

// Ways to put queens on the rows from `row` on; each activation has a board of its own.
struct Board {
    signed char column[5];
};
__host__ __device__ __noinline__ int queens(Board board, int row, int size) {
    if (row == size) return 1;
    int ways = 0;
    for (int column = 0; column < size; ++column) {
        Board next = board;
        bool free = true;
        for (int above = 0; above < row; ++above) {
            const int distance = next.column[above] - column;
            free = free && distance != 0 && distance != row - above && distance != above - row;
        }
        next.column[row] = static_cast<signed char>(column);
        if (free) ways += queens(next, row + 1, size);
    }
    return ways;
}

struct Colour {
    double red, green;
    float blue;
};
// Light that bounces: structures come back by value, and doubles outlive the calls.
__host__ __device__ __noinline__ Colour trace(double x, int depth) {
    if (depth == 0) return {x, 0.25 * x, 1.0f};
    const Colour nearer = trace(0.5 * x + 0.125, depth - 1);
    if (x > 1.0) return nearer;
    const Colour farther = trace(x + 0.75, depth - 1);
    return {0.5 * (nearer.red + farther.red), nearer.green - farther.green, nearer.blue + farther.blue};
}

// A list of shapes is a shape.
struct Shape {
    __device__ virtual float area(int depth) const = 0;
};
struct Square : Shape {
    float side = 0;
    __device__ float area(int) const override { return side * side; }
};
struct Group : Shape {
    const Shape* parts[3] = {};
    int count = 0;
    __device__ float area(int depth) const override {
        float sum = 0;
        for (int i = 0; i < count; ++i) sum += parts[i]->area(depth + 1) * static_cast<float>(depth);
        return sum;
    }
};

struct Node {
    int value;
    Node *left, *right;
};
// The depth comes back through a pointer to the caller's variable.
__device__ __noinline__ int sum_of(const Node* node, int* depth) {
    if (node == nullptr) return 0;
    int left = 0, right = 0;
    const int sum = sum_of(node->left, &left) + node->value + sum_of(node->right, &right);
    *depth = 1 + (left > right ? left : right);
    return sum;
}

__global__ void numbers(int* out) {
    const int i = static_cast<int>(threadIdx.x);
    out[i] = ackermann(i % 3, i % 4) + 1000 * female(i % 10);
}
__global__ void sorted(float* values, int each) {
    float own[12];
    float* const mine = values + threadIdx.x * each;
    for (int i = 0; i < each; ++i) own[i] = mine[i];
    sort(own, 0, each - 1 - static_cast<int>(threadIdx.x) % 5);
    for (int i = 0; i < each; ++i) mine[i] = own[i];
}
__global__ void placed(int* out) {
    out[threadIdx.x] = queens(Board{}, 0, static_cast<int>(threadIdx.x) % 3 + 2);
}
__global__ void coloured(Colour* out) {
    out[threadIdx.x] = trace(0.03125 * threadIdx.x, static_cast<int>(threadIdx.x) % 4);
}
__global__ void areas(float* out) {
    Square small, large;
    Group inner, outer;
    small.side = static_cast<float>(threadIdx.x);
    large.side = 10;
    inner.parts[0] = &small;
    inner.parts[1] = &large;
    inner.count = 1 + static_cast<int>(threadIdx.x) % 2;
    outer.parts[0] = &large;
    outer.parts[1] = &inner;
    outer.parts[2] = &inner;
    outer.count = 3;
    const Shape* const shapes[] = {&small, &inner, &outer};
    out[threadIdx.x] = shapes[threadIdx.x % 3]->area(1);
}
__global__ void trees(Node* nodes, int* out) {
    // A heap in an array, of which each thread takes the part below its own node.
    for (int i = static_cast<int>(threadIdx.x); i < kThreads; i += static_cast<int>(blockDim.x)) {
        nodes[i].value = i;
        nodes[i].left = 2 * i + 1 < kThreads ? nodes + 2 * i + 1 : nullptr;
        nodes[i].right = 2 * i + 2 < kThreads ? nodes + 2 * i + 2 : nullptr;
    }
    __syncthreads();
    int depth = 0;
    const int sum = sum_of(nodes + threadIdx.x, &depth);
    out[threadIdx.x] = sum * 100 + depth;
}

int tree_sum(int node, int depth, int* deepest) {
    if (node >= kThreads) return 0;
    *deepest = std::max(*deepest, depth);
    return node + tree_sum(2 * node + 1, depth + 1, deepest) + tree_sum(2 * node + 2, depth + 1, deepest);
}

int main() {
    constexpr int kEach = 12;
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
    int *out, results[kThreads];
    float *values, areas_found[kThreads];
    Colour *colours, colours_found[kThreads];
    Node* nodes;
    CUDA_CHECK(cudaMalloc(&out, sizeof results));
    CUDA_CHECK(cudaMalloc(&values, sizeof(float) * kThreads * kEach));
    CUDA_CHECK(cudaMalloc(&colours, sizeof colours_found));
    CUDA_CHECK(cudaMalloc(&nodes, sizeof(Node) * kThreads));

    numbers<<<1, kThreads>>>(out);
    CUDA_CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < kThreads; ++i) EXPECT(results[i] == ackermann(i % 3, i % 4) + 1000 * female(i % 10));

    std::vector<float> given(kThreads * kEach);
    for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<float>(i * 7919 % 1013);
    CUDA_CHECK(cudaMemcpy(values, given.data(), sizeof(float) * given.size(), cudaMemcpyHostToDevice));
    sorted<<<1, kThreads>>>(values, kEach);
    std::vector<float> found(given.size());
    CUDA_CHECK(cudaMemcpy(found.data(), values, sizeof(float) * found.size(), cudaMemcpyDeviceToHost));
    for (int i = 0; i < kThreads; ++i) std::sort(given.begin() + i * kEach, given.begin() + (i + 1) * kEach - i % 5);
    EXPECT(given == found);

    placed<<<1, kThreads>>>(out);
    CUDA_CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < kThreads; ++i) EXPECT(results[i] == queens(Board{}, 0, i % 3 + 2));

    coloured<<<1, kThreads>>>(colours);
    CUDA_CHECK(cudaMemcpy(colours_found, colours, sizeof colours_found, cudaMemcpyDeviceToHost));
    for (int i = 0; i < kThreads; ++i) {
        const Colour expected = trace(0.03125 * i, i % 4);
        EXPECT(colours_found[i].red == expected.red && colours_found[i].green == expected.green &&
               colours_found[i].blue == expected.blue);
    }

    areas<<<1, kThreads>>>(values);
    CUDA_CHECK(cudaMemcpy(areas_found, values, sizeof areas_found, cudaMemcpyDeviceToHost));
    for (int i = 0; i < kThreads; ++i) {
        const float small = static_cast<float>(i) * static_cast<float>(i);
        const float inner = small + (i % 2 ? 100.0f : 0.0f);
        const float expected = i % 3 == 0 ? small : i % 3 == 1 ? inner : 100 + 2 * 2 * inner;
        EXPECT(areas_found[i] == expected);
    }

    trees<<<1, kThreads>>>(nodes, out);
    CUDA_CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < kThreads; ++i) {
        int deepest = 0;
        const int sum = tree_sum(i, 1, &deepest);
        EXPECT(results[i] == sum * 100 + deepest);
    }
    return finish("recursion");
}
