#include "components/memory_partition/address_mapping.h"

#include <bit>

#include "components/protocols/memory.h"
#include "core/error/error.h"
#include "core/param/parameter_registry.h"

namespace lookahead::gpu {
namespace {

constexpr unsigned kLargestInterleave = 1u << 16;  // a page of MemoryImage

[[noreturn]] void refuse(const std::string& expression, const std::string& why) {
    throw ConfigurationError("the address mapping \"{}\" {}; a valid one is \"RRRR RRRRRRRR BBBCCCCB CCSSSSSS\"",
                             expression, why);
}

std::vector<BitRun> runs_of(const std::vector<std::uint8_t>& positions) {
    std::vector<BitRun> runs;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const unsigned shift = positions[i] - static_cast<unsigned>(i);
        if (runs.empty() || runs.back().shift != shift) { runs.push_back({.mask = 0, .shift = shift}); }
        runs.back().mask |= std::uint64_t{1} << positions[i];
    }
    return runs;
}

std::uint64_t gather(std::uint64_t value, const std::vector<BitRun>& runs) {
    std::uint64_t bits = 0;
    for (const BitRun& run : runs) { bits |= (value & run.mask) >> run.shift; }
    return bits;
}

std::uint64_t scatter(std::uint64_t bits, const std::vector<BitRun>& runs) {
    std::uint64_t value = 0;
    for (const BitRun& run : runs) { value |= bits << run.shift & run.mask; }
    return value;
}

}  // namespace

AddressMapping::AddressMapping(const AddressMappingParameters& parameters)
    : channels_(static_cast<unsigned>(parameters.channels)),
      slices_per_channel_(static_cast<unsigned>(parameters.slices_per_channel)),
      channel_bit_(static_cast<unsigned>(parameters.channel_bit)),
      offset_mask_((std::uint64_t{1} << channel_bit_) - 1),
      reciprocal_(channels_ == 1 ? 0 : ~std::uint64_t{0} / channels_ + 1) {
    if (!std::has_single_bit(slices_per_channel_)) {
        throw ConfigurationError("slices_per_channel is {}; it must be a power of two", slices_per_channel_);
    }
    slice_bits_ = static_cast<unsigned>(std::countr_zero(slices_per_channel_));
    parse(parameters.expression);
    if (bank_bits_.size() < slice_bits_) {
        refuse(parameters.expression,
               fmt::format("has fewer bank bits than {} slices a channel need", slices_per_channel_));
    }
    interleave_bytes_ = channels_ == 1 ? kLargestInterleave : std::min(kLargestInterleave, 1u << channel_bit_);
    if (slice_bits_ > 0) { interleave_bytes_ = std::min(interleave_bytes_, 1u << bank_bits_[0]); }
    if (interleave_bytes_ < kLineBytes) {
        refuse(parameters.expression, "puts the bytes of a line into different slices");
    }
}

void AddressMapping::parse(std::string_view expression) {
    std::string letters;
    for (const char letter : expression) {
        if (letter != ' ' && letter != '.') { letters.insert(letters.begin(), letter); }
    }
    if (letters.size() > 31) { refuse(std::string(expression), "has more than 31 bits"); }
    expression_bits_ = static_cast<unsigned>(letters.size());
    for (std::uint8_t bit = 0; bit < letters.size(); ++bit) {
        switch (letters[bit]) {
            case 'R':
                row_bits_.push_back(bit);
                break;
            case 'B':
                bank_bits_.push_back(bit);
                break;
            case 'C':
                column_bits_.push_back(bit);
                break;
            case 'S':
                if (bit != burst_bits_) {
                    refuse(std::string(expression),
                           "has an S above another letter: a burst's bytes are the lowest bits");
                }
                ++burst_bits_;
                break;
            default:
                refuse(std::string(expression), fmt::format("{}{}'", std::string("has the letter '"), letters[bit]));
        }
    }
    if (row_bits_.empty() || row_bits_.back() != expression_bits_ - 1) {
        refuse(std::string(expression), "does not begin with R: the bits above it extend the row");
    }
    bank_runs_ = runs_of(bank_bits_);
    column_runs_ = runs_of(column_bits_);
    row_runs_ = runs_of(row_bits_);
}

DramAddress AddressMapping::decode(std::uint64_t local) const {
    return {.bank = static_cast<std::uint32_t>(gather(local, bank_runs_)),
            .column = static_cast<std::uint32_t>(gather(local, column_runs_)),
            .row = gather(local, row_runs_) | local >> expression_bits_ << row_bits_.size()};
}

std::uint64_t AddressMapping::encode(const DramAddress& place) const {
    return scatter(place.bank, bank_runs_) | scatter(place.column, column_runs_) | scatter(place.row, row_runs_) |
           place.row >> row_bits_.size() << expression_bits_;
}

LOOKAHEAD_REGISTER_PARAMETERS(AddressMappingParameters, "address_mapping",
                              "The memory partition, L2 slice, bank and row of each address.")

}  // namespace lookahead::gpu
