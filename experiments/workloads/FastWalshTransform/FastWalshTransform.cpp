#include "experiments/workloads/FastWalshTransform/files.h"
#include "experiments/workloads/sized_workload.h"

namespace lookahead::workloads::FastWalshTransform {

constexpr int kLog2Shared = 11;  // log2 of a sub-vector's length in shared memory
constexpr std::uint32_t kBlock = 256;
constexpr double kTolerance = 1e-5;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"log2_n", "", {12, 18, 21, 23}, 26, "Logarithm of the data's length to base 2, at least 11."},
    {"log2_kernel", "", {5, 7, 7, 7}, 20, "Logarithm of the length of the convolution's kernel."},
}};

class FastWalshTransform : public SizedWorkload<kParameters> {
  public:
    LOOKAHEAD_SIZED_WORKLOAD(FastWalshTransform, FastWalshTransform)

    void run(Device& device) override {
        XorShift32 random(seed());
        data_ = random.floats(n_);
        kernel_ = random.floats(std::size_t{1} << log2_kernel_);
        std::vector<float> padded = kernel_;
        padded.resize(n_, 0.0f);

        const DeviceAddress data = device.upload(data_), kernel = device.upload(padded);
        transform(device, data);
        transform(device, kernel);
        device.launch("fwt_modulate", {{128}, {kBlock}}, pack_parameters(data, kernel, s32(n_)));
        transform(device, data);
        result_ = device.download<float>(data, n_);
    }

    CheckReport check() const override {
        std::vector<double> expected(n_, 0.0);
        double scale = 0;
        for (std::size_t j = 0; j < kernel_.size(); ++j) {
            scale += kernel_[j];
            for (std::size_t i = 0; i < expected.size(); ++i) { expected[i] += double{data_[i ^ j]} * kernel_[j]; }
        }
        // Rounding errors grow with the transforms' largest terms.
        return compare_close("dyadic convolution", result_, expected, kTolerance, scale);
    }

  private:
    void transform(Device& device, DeviceAddress data) const {
        int log2 = static_cast<int>(log2_n_);
        std::int32_t vectors = 1;
        for (; log2 > kLog2Shared; log2 -= 2, vectors *= 4) {
            const auto stride = s32((std::int64_t{1} << log2) / 4);
            device.launch("fwt_global", {{u32(stride) / kBlock, u32(vectors)}, {kBlock}},
                          pack_parameters(data, data, stride));
        }
        const std::uint32_t length = 1u << log2;
        device.launch("fwt_shared", {{u32(vectors)}, {length / 4}, length * std::uint32_t{sizeof(float)}},
                      pack_parameters(data, data, s32(log2)));
    }

    const std::int64_t log2_n_ = std::max<std::int64_t>(value(0), kLog2Shared), log2_kernel_ = value(1);
    const std::int64_t n_ = std::int64_t{1} << log2_n_;
    std::vector<float> data_, kernel_, result_;
};

LOOKAHEAD_REGISTER_WORKLOAD(FastWalshTransform, FastWalshTransform)

}  // namespace lookahead::workloads::FastWalshTransform
