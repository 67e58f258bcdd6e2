#pragma once

#include <memory>
#include <string>

#include "core/error/error.h"
#include "experiments/workloads/workload.h"

namespace lookahead {

template <class Suite>
struct PeerParameters : Suite::Parameters {
    std::string input = "seeded";
};

template <class Suite>
struct ParametersOf<PeerParameters<Suite>> {
    static ParameterList make() {
        using P = PeerParameters<Suite>;
        ParameterList all = parameters_of<typename Suite::Parameters>();
        const ParameterList input =
            parameter_list<P>(parameter("input", &P::input, {"seeded", "peer"}, {.help = kInputHelp}));
        all.insert(all.end(), input.begin(), input.end());
        return all;
    }
};

/// A workload with two programs: the suite's, and with `input=peer` that of the published comparison with GPGPU-Sim,
/// whose constructor takes the context.
template <class Suite, class Peer>
class WithPeer : public Workload {
  public:
    using Parameters = PeerParameters<Suite>;

    WithPeer(const Parameters& parameters, const WorkloadContext& context) {
        if (parameters.input == "peer") {
            if (parameters.words != typename Suite::Parameters{}.words) {
                throw ConfigurationError("input=peer is one kernel: leave form and unroll out");
            }
            program_ = std::make_unique<Peer>(context);
        } else {
            program_ = std::make_unique<Suite>(parameters, context);
        }
    }

    ProgramCode code() const override { return program_->code(); }
    std::uint32_t most_threads(std::string_view kernel) const override { return program_->most_threads(kernel); }
    void run(Device& device) override { program_->run(device); }
    CheckReport check() const override { return program_->check(); }

  private:
    std::unique_ptr<Workload> program_;
};

}  // namespace lookahead
