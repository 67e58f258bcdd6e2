#pragma once

#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/bits/before_main.h"
#include "core/component/catalogue.h"
#include "core/param/configuration.h"
#include "core/param/parameters.h"

/// A slot is an interface class with a contract in its header and with two declarations:
///
///     static constexpr SlotDeclaration kSlot{"router.arbiter", "oldest", "Chooses the message that goes next."};
///     using Arguments = std::tuple<const ArbiterContext&>;  // of every variant's constructor
///
/// A variant registers itself by one statement at namespace scope in its own .cpp:
///
///     LOOKAHEAD_REGISTER_VARIANT(Arbiter, OldestArbiter, "oldest", "The oldest message goes first.", "Dally and
///     Towles, Principles and Practices of Interconnection Networks, 2004")
///
/// Its constructor takes the slot's Arguments. A variant with parameters names their struct, `using
/// Parameters = OldestParameters;`, and takes `const Parameters&` first; their keys have the variant's name as a
/// prefix ("oldest.…"). A variant that also reads other variants' parameters names their prefixes:
/// `static constexpr std::string_view kReads[] = {"round_robin"};`.
namespace lookahead {

struct SlotDeclaration {
    std::string_view name;             ///< the configuration key
    std::string_view default_variant;  ///< empty: the configuration has no such key
    std::string_view description;
    bool takes_several = false;  ///< joined by `+`: joined_variants
};

template <class Interface>
struct SlotTraits {
    static constexpr std::string_view name = Interface::kSlot.name;
    static constexpr std::string_view default_variant = Interface::kSlot.default_variant;
    static constexpr std::string_view description = Interface::kSlot.description;
    static constexpr bool takes_several = Interface::kSlot.takes_several;
    using Arguments = typename Interface::Arguments;
};

namespace detail {

template <class Variant>
concept VariantWithParameters = requires {
    typename Variant::Parameters;
};

template <class Interface, class ArgumentTuple>
struct FactoryOf;

template <class Interface, class... Arguments>
struct FactoryOf<Interface, std::tuple<Arguments...>> {
    using Pointer = std::unique_ptr<Interface> (*)(const std::string& name, const Configuration&, Arguments...);

    template <class Variant>
    static std::unique_ptr<Interface> make([[maybe_unused]] const std::string& name,
                                           [[maybe_unused]] const Configuration& configuration,
                                           Arguments... arguments) {
        if constexpr (VariantWithParameters<Variant>) {
            return std::make_unique<Variant>(configuration.read<typename Variant::Parameters>(name),
                                             std::forward<Arguments>(arguments)...);
        } else {
            return std::make_unique<Variant>(std::forward<Arguments>(arguments)...);
        }
    }
};

template <class Interface>
using Factory = FactoryOf<Interface, typename SlotTraits<Interface>::Arguments>;

template <class Interface>
std::map<std::string, typename Factory<Interface>::Pointer, std::less<>>& factories() {
    static std::map<std::string, typename Factory<Interface>::Pointer, std::less<>> map;
    return map;
}

/// The names in the slot's value "a+b". ConfigurationError if a name occurs twice, or the default beside others.
std::vector<std::string> joined_names(std::string_view slot, std::string_view default_variant,
                                      const Configuration& configuration);

/// Throws a ConfigurationError with the place of the slot's value, the variants, and the nearest name.
[[noreturn]] void unknown_variant(std::string_view slot, const std::string& name, const Configuration& configuration);

template <class Interface, class Variant>
bool register_variant(std::string_view name, std::string_view description, std::string_view source) {
    static_assert(std::is_base_of_v<Interface, Variant>, "a variant derives from its slot's interface");
    static_assert(std::has_virtual_destructor_v<Interface>, "a slot's interface has a virtual destructor");
    VariantEntry entry{std::string(SlotTraits<Interface>::name),
                       std::string(name),
                       std::string(description),
                       std::string(source),
                       nullptr,
                       {}};
    if constexpr (VariantWithParameters<Variant>) { entry.parameters = &parameters_of<typename Variant::Parameters>(); }
    if constexpr (requires { Variant::kReads; }) {
        entry.reads.assign(std::begin(Variant::kReads), std::end(Variant::kReads));
    }
    add_slot({.name = std::string(SlotTraits<Interface>::name),
              .description = std::string(SlotTraits<Interface>::description),
              .default_variant = std::string(SlotTraits<Interface>::default_variant),
              .takes_several = SlotTraits<Interface>::takes_several});
    add_variant(std::move(entry));
    factories<Interface>().emplace(name, &Factory<Interface>::template make<Variant>);
    return true;
}

}  // namespace detail

/// Makes the variant of that name. An unknown name is a ConfigurationError with "did you mean".
template <class Interface, class... Arguments>
std::unique_ptr<Interface> make_variant(const std::string& name, const Configuration& configuration,
                                        Arguments&&... arguments) {
    const auto& known = detail::factories<Interface>();
    const auto found = known.find(name);
    if (found == known.end()) { detail::unknown_variant(SlotTraits<Interface>::name, name, configuration); }
    return found->second(name, configuration, std::forward<Arguments>(arguments)...);
}

/// The variant that the configuration puts into the slot.
template <class Interface>
std::string chosen_variant(const Configuration& configuration) {
    return configuration.variant(SlotTraits<Interface>::name, SlotTraits<Interface>::default_variant);
}

template <class Interface, class... Arguments>
std::unique_ptr<Interface> make_chosen(const Configuration& configuration, Arguments&&... arguments) {
    return make_variant<Interface>(chosen_variant<Interface>(configuration), configuration,
                                   std::forward<Arguments>(arguments)...);
}

/// The variants that the configuration puts into a slot that takes several, in their order. Empty if the slot has its
/// default, which means "no variant".
template <class Interface>
std::vector<std::string> joined_variants(const Configuration& configuration) {
    static_assert(SlotTraits<Interface>::takes_several);
    return detail::joined_names(SlotTraits<Interface>::name, SlotTraits<Interface>::default_variant, configuration);
}

/// The names of the slot's variants in alphabetical order, for tests that run on all of them.
template <class Interface>
std::vector<std::string> variant_names() {
    std::vector<std::string> names;
    for (const auto& [name, factory] : detail::factories<Interface>()) { names.push_back(name); }
    return names;
}

}  // namespace lookahead

/// At namespace scope, in the variant's own .cpp.
#define LOOKAHEAD_REGISTER_VARIANT(Interface, Variant, name, description, source) \
    LOOKAHEAD_BEFORE_MAIN(::lookahead::detail::register_variant<Interface, Variant>(name, description, source))
