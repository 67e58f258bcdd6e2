// Workloads as CUDA programs without nvcc: the host program that `experiments/workloads/cuda_program/build` compiles
// with a workload's kernel.cu, here with the PTX of the driver's capture, registered at run time.
#include <hdf5.h>

#include <deque>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/functional/cuda/runtime_abi.h"

static std::map<std::string, const void*> kernels;
static std::vector<const void*> variables;

static std::string ptx_of(const char* capture) {
    const hid_t file = H5Fopen(capture, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t texts = H5Dopen2(file, "/modules/text", H5P_DEFAULT);
    char* text = nullptr;
    H5Dread(texts, H5Dget_type(texts), H5S_ALL, H5S_ALL, H5P_DEFAULT, &text);
    const std::string ptx = text == nullptr ? "" : text;
    H5Dclose(texts);
    H5Fclose(file);
    return ptx;
}

static std::vector<std::string> names(const std::string& ptx, const char* pattern) {
    const std::regex expression(pattern, std::regex::ECMAScript | std::regex::multiline);
    std::vector<std::string> found;
    for (std::sregex_iterator match(ptx.begin(), ptx.end(), expression), end; match != end; ++match) {
        found.push_back((*match)[1]);
    }
    return found;
}

/// Gives main.cu its tables; nvcc's programs have them from the start.
static void load_module(const char* capture) {
    static std::deque<char> shadows;  // their addresses identify kernels and variables
    const std::string ptx = ptx_of(capture);
    static EmbeddedModule module(ptx);
    for (const std::string& name : names(ptx, R"(\.entry\s+(\w+))")) {
        module.add_kernel(&shadows.emplace_back(), name.c_str());
        kernels[name] = &shadows.back();
    }
    for (const std::string& name :
         names(ptx, R"(^(?:\.visible )?\.(?:const|global) .* (\w+)(?:\[\d*\])*(?: = .*)?;$)")) {
        module.add_variable(&shadows.emplace_back(), name.c_str());
        variables.push_back(&shadows.back());
    }
    module.complete();
}

#define LOOKAHEAD_KERNELS "tests/functional/cuda/runtime_abi.h"  // kernels and variables are above
#include "experiments/workloads/cuda_program/main.cu"
