#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "experiments/workloads/compare.h"
#include "experiments/workloads/workload.h"
#include "experiments/workloads/xorshift.h"

namespace lookahead {

/// A whole number that a workload takes, with a value for each size.
struct SizedParameter {
    std::string_view name;
    std::string_view unit;
    std::array<std::int64_t, 4> by_size;  ///< tiny, small, medium, large
    std::int64_t max = 0;
    std::string_view help;
    std::int64_t multiple_of = 1;  ///< the value is one of these
};

/// The parameters as the configuration takes them: 0 stands for the size's own value.
ParameterList sized_parameter_list(std::span<const SizedParameter> table);

/// `given`, or the table's value for the size where that is 0. A ConfigurationError where it is no multiple as asked.
std::int64_t sized_value(std::string_view workload, const SizedParameter& parameter, std::int64_t given, Size size);

template <const auto& kTable>
struct SizedParameters {
    std::array<std::int64_t, kTable.size()> values{};
};

template <const auto& kTable>
struct ParametersOf<SizedParameters<kTable>> {
    inline static const ParameterList list = sized_parameter_list(kTable);
};

/// Base of a workload whose parameters are those of `kTable` (a std::array of SizedParameter) and whose kernels are one
/// PTX file. `Files` is a struct with the members of the generated files.h: see LOOKAHEAD_WORKLOAD.
template <const auto& kTable>
class SizedWorkload : public Workload {
  public:
    using Parameters = SizedParameters<kTable>;

    SizedWorkload(const Parameters& parameters, const WorkloadContext& context, std::string_view name,
                  std::string_view ptx, std::string_view ptx_file)
        : ptx_(ptx), ptx_file_(ptx_file), seed_(context.seed) {
        for (std::size_t i = 0; i < kTable.size(); ++i) {
            values_[i] = sized_value(name, kTable[i], parameters.values[i], context.size);
        }
    }

    std::string_view ptx() const override { return ptx_; }
    std::string ptx_file() const override { return std::string(ptx_file_); }

  protected:
    /// The table's i-th parameter.
    std::int64_t value(std::size_t i) const { return values_[i]; }
    std::uint32_t seed() const { return seed_; }

  private:
    std::string_view ptx_, ptx_file_;
    std::uint32_t seed_;
    std::array<std::int64_t, kTable.size()> values_{};
};

/// CTAs of `block` threads for `threads` threads.
constexpr std::uint32_t blocks_for(std::int64_t threads, std::int64_t block) {
    return static_cast<std::uint32_t>((threads + block - 1) / block);
}

}  // namespace lookahead

/// In the body of a class that derives from SizedWorkload<table>: its constructor, for the workload in folder `name`.
#define LOOKAHEAD_SIZED_WORKLOAD(Class, name)                                               \
    Class(const Parameters& parameters, const WorkloadContext& context)                     \
        : SizedWorkload(parameters, context, name##_files::kName, name##_files::kKernelPtx, \
                        name##_files::kKernelPtxFile) {}

/// At namespace scope: registers the class as the workload in folder `name`, as its workload.toml describes it.
#define LOOKAHEAD_REGISTER_WORKLOAD(Class, name) \
    LOOKAHEAD_REGISTER_VARIANT(Workload, Class, name##_files::kName, name##_files::kDescription, name##_files::kSuite)
