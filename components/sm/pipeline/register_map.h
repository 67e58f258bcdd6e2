#pragma once

#include <cstdint>
#include <vector>

namespace lookahead::gpu {

/// The physical row of each context's architected registers. A warp's rows are consecutive when it starts.
class RegisterMap {
  public:
    explicit RegisterMap(unsigned contexts) : contexts_(contexts) {}

    void resize(unsigned registers) {
        registers_ = registers;
        rows_.assign(std::size_t{contexts_} * registers, 0);
    }
    void set_consecutive(unsigned context, unsigned first_row) {
        for (unsigned r = 0; r < registers_; ++r) {
            rows_[std::size_t{context} * registers_ + r] = static_cast<std::uint16_t>(first_row + r);
        }
    }
    /// The context's map, by register number.
    void set(unsigned context, unsigned register_number, std::uint16_t row) {
        rows_[std::size_t{context} * registers_ + register_number] = row;
    }
    const std::uint16_t* of(unsigned context) const { return rows_.data() + std::size_t{context} * registers_; }
    std::vector<std::uint16_t>& rows() { return rows_; }
    const std::vector<std::uint16_t>& rows() const { return rows_; }

  private:
    unsigned contexts_;
    unsigned registers_ = 0;
    std::vector<std::uint16_t> rows_;
};

}  // namespace lookahead::gpu
