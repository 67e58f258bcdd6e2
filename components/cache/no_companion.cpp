#include "components/cache/l1_companion.h"
#include "components/cache/l1_data.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

namespace {

/// The default: L1 makes no companion, so no hook is ever called.
class NoCompanion final : public L1Companion {
  public:
    explicit NoCompanion(const L1CompanionArguments&) {}
    WordMask load(const L1Access&, WordMask, std::byte*) override { return 0; }
    StoreResult store(const L1Access&, const ByteMask&, const std::byte*, std::byte*) override {
        return {StoreAnswer::passed};
    }
    void passed(std::uint64_t, WordMask) override {}
    bool fill(const L1Access&, WordMask, const std::byte*) override { return false; }
    bool give_up(std::uint64_t) override { return true; }
    void begin_kernel() override {}
    bool flush() override { return true; }
    void fields(StateArchive&) override {}
};

}  // namespace

std::unique_ptr<L1Companion> make_companion(const L1CompanionArguments& arguments) {
    const std::string chosen = chosen_variant<L1Companion>(arguments.configuration);
    if (chosen == L1Companion::kSlot.default_variant) { return nullptr; }
    const auto parameters = arguments.configuration.read<L1Parameters>("l1d");
    if (!parameters.local_write_policy.starts_with("write_back")) {
        throw ConfigurationError(
            "l1d.companion = \"{}\" needs stores to local memory to stay in L1: l1d.local_write_policy = "
            "\"write_back\", \"write_back_fetch\" or \"write_back_no_allocate\", not \"{}\"",
            chosen, parameters.local_write_policy);
    }
    return make_chosen<L1Companion>(arguments.configuration, arguments);
}

LOOKAHEAD_REGISTER_VARIANT(L1Companion, NoCompanion, "none", "L1D alone.", "the default; every machine's baseline")

}  // namespace lookahead::gpu
