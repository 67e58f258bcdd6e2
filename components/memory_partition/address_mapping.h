#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/param/parameters.h"

namespace lookahead::gpu {

struct AddressMappingParameters {
    static constexpr std::string_view kTable = "GPGPU-Sim's GTX480 configuration";

    LOOKAHEAD_PARAMETER(std::int64_t, channels, 6, {1, 256},
                        {.help = "DRAM channels, each with a memory partition.",
                         .source = "NVIDIA, Fermi white paper, 2009: six 64-bit memory partitions"});
    LOOKAHEAD_PARAMETER(std::int64_t, slices_per_channel, 2, {1, 16},
                        {.help = "L2 slices of a memory partition; a power of two.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, channel_bit, 8, {7, 20, "bit"},
                        {.help = "The channel is the address from this bit up, modulo the channels.",
                         .source = kTable});
    LOOKAHEAD_PARAMETER(
        std::string, expression, "RRRR RRRRRRRR BBBCCCCB CCSSSSSS",
        {.help = "Bits of the address in the channel, highest first: R row, B bank, C column, S byte in the burst.",
         .source = kTable});
    LOOKAHEAD_ALL_DECLARED;
};

/// A place in a DRAM channel. A column is one burst.
struct DramAddress {
    std::uint32_t bank;
    std::uint32_t column;
    std::uint64_t row;
    bool operator==(const DramAddress&) const = default;
};

/// Neighbouring bits of an address that stay neighbours in a field: the bits of `mask`, shifted right by `shift`.
struct BitRun {
    std::uint64_t mask;
    unsigned shift;
};

/// Maps addresses to L2 slices and DRAM channels, and to places in the channel.
///
/// The channel of an address is the number in its bits from `channel_bit` up, modulo `channels`. The quotient, followed
/// by the bits below channel_bit, is the local address in that channel. The expression names the bits of the local
/// address, highest first: R row, B bank, C column (in bursts), S byte in the burst; blanks and dots are ignored. Bits
/// above the expression are row bits too. The lowest bank bits select the slice in the channel.
///
/// Slices are numbered over the machine: channel * slices_per_channel + slice in the channel.
class AddressMapping {
  public:
    /// ConfigurationError for an expression that is not a bijection or has too few bank bits for the slices.
    explicit AddressMapping(const AddressMappingParameters& parameters);

    unsigned channels() const { return channels_; }
    unsigned slices_per_channel() const { return slices_per_channel_; }
    unsigned slices() const { return channels_ * slices_per_channel_; }
    unsigned banks() const { return 1u << bank_bits_.size(); }
    unsigned burst_bytes() const { return 1u << burst_bits_; }
    /// Bytes of a row in one channel.
    unsigned row_bytes() const { return 1u << (burst_bits_ + column_bits_.size()); }
    /// The size in bytes of an aligned run of addresses that lies in one slice and in one page of MemoryImage.
    unsigned interleave_bytes() const { return interleave_bytes_; }

    /// The channel of an address, which must be below 2^48.
    unsigned channel(std::uint64_t address) const {
        const std::uint64_t block = address >> channel_bit_;
        return static_cast<unsigned>(block - quotient(block) * channels_);
    }
    std::uint64_t local_address(std::uint64_t address) const {
        return quotient(address >> channel_bit_) << channel_bit_ | (address & offset_mask_);
    }
    /// The inverse of channel and local_address.
    std::uint64_t address(unsigned channel, std::uint64_t local) const {
        return ((local >> channel_bit_) * channels_ + channel) << channel_bit_ | (local & offset_mask_);
    }

    /// Splits `bytes` bytes from `address` on by channel: calls f(channel, first address in the channel, number of
    /// bytes from its local address on).
    void for_each_share(std::uint64_t address, std::uint64_t bytes, auto f) const {
        const std::uint64_t first_block = address >> channel_bit_;
        const std::uint64_t blocks = bytes == 0 ? 0 : ((address + bytes - 1) >> channel_bit_) - first_block + 1;
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(blocks, channels_); ++i) {
            const std::uint64_t first = i == 0 ? address : (first_block + i) << channel_bit_;
            const std::uint64_t last_block = first_block + i + (blocks - 1 - i) / channels_ * channels_;
            const std::uint64_t last = std::min(address + bytes, (last_block + 1) << channel_bit_) - 1;
            f(channel(first), first, local_address(last) + 1 - local_address(first));
        }
    }
    /// The inverse: splits `bytes` bytes of one channel, from the local address of `address` on, into runs of
    /// addresses. Calls f(address, bytes of the run, bytes before it) for each run, in the order of the addresses.
    void for_each_run(std::uint64_t address, std::uint64_t bytes, auto f) const {
        const unsigned owner = channel(address);
        const std::uint64_t local = local_address(address);
        for (std::uint64_t done = 0; done < bytes;) {
            const std::uint64_t run = std::min(bytes - done, offset_mask_ + 1 - ((local + done) & offset_mask_));
            f(this->address(owner, local + done), run, done);
            done += run;
        }
    }

    /// The number, over the machine, of the slice that owns the address.
    unsigned slice(std::uint64_t address) const {
        return channel(address) * slices_per_channel_ + slice_in_channel(local_address(address));
    }
    unsigned slice_in_channel(std::uint64_t local) const {
        unsigned slice = 0;
        for (unsigned i = 0; i < slice_bits_; ++i) { slice |= static_cast<unsigned>(local >> bank_bits_[i] & 1) << i; }
        return slice;
    }
    /// The local address without the bits that select the slice: consecutive within a slice.
    std::uint64_t address_in_slice(std::uint64_t local) const {
        for (unsigned i = slice_bits_; i-- > 0;) {
            const std::uint64_t below = (std::uint64_t{1} << bank_bits_[i]) - 1;
            local = (local >> 1 & ~below) | (local & below);
        }
        return local;
    }

    DramAddress decode(std::uint64_t local) const;
    /// The inverse of decode, at the first byte of the burst.
    std::uint64_t encode(const DramAddress& place) const;

  private:
    void parse(std::string_view expression);

    /// block / channels_ for block < 2^48: the error of the rounded-up reciprocal stays below 1 as long as
    /// block * channels < 2^64.
    std::uint64_t quotient(std::uint64_t block) const {
        __extension__ using Wide = unsigned __int128;
        return reciprocal_ == 0 ? block : static_cast<std::uint64_t>(static_cast<Wide>(block) * reciprocal_ >> 64);
    }

    unsigned channels_;
    unsigned slices_per_channel_;
    unsigned slice_bits_ = 0;
    unsigned channel_bit_;
    std::uint64_t offset_mask_;
    std::uint64_t reciprocal_;  ///< ceil(2^64 / channels); 0 for one channel
    unsigned interleave_bytes_ = 0;

    // Positions in the local address, lowest first.
    std::vector<std::uint8_t> bank_bits_;
    std::vector<std::uint8_t> column_bits_;
    std::vector<std::uint8_t> row_bits_;
    // The same as runs of neighbouring bits.
    std::vector<BitRun> bank_runs_;
    std::vector<BitRun> column_runs_;
    std::vector<BitRun> row_runs_;
    unsigned burst_bits_ = 0;
    unsigned expression_bits_ = 0;
};

}  // namespace lookahead::gpu
