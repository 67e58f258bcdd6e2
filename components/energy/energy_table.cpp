#include "components/energy/energy_table.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/error/error.h"
#include "core/param/parameter_registry.h"
#include "core/param/suggestion.h"

namespace lookahead {

LOOKAHEAD_REGISTER_PARAMETERS(EnergyParameters, "energy", "The energy model, which observes and changes no result.")

namespace {

/// Reads one file; its errors name the position in the file.
class Reader {
  public:
    Reader(const std::string& file, std::span<const StatisticsSetEntry> statistics) : file_(file) {
        for (const StatisticsSetEntry& set : statistics) {
            kinds_.push_back(set.kind);
            for (const StatisticEntry& each : set.statistics) {
                counters_.push_back(fmt::format("{}.{}", set.kind, each.name));
            }
        }
        kinds_.emplace_back("gpu");
    }

    void read(const toml::table& table, EnergyTable& result) const {
        refuse_others(table, std::array{"description", "event", "static"});
        result.description = text(table, "description");
        for_each_entry(table, "event", [&](const toml::table& entry) {
            refuse_others(entry, std::array{"component", "unit", "counter", "joules", "spared", "source"});
            result.events.push_back({text(entry, "component"), text(entry, "unit"),
                                     known(entry, "counter", "counter", counters_),
                                     sign_of(entry) * amount(entry, "joules"), text(entry, "source")});
        });
        for_each_entry(table, "static", [&](const toml::table& entry) {
            refuse_others(entry, std::array{"component", "unit", "per", "watts", "source"});
            result.statics.push_back({text(entry, "component"), text(entry, "unit"),
                                      known(entry, "per", "kind of component", kinds_), amount(entry, "watts"),
                                      text(entry, "source")});
        });
    }

    [[noreturn]] void fail(const toml::source_region& place, const std::string& sentence) const {
        throw ConfigurationError("{}:{}: {}", file_, place.begin.line, sentence);
    }

  private:
    void for_each_entry(const toml::table& table, const char* name, const auto& read_entry) const {
        const toml::node* node = table.get(name);
        if (node == nullptr) { return; }
        if (!node->is_array()) { fail(node->source(), fmt::format("{} is not a list; write [[{}]]", name, name)); }
        for (const toml::node& entry : *node->as_array()) {
            if (!entry.is_table()) {
                fail(entry.source(), fmt::format("{} is not a list of tables; write [[{}]]", name, name));
            }
            read_entry(*entry.as_table());
        }
    }

    template <std::size_t N>
    void refuse_others(const toml::table& table, const std::array<const char*, N>& names) const {
        for (const auto& [key, node] : table) {
            if (std::ranges::find(names, key.str()) == names.end()) {
                const std::vector<std::string> all(names.begin(), names.end());
                fail(key.source(),
                     fmt::format("unknown member '{}'{}", key.str(), did_you_mean(std::string(key.str()), all)));
            }
        }
    }

    std::string text(const toml::table& table, const char* name) const {
        const toml::node* node = table.get(name);
        const std::string value = node != nullptr ? node->value_or(std::string()) : std::string();
        if (value.empty()) {
            fail(node != nullptr ? node->source() : table.source(), fmt::format("{} must be a text", name));
        }
        return value;
    }

    /// -1 for spared energy, else 1.
    double sign_of(const toml::table& table) const {
        const toml::node* node = table.get("spared");
        if (node != nullptr && !node->is_boolean()) { fail(node->source(), "spared must be true or false"); }
        return node != nullptr && node->value_or(false) ? -1 : 1;
    }
    double amount(const toml::table& table, const char* name) const {
        const toml::node* node = table.get(name);
        const double value = node != nullptr && node->is_number() ? node->value_or(-1.0) : -1.0;
        if (!std::isfinite(value) || value < 0) {
            fail(node != nullptr ? node->source() : table.source(),
                 fmt::format("{} must be a number that is not negative", name));
        }
        return value;
    }

    std::string known(const toml::table& table, const char* name, const std::string& what,
                      const std::vector<std::string>& words) const {
        std::string word = text(table, name);
        if (std::ranges::find(words, word) == words.end()) {
            fail(table.get(name)->source(), fmt::format("unknown {} '{}'{}; 'lookahead list statistics' shows them",
                                                        what, word, did_you_mean(word, words)));
        }
        return word;
    }

    const std::string& file_;
    std::vector<std::string> kinds_;
    std::vector<std::string> counters_;
};

}  // namespace

EnergyTable parse_energy_table(std::string name, std::string_view toml, const std::string& file,
                               std::span<const StatisticsSetEntry> statistics) {
    EnergyTable result;
    result.name = std::move(name);
    result.toml = toml;
    const Reader reader(file, statistics);
    try {
        reader.read(toml::parse(toml, std::string_view(file)), result);
    } catch (const toml::parse_error& error) { reader.fail(error.source(), std::string(error.description())); }
    return result;
}

}  // namespace lookahead
