#pragma once

// Of the standard library, what most workloads need.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "experiments/workloads/compare.h"
#include "experiments/workloads/workload.h"
#include "experiments/workloads/xorshift.h"

namespace lookahead {

/// An integer parameter of a workload, with a value for each size.
struct SizedParameter {
    std::string_view name;
    std::string_view unit;
    std::array<std::int64_t, 4> by_size;  ///< tiny, small, medium, large
    std::int64_t max = 0;
    std::string_view help;
    std::int64_t multiple_of = 1;             ///< the value must be a multiple of this
    std::int64_t multiple_of_other_form = 0;  ///< the same for forms other than `original`; 0: as above
};

/// A word parameter of a workload, with a few values; the first is the default. If a workload's kernels have other
/// forms, its first word parameter is `form` with the default `original`: see forms.h.
struct WordParameter {
    std::string_view name;
    std::span<const std::string_view> words;
    std::string_view help;
};

/// The parameters as the configuration takes them; 0 means the size's own value. Integers are stored in an array at the
/// start of their struct, words in an array of texts at `words_offset`.
ParameterList sized_parameter_list(std::span<const SizedParameter> table, std::span<const WordParameter> words,
                                   std::ptrdiff_t words_offset);

/// `given`, or if that is 0 the table's value for the size. A given value must be a multiple of `multiple_of`, or of
/// the table's if that is 0 (else ConfigurationError); the size's own value is rounded up to a multiple.
std::int64_t sized_value(std::string_view workload, const SizedParameter& parameter, std::int64_t given, Size size,
                         std::int64_t multiple_of = 0);

/// For workloads that take no words.
inline constexpr std::array<WordParameter, 0> kNoWords{};

template <const auto& kTable, const auto& kWords>
struct SizedParameters {
    std::array<std::int64_t, kTable.size()> values{};
    std::array<std::string, kWords.size()> words = [] {
        std::array<std::string, kWords.size()> first;
        for (std::size_t i = 0; i < kWords.size(); ++i) { first[i] = kWords[i].words.front(); }
        return first;
    }();
};

template <const auto& kTable, const auto& kWords>
struct ParametersOf<SizedParameters<kTable, kWords>> {
    static ParameterList make() {
        const SizedParameters<kTable, kWords> example;
        return sized_parameter_list(
            kTable, kWords, reinterpret_cast<const char*>(&example.words) - reinterpret_cast<const char*>(&example));
    }
};

/// Base of a workload whose parameters are those of `kTable` (a std::array of SizedParameter) and `kWords` (of
/// WordParameter), and whose kernels are in one PTX file.
template <const auto& kTable, const auto& kWords = kNoWords>
class SizedWorkload : public Workload {
  public:
    using Parameters = SizedParameters<kTable, kWords>;

    SizedWorkload(const Parameters& parameters, const WorkloadContext& context, std::string_view name,
                  const ProgramCode& code)
        : code_(code), seed_(context.seed), words_(parameters.words) {
        for (std::size_t i = 0; i < kTable.size(); ++i) {
            values_[i] = sized_value(name, kTable[i], parameters.values[i], context.size,
                                     is_original() ? 0 : kTable[i].multiple_of_other_form);
        }
    }

    ProgramCode code() const override { return code_; }

  protected:
    /// The table's i-th parameter.
    std::int64_t value(std::size_t i) const { return values_[i]; }
    /// The i-th word.
    const std::string& word(std::size_t i) const { return words_[i]; }
    bool is_original() const {
        if constexpr (kWords.empty()) {
            return true;
        } else {
            return words_.front() == kWords.front().words.front();
        }
    }
    std::uint32_t seed() const { return seed_; }

  private:
    ProgramCode code_;
    std::uint32_t seed_;
    std::array<std::string, kWords.size()> words_;
    std::array<std::int64_t, kTable.size()> values_{};
};

/// CTAs of `block` threads for `threads` threads.
constexpr std::uint32_t blocks_for(std::int64_t threads, std::int64_t block) {
    return static_cast<std::uint32_t>((threads + block - 1) / block);
}

namespace workloads {

/// A number as a kernel's `int`.
template <class T>
constexpr std::int32_t s32(T number) {
    return static_cast<std::int32_t>(number);
}

/// A number as a kernel's `unsigned`.
template <class T>
constexpr std::uint32_t u32(T number) {
    return static_cast<std::uint32_t>(number);
}

/// Calls `visit(x, y, z)` for the points from `first` on before `end` in each dimension, x fastest.
template <class Visit>
void for_each_point(const std::array<std::int64_t, 3>& first, const std::array<std::int64_t, 3>& end, Visit visit) {
    for (std::int64_t z = first[2]; z < end[2]; ++z) {
        for (std::int64_t y = first[1]; y < end[1]; ++y) {
            for (std::int64_t x = first[0]; x < end[0]; ++x) { visit(x, y, z); }
        }
    }
}

/// The values after `steps` calls of `step(now, next)`, which sets the next values; others keep their first ones.
template <class Step>
std::vector<double> after_steps(const std::vector<float>& before, std::int64_t steps, Step step) {
    std::vector<double> now(before.begin(), before.end()), next = now;
    for (; steps > 0; --steps) {
        step(std::as_const(now), next);
        now.swap(next);
    }
    return now;
}

/// Device memory of zeros.
inline DeviceAddress zeros(Device& device, std::uint64_t bytes) {
    const DeviceAddress address = device.allocate(bytes);
    device.fill(address, std::byte{0}, bytes);
    return address;
}

/// The product of two matrices, stored row by row.
std::vector<double> product(const std::vector<float>& a, const std::vector<float>& b, std::int64_t rows,
                            std::int64_t depth, std::int64_t columns);

}  // namespace workloads

}  // namespace lookahead

/// The program in the PTX file `File`, and in that of the papers' time, of the workload in folder `name`.
#define LOOKAHEAD_CODE(name, File)                                                                           \
    ProgramCode {                                                                                            \
        .text = name##_files::k##File##Ptx, .file = name##_files::k##File##PtxFile,                          \
        .period_text = name##_files::k##File##PeriodPtx, .period_file = name##_files::k##File##PeriodPtxFile \
    }

/// In the body of a class that derives from SizedWorkload<table>: its constructor, for the workload in folder `name`.
#define LOOKAHEAD_SIZED_WORKLOAD(Class, name)                           \
    Class(const Parameters& parameters, const WorkloadContext& context) \
        : SizedWorkload(parameters, context, name##_files::kName, LOOKAHEAD_CODE(name, Kernel)) {}

/// At namespace scope: registers the class as the workload in folder `name`, as its workload.toml describes it.
#define LOOKAHEAD_REGISTER_WORKLOAD(Class, name) \
    LOOKAHEAD_REGISTER_VARIANT(Workload, Class, name##_files::kName, name##_files::kDescription, name##_files::kSuite)
