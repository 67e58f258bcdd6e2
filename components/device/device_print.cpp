#include "components/device/device_print.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "core/bits/one_of.h"

namespace lookahead {

namespace {

constexpr std::string_view kBufferName = "lookahead_print_buffer";

struct BufferHeader {
    std::uint32_t used, unused, dropped, unused2;
};

struct RecordHeader {
    std::uint32_t bytes, argument_bytes, first_text, unused;
};

/// Reads the arguments and texts of a record in order; missing ones read as zero or empty.
class RecordReader {
  public:
    explicit RecordReader(std::span<const std::byte> record) : record_(record) {
        if (record.size() >= sizeof header_) { std::memcpy(&header_, record.data(), sizeof header_); }
        text_ = header_.first_text;
    }

    template <class T>
    T argument() {
        offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
        T value{};
        const std::size_t at = sizeof header_ + offset_;
        const bool is_there = offset_ + sizeof(T) <= header_.argument_bytes && at + sizeof(T) <= record_.size();
        if (is_there) { std::memcpy(&value, record_.data() + at, sizeof(T)); }
        offset_ += sizeof(T);
        return value;
    }
    std::string text() {
        std::string result;
        while (text_ < record_.size() && record_[text_] != std::byte{0}) {
            result += static_cast<char>(record_[text_++]);
        }
        ++text_;
        return result;
    }

  private:
    std::span<const std::byte> record_;
    RecordHeader header_{};
    std::size_t offset_ = 0;
    std::size_t text_ = 0;
};

std::string formatted(const std::string& specification, auto value) {
    const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
    if (length <= 0) { return {}; }
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    std::snprintf(text.data(), text.size(), specification.c_str(), value);
    text.pop_back();
    return text;
}

/// One conversion: flags, width, precision, length and the letter. `format[at]` follows the %.
class Conversion {
  public:
    Conversion(const std::string& format, std::size_t at, RecordReader& record) : at_(at) {
        for (; at_ < format.size(); ++at_) {
            const char c = format[at_];
            if (std::strchr("-+ #.0123456789", c) != nullptr) {
                specification_ += c;
            } else if (c == '*') {
                specification_ += std::to_string(record.argument<std::int32_t>());
            } else if (std::strchr("lLjztq", c) != nullptr) {
                is_long_ = true;
            } else if (c == 'h') {
                ++shorts_;
            } else {
                break;
            }
        }
        letter_ = at_ < format.size() ? format[at_++] : '\0';
    }

    std::size_t end() const { return at_; }

    std::string text(RecordReader& record) const {
        const std::string bare = specification_ + letter_;
        const auto integer = [this](auto value) {
            return formatted(fmt::format("{}ll{}", specification_, letter_), value);
        };
        if (is_one_of(letter_, 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A')) {
            return formatted(bare, record.argument<double>());
        }
        if (is_one_of(letter_, 'd', 'i')) { return integer(signed_value(record)); }
        if (is_one_of(letter_, 'u', 'x', 'X', 'o')) { return integer(unsigned_value(record)); }
        switch (letter_) {
            case '\0':
                return {};
            case '%':
                return "%";
            case 's': {
                const bool is_null = record.argument<std::uint64_t>() == 0;
                return formatted(bare, (is_null ? std::string("(null)") : record.text()).c_str());
            }
            case 'p':
                return formatted(bare, reinterpret_cast<const void*>(record.argument<std::uint64_t>()));
            case 'n':
                record.argument<std::uint64_t>();
                return {};
            case 'c':
                return formatted(bare, static_cast<int>(signed_value(record)));
            default:
                signed_value(record);
                return bare;
        }
    }

  private:
    long long signed_value(RecordReader& record) const {
        return value<std::int64_t, std::int32_t, std::int16_t, std::int8_t>(record);
    }
    unsigned long long unsigned_value(RecordReader& record) const {
        return value<std::uint64_t, std::uint32_t, std::uint16_t, std::uint8_t>(record);
    }
    template <class Long, class Word, class Short, class Byte>
    Long value(RecordReader& record) const {
        if (is_long_) { return record.argument<Long>(); }
        const auto word = record.argument<Word>();
        return shorts_ == 0 ? word : shorts_ == 1 ? static_cast<Short>(word) : static_cast<Byte>(word);
    }

    std::size_t at_;
    std::string specification_ = "%";
    bool is_long_ = false;
    unsigned shorts_ = 0;
    char letter_ = '\0';
};

}  // namespace

std::string format_printed(std::span<const std::byte> record) {
    RecordReader reader(record);
    const std::string format = reader.text();
    std::string text;
    for (std::size_t at = 0; at < format.size();) {
        if (format[at] != '%') {
            text += format[at++];
            continue;
        }
        const Conversion conversion(format, at + 1, reader);
        text += conversion.text(reader);
        at = conversion.end();
    }
    return text;
}

DevicePrinter::DevicePrinter(const isa::ModuleImage& image) {
    const auto buffer = std::ranges::find(image, kBufferName, &isa::ModuleVariable::name);
    if (buffer == image.end()) { return; }
    buffer_ = buffer->address;
    capacity_ = buffer->bytes - sizeof(BufferHeader);
}

std::string DevicePrinter::collect(Device& device) const {
    BufferHeader header;
    device.copy_from_device(std::as_writable_bytes(std::span(&header, 1)), buffer_);
    if (header.used == 0) { return {}; }
    std::vector<std::byte> records(std::min<std::uint64_t>(header.used, capacity_));
    device.copy_from_device(records, buffer_ + sizeof header);
    device.fill(buffer_, std::byte{0}, sizeof header + records.size());
    if (header.dropped != 0) {
        std::fprintf(stderr, "lookahead: %u calls of printf found no room in the buffer of %llu bytes\n",
                     header.dropped, static_cast<unsigned long long>(capacity_));
    }
    std::string text;
    for (std::span<const std::byte> rest = records; rest.size() >= sizeof(RecordHeader);) {
        RecordHeader record;
        std::memcpy(&record, rest.data(), sizeof record);
        if (record.bytes < sizeof record || record.bytes > rest.size()) {
            break;  // the room was reserved by a call whose record did not fit
        }
        text += format_printed(rest.first(record.bytes));
        rest = rest.subspan(record.bytes);
    }
    return text;
}

void PrintingDevice::launch(std::string_view kernel, const LaunchConfiguration& configuration,
                            std::span<const std::byte> parameters) {
    device_.launch(kernel, configuration, parameters);
    if (!printer_.prints()) { return; }
    const std::string text = printer_.collect(device_);
    if (!text.empty()) { print_(text); }
}

}  // namespace lookahead
