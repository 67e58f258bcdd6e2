// The device side of CUDA's printf. nvcc turns `printf(format, ...)` into `vprintf(format, arguments)`, with the promoted
// arguments laid out like the members of a structure. A call appends one record to a buffer in global memory, as CUDA's
// own does; the host prints the records when the kernel has ended (components/device/device_print.h, which has the
// layout of the buffer and must agree with it).
//
// regenerate makes vprintf.ptx of this file.

namespace {

constexpr unsigned kBufferBytes = 1 << 20;  // CUDA's default, cudaLimitPrintfFifoSize
constexpr unsigned kHeaderBytes = 16;
constexpr unsigned kRecordHeaderBytes = 16;

struct Conversion {
    unsigned stars;  // arguments of 4 bytes that give width and precision
    unsigned bytes;  // of the value; 0 for %%
    bool is_string;
};

/// Reads what follows a %, and leaves `at` behind it.
__device__ __forceinline__ Conversion read_conversion(const char*& at) {
    Conversion conversion = {0, 0, false};
    bool is_long = false;
    for (;; ++at) {
        const char c = *at;
        switch (c) {
            case '-':
            case '+':
            case ' ':
            case '#':
            case '.':
            case '0':
            case '1':
            case '2':
            case '3':
            case '4':
            case '5':
            case '6':
            case '7':
            case '8':
            case '9':
            case 'h':
                continue;
            case '*':
                ++conversion.stars;
                continue;
            case 'l':
            case 'L':
            case 'j':
            case 'z':
            case 't':
            case 'q':
                is_long = true;
                continue;
            case 0:
                return conversion;
            case '%':
                ++at;
                return conversion;
            case 's':
                conversion.is_string = true;
                conversion.bytes = 8;
                ++at;
                return conversion;
            case 'f':
            case 'F':
            case 'e':
            case 'E':
            case 'g':
            case 'G':
            case 'a':
            case 'A':
            case 'p':
            case 'n':
                conversion.bytes = 8;
                ++at;
                return conversion;
            default:
                conversion.bytes = is_long ? 8 : 4;
                ++at;
                return conversion;
        }
    }
}

__device__ __forceinline__ unsigned aligned(unsigned offset, unsigned bytes) {
    return (offset + bytes - 1) & ~(bytes - 1);
}

__device__ __forceinline__ unsigned length_with_zero(const char* text) {
    unsigned length = 0;
    while (text[length] != 0) ++length;
    return length + 1;
}

}  // namespace

/// The buffer: used bytes, capacity, calls that did not fit, 0, then the records.
extern "C" __device__ unsigned lookahead_print_buffer[(kHeaderBytes + kBufferBytes) / 4] = {0};

extern "C" __device__ int lookahead_vprintf(const char* format, const char* arguments) {
    if (format == nullptr) return -1;
    unsigned argument_bytes = 0, string_bytes = length_with_zero(format);
    int count = 0;
    for (const char* at = format; *at != 0;) {
        if (*at++ != '%') continue;
        const Conversion conversion = read_conversion(at);
        argument_bytes = aligned(argument_bytes, 4) + 4 * conversion.stars;
        count += static_cast<int>(conversion.stars);
        if (conversion.bytes == 0) continue;
        ++count;
        argument_bytes = aligned(argument_bytes, conversion.bytes);
        if (conversion.is_string) {
            const char* const text = *reinterpret_cast<const char* const*>(arguments + argument_bytes);
            if (text != nullptr) string_bytes += length_with_zero(text);
        }
        argument_bytes += conversion.bytes;
    }
    const unsigned first_string = kRecordHeaderBytes + aligned(argument_bytes, 4);
    const unsigned bytes = aligned(first_string + string_bytes, 8);
    unsigned* const header = lookahead_print_buffer;
    const unsigned place = atomicAdd(&header[0], bytes);
    if (place > kBufferBytes || bytes > kBufferBytes - place) {
        atomicAdd(&header[2], 1u);
        return -2;
    }
    char* const record = reinterpret_cast<char*>(lookahead_print_buffer) + kHeaderBytes + place;
    unsigned* const words = reinterpret_cast<unsigned*>(record);
    words[0] = bytes;
    words[1] = argument_bytes;
    words[2] = first_string;
    for (unsigned i = 0; i < argument_bytes; i += 4)
        words[(kRecordHeaderBytes + i) / 4] = *reinterpret_cast<const unsigned*>(arguments + i);
    // The format, then the strings that it asks for, in their order.
    unsigned to = first_string;
    for (unsigned i = 0;; ++i) {
        record[to++] = format[i];
        if (format[i] == 0) break;
    }
    unsigned offset = 0;
    for (const char* at = format; *at != 0;) {
        if (*at++ != '%') continue;
        const Conversion conversion = read_conversion(at);
        offset = aligned(offset, 4) + 4 * conversion.stars;
        if (conversion.bytes == 0) continue;
        offset = aligned(offset, conversion.bytes);
        if (conversion.is_string) {
            const char* const text = *reinterpret_cast<const char* const*>(arguments + offset);
            for (unsigned i = 0; text != nullptr; ++i) {
                record[to++] = text[i];
                if (text[i] == 0) break;
            }
        }
        offset += conversion.bytes;
    }
    return count;
}
