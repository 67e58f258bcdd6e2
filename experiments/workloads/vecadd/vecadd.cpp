#include "experiments/workloads/forms.h"
#include "experiments/workloads/vecadd/files.h"

namespace lookahead::workloads::vecadd {

constexpr std::uint32_t kBlock = 256;

constexpr std::array<SizedParameter, 2> kParameters{{
    {"n", "element", {1000, 1 << 18, 1 << 20, 1 << 24}, 1 << 28, "Length of the vectors."},
    {"share", "element", {4, 16, 16, 16}, 1 << 16, "Elements per thread in form=looped."},
}};
constexpr std::array<std::string_view, 2> kInputs{"seeded", "peer"};
constexpr std::array<WordParameter, 4> kWords{
    {kLoopedAndVectorForm[0], kLoopedAndVectorForm[1], kLoopedAndVectorForm[2], {"input", kInputs, kInputHelp}}};

class Vecadd : public SizedWorkload<kParameters, kWords> {
  public:
    Vecadd(const Parameters& parameters, const WorkloadContext& context)
        : SizedWorkload(parameters, {context.size, input_seed(vecadd_files::kName, parameters.words[3], context)},
                        vecadd_files::kName, LOOKAHEAD_CODE_OF_VECTOR_FORMS(parameters, vecadd)) {}

    void run(Device& device) override {
        XorShift32 random(seed());
        a_ = random.floats(n_);
        b_ = random.floats(n_);

        const DeviceAddress a = device.upload(a_);
        const DeviceAddress b = device.upload(b_);
        const DeviceAddress c = device.allocate(n_ * sizeof(float));
        device.launch(kernel_, {{blocks_for(n_, kBlock * share_)}, {kBlock}}, pack_parameters(a, b, c, s32(n_)));
        c_ = device.download<float>(c, n_);
    }

    CheckReport check() const override {
        std::vector<float> expected(n_);
        for (std::int64_t i = 0; i < n_; ++i) { expected[i] = a_[i] + b_[i]; }
        return compare_exact("C", c_, expected);
    }

  private:
    const std::int64_t n_ = value(0), share_ = is_original() ? 1 : value(1);
    const std::string kernel_ = kernel_of_form("vecadd", word(0), word(1), word(2));
    std::vector<float> a_, b_, c_;
};

LOOKAHEAD_REGISTER_WORKLOAD(Vecadd, vecadd)

}  // namespace lookahead::workloads::vecadd
