// Thrust: sums, scans, sorts by comparison and by key, selection and extrema of vectors on the device.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include <algorithm>
#include <numeric>

#include "../check.h"

namespace {

struct Square {
    __host__ __device__ long long operator()(int value) const { return static_cast<long long>(value) * value; }
};
struct IsEven {
    __host__ __device__ bool operator()(int value) const { return value % 2 == 0; }
};
struct ByLastDigits {
    __host__ __device__ bool operator()(int a, int b) const { return a % 100 < b % 100; }
};

}  // namespace

int main() {
    const int n = 700;
    thrust::host_vector<int> values(n);
    for (int i = 0; i < n; ++i) values[i] = (i * 7919) % 4093 - 2000;
    thrust::device_vector<int> device = values;

    EXPECT(thrust::reduce(device.begin(), device.end()) == std::accumulate(values.begin(), values.end(), 0));
    long long squares = 0;
    for (const int value : values) squares += Square()(value);
    EXPECT(thrust::transform_reduce(device.begin(), device.end(), Square(), 0LL, thrust::plus<long long>()) == squares);
    EXPECT(thrust::max_element(device.begin(), device.end()) - device.begin() ==
           std::max_element(values.begin(), values.end()) - values.begin());

    thrust::device_vector<int> result(n);
    thrust::host_vector<int> expected(n);
    thrust::inclusive_scan(device.begin(), device.end(), result.begin());
    std::inclusive_scan(values.begin(), values.end(), expected.begin());
    EXPECT(thrust::host_vector<int>(result) == expected);

    const auto end = thrust::copy_if(device.begin(), device.end(), result.begin(), IsEven());
    EXPECT(end - result.begin() == std::copy_if(values.begin(), values.end(), expected.begin(), IsEven()) - expected.begin());
    EXPECT(thrust::host_vector<int>(result) == expected);

    thrust::device_vector<float> keys(n);
    thrust::sequence(keys.begin(), keys.end());
    thrust::transform(keys.begin(), keys.end(), keys.begin(), thrust::negate<float>());
    thrust::sort_by_key(keys.begin(), keys.end(), device.begin());
    std::reverse(values.begin(), values.end());
    EXPECT(thrust::host_vector<int>(device) == values);
    thrust::stable_sort(device.begin(), device.end(), ByLastDigits());
    std::stable_sort(values.begin(), values.end(), ByLastDigits());
    EXPECT(thrust::host_vector<int>(device) == values);
    return finish("Thrust");
}
