#include "components/sm/lsu/load_store_unit.h"
#include "components/sm/pipeline/issue_extension.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The default: the SM makes no object for it, so that none of its hooks is ever called.
class NoExtension final : public IssueExtension {
  public:
    explicit NoExtension(const IssueExtensionArguments&) {}
    bool issue(unsigned, Cycle) override { return false; }
    Cycle next_issue(Cycle) const override { return kNever; }
    void begin_cycle(Cycle) override {}
    void event(unsigned, std::uint32_t, Cycle) override {}
    void fields(StateArchive&) override {}
};

LOOKAHEAD_REGISTER_VARIANT(IssueExtension, NoExtension, "none", "Warps have one instruction stream each.",
                           "the default; every machine's baseline")

std::unique_ptr<IssueExtension> make_issue_extension(const Configuration& configuration,
                                                     const IssueExtensionArguments& arguments) {
    return chosen_variant<IssueExtension>(configuration) == SlotTraits<IssueExtension>::default_variant
               ? nullptr
               : make_chosen<IssueExtension>(configuration, arguments);
}

}  // namespace lookahead::gpu
