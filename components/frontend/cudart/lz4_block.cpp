#include "components/frontend/cudart/lz4_block.h"

#include "core/error/error.h"

namespace lookahead::cudart {

namespace {

constexpr unsigned kLeastMatch = 4;
constexpr unsigned kLongLength = 15;  ///< in a token: more bytes follow

class Decoder {
  public:
    Decoder(std::span<const std::byte> block, std::uint64_t bytes) : block_(block), bytes_(bytes) {
        output_.reserve(bytes);
    }

    std::vector<std::byte> decode() {
        // The last sequence has literals only.
        while (true) {
            const unsigned token = next();
            copy_literals(length(token >> 4));
            if (at_ == block_.size()) { break; }
            const std::uint64_t low = next();
            const std::uint64_t offset = low | std::uint64_t{next()} << 8;
            copy_match(offset, length(token & 15) + kLeastMatch);
        }
        if (output_.size() != bytes_) { refuse("it ends early"); }
        return std::move(output_);
    }

  private:
    [[noreturn]] static void refuse(const char* what) { throw InputError(std::string("damaged LZ4 block: ") + what); }

    unsigned next() {
        if (at_ == block_.size()) { refuse("a sequence is cut off"); }
        return std::to_integer<unsigned>(block_[at_++]);
    }

    std::uint64_t length(unsigned from_token) {
        std::uint64_t length = from_token;
        if (from_token == kLongLength) {
            unsigned more = 255;
            while (more == 255) { length += more = next(); }
        }
        return length;
    }

    void require_room(std::uint64_t length) const {
        if (length > bytes_ - output_.size()) { refuse("it holds more than its header says"); }
    }

    void copy_literals(std::uint64_t length) {
        require_room(length);
        if (length > block_.size() - at_) { refuse("literals are cut off"); }
        const auto literals = block_.subspan(at_, length);
        output_.insert(output_.end(), literals.begin(), literals.end());
        at_ += length;
    }

    /// The source may overlap the destination: a repeated pattern.
    void copy_match(std::uint64_t offset, std::uint64_t length) {
        require_room(length);
        if (offset == 0 || offset > output_.size()) { refuse("a match begins before the start"); }
        for (std::uint64_t i = 0; i < length; ++i) { output_.push_back(output_[output_.size() - offset]); }
    }

    std::span<const std::byte> block_;
    std::uint64_t bytes_;
    std::size_t at_ = 0;
    std::vector<std::byte> output_;
};

}  // namespace

std::vector<std::byte> decompress_lz4_block(std::span<const std::byte> block, std::uint64_t bytes) {
    return Decoder(block, bytes).decode();
}

}  // namespace lookahead::cudart
