#include "tests/components/frontend/ptx/test_support.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"

namespace lookahead::ptx::test {

std::string with_header(std::string_view text) {
    return ".version 9.0\n.target sm_75\n.address_size 64\n" + std::string(text);
}

std::string with_body(std::string_view body) {
    return with_header(
               ".global .align 4 .b8 sym[64]; .shared .align 4 .b8 shm[64]; .const .align 4 .b8 cst[64];\n"
               ".func (.param .b32 r) foo (.param .b32 a) { ret; }\n"
               ".visible .entry k(.param .u64 p0, .param .align 8 .b8 st[24]) {\n"
               ".reg .pred %p<10>; .reg .b16 %rs<10>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<10>;\n"
               ".reg .f64 %fd<10>; .local .align 8 .b8 depot[64];\n") +
           std::string(body) + "\nret; }\n";
}

Module parse(const std::string& text) {
    return parse_module(text, "test.ptx");
}

Instruction first_instruction(std::string_view body) {
    return parse(with_body(body)).find_kernel("k")->instructions.front();
}

std::string refusal(const std::string& text) {
    try {
        parse(text);
        return "accepted";
    } catch (const InputError& error) { return error.what(); }
}

std::string read_data(const std::string& name) {
    std::ifstream file(std::string(LOOKAHEAD_SOURCE_DIR) + "/tests/components/frontend/ptx/data/" + name);
    if (!file) { throw std::runtime_error("no test data " + name); }
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace lookahead::ptx::test
