#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/isa/lane_mask.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The registers of an SM: physical rows of 32 consecutive 32-bit words, one per lane, 128-byte aligned. It holds
/// values only; other components keep the rows' owners and banks.
class RegisterFile {
  public:
    explicit RegisterFile(unsigned rows) : rows_(rows) {}

    /// Grows to `rows` rows, for launches whose occupancy ignores their warps' needs. Rows may move in memory.
    void grow(unsigned rows) {
        if (rows > this->rows()) { rows_.resize(rows); }
    }
    unsigned rows() const { return static_cast<unsigned>(rows_.size()); }
    std::uint32_t* row(unsigned physical_row) { return rows_[physical_row].lanes; }
    const std::uint32_t* row(unsigned physical_row) const { return rows_[physical_row].lanes; }
    std::size_t bytes() const { return rows_.size() * sizeof(Row); }
    const void* data() const { return rows_.data(); }

    void fields(StateArchive& archive) {
        std::uint64_t rows = rows_.size();
        archive& rows;
        rows_.resize(rows);
        archive.plain(rows_.data(), rows_.size());
    }

  private:
    struct alignas(128) Row {
        std::uint32_t lanes[isa::kWarpSize] = {};
    };

    std::vector<Row> rows_;
};

}  // namespace lookahead::gpu
