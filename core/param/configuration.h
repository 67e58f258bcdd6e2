#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/param/parameter_value.h"
#include "core/param/parameters.h"

namespace lookahead {

/// One line of the effective configuration.
struct EffectiveEntry {
    std::string key;
    ParameterValue value;
    std::string unit;
    std::string source;  ///< "default", "file:line" or "override"
    std::string help;
};

/// The values of all configuration keys, from a machine's TOML and overrides. Components read them with their types and
/// ranges checked. Tables nest into dotted keys: `[l1d] ways = 4` is `l1d.ways`. Every fault is a ConfigurationError
/// that names the place (file:line:column or the override), the value, and what would be right. Reading marks keys as
/// used; check_all_used() then refuses unknown keys.
class Configuration {
  public:
    Configuration();
    Configuration(const Configuration&);
    Configuration(Configuration&&) noexcept;
    Configuration& operator=(const Configuration&);
    Configuration& operator=(Configuration&&) noexcept;
    ~Configuration();

    /// InputError if the text is not TOML, ConfigurationError for invalid keys.
    static Configuration from_toml(std::string_view text, std::string file_name);

    /// Sets a value, as in "l1d.ways=8". The value is read as TOML; a value that is not TOML is text, so that quotes
    /// are not needed.
    void override_value(std::string_view key_equals_value);

    /// Takes from `base` the values of keys that are not set here: a machine file inherits from another one.
    void inherit(const Configuration& base);

    /// Removes and returns a text key about the file itself, such as `inherits`; nothing if it is not set.
    std::optional<std::string> take_text(std::string_view key);

    /// Reads the parameters of struct P from the keys `prefix.name`; keys that are not set give the defaults.
    template <HasParameters P>
    P read(std::string_view prefix) const {
        P values{};
        read_into(parameters_of<P>(), prefix, &values);
        return values;
    }

    /// Checks the values and marks the keys as used, like read(), but returns no struct.
    void note(const ParameterList& list, std::string_view prefix) const { given(list, prefix); }

    /// The name of the variant that fills a slot: "router.arbiter" -> "oldest".
    std::string variant(std::string_view slot_key, std::string_view default_name) const;

    /// Refuses keys that were set and not read. A key of a registered parameter set that is not in use (the parameters
    /// of a variant that is not chosen) is allowed in a file and refused as an override.
    void check_all_used() const;

    /// True if a file or an override sets the key.
    bool is_set(std::string_view key) const;

    /// The origin of the key's value: "file:line:column", `override "key=value"`, or "default".
    std::string place_of(std::string_view key) const;

    /// The entries that were read so far, ordered by key.
    std::vector<EffectiveEntry> effective_entries() const;
    /// The same entries as a TOML file; reading it again gives the same values.
    std::string effective_toml() const;
    /// A hash of keys and values of the effective configuration, not of their origins.
    std::uint64_t effective_hash() const;

    /// The configuration as bytes, to send it to other ranks.
    std::string to_bytes() const;
    static Configuration from_bytes(std::string_view bytes);

  private:
    struct State;

    /// The parameters that are not at their defaults.
    using Given = std::vector<std::pair<const Parameter*, ParameterValue>>;
    const Given& given(const ParameterList& list, std::string_view prefix) const;
    void read_into(const ParameterList& list, std::string_view prefix, void* object) const;

    std::unique_ptr<State> state_;
};

}  // namespace lookahead
