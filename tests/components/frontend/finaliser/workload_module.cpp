#include "tests/components/frontend/finaliser/workload_module.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "components/frontend/ptx/parse_module.h"

namespace lookahead::finaliser::test {

ptx::Module workload_module(const std::string& name) {
    const std::string folder = std::string(LOOKAHEAD_SOURCE_DIR "/experiments/workloads/") + name;
    const std::string path = folder + (name == "vecadd" ? "/kernel.ptx" : "/peer.ptx");
    std::ifstream file(path);
    if (!file) { throw std::runtime_error("cannot read " + path); }
    std::stringstream text;
    text << file.rdbuf();
    return ptx::parse_module(text.str(), path);
}

}  // namespace lookahead::finaliser::test
