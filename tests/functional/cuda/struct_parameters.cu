// Structures as kernel parameters: padding, arrays in them, bytes, a large one, and several side by side.
#include "check.h"

struct Mixed {
    char letter;
    double weight;
    short small;
    const int* values;
};
struct Matrix {
    float cells[4][5];
    unsigned char rows, columns;
};
struct Large {
    int numbers[200];
};

__global__ void use(char offset, Mixed mixed, Matrix matrix, bool twice, Large large, double* out) {
    const int i = threadIdx.x;
    double value = mixed.weight * mixed.values[i] + mixed.small + (mixed.letter - 'a') + offset;
    if (i < matrix.rows * matrix.columns)
        value += static_cast<double>(matrix.cells[i / matrix.columns][i % matrix.columns]);
    value += large.numbers[(i * 7) % 200];
    out[i] = twice ? 2 * value : value;
}

int main() {
    const int n = 64;
    int values[n];
    for (int i = 0; i < n; ++i) values[i] = i * i;
    int* device;
    double* out;
    CUDA_CHECK(cudaMalloc(&device, sizeof values));
    CUDA_CHECK(cudaMalloc(&out, n * sizeof(double)));
    CUDA_CHECK(cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice));
    const Mixed mixed{'d', 0.25, -7, device};
    Matrix matrix{};
    matrix.rows = 4;
    matrix.columns = 5;
    for (int i = 0; i < 20; ++i) matrix.cells[i / 5][i % 5] = 0.5f * static_cast<float>(i);
    Large large;
    for (int i = 0; i < 200; ++i) large.numbers[i] = 1000 * i;
    use<<<1, n>>>(-3, mixed, matrix, true, large, out);
    double results[n];
    CUDA_CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
        double value = 0.25 * values[i] - 7 + 3 - 3 + (i < 20 ? 0.5 * i : 0) + 1000 * ((i * 7) % 200);
        EXPECT(results[i] == 2 * value);
    }
    return finish("structure parameters");
}
