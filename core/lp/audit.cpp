#include "core/lp/audit.h"

#include <algorithm>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include <fmt/format.h>

#include "core/checkpoint/archived.h"

namespace lookahead {

void Audit::account(std::string_view quantity, std::int64_t amount, std::uint32_t from, std::uint32_t to) {
    if (amount == 0) { return; }
    Account key{std::string(quantity), from, to};
    std::int64_t& sum = accounts_[key];
    sum += amount;
    if (sum == 0) { accounts_.erase(key); }
}

void Audit::balance(std::string_view process, std::string_view quantity, std::uint64_t given, std::uint64_t taken) {
    if (given != taken) { fault(process, fmt::format("{}: {} went out, but {} came back", quantity, given, taken)); }
}

void Audit::fault(std::string_view process, const std::string& what) {
    faults_.push_back(fmt::format("{}: {}", process, what));
}

void Audit::leak(std::string_view process, std::string_view what, std::uint64_t count) {
    if (count != 0) { fault(process, fmt::format("{} {}", count, what)); }
}

std::string Audit::to_bytes() const {
    return archived(accounts_, faults_);
}

void Audit::merge(std::string_view bytes) {
    Audit other;
    read_archived(bytes, "the audit of another rank", other.accounts_, other.faults_);
    for (const auto& [key, amount] : other.accounts_) { account(key.quantity, amount, key.from, key.to); }
    std::move(other.faults_.begin(), other.faults_.end(), std::back_inserter(faults_));
}

std::vector<std::string> Audit::faults() const {
    std::vector<std::string> all = faults_;
    for (const auto& [key, amount] : accounts_) {
        std::string place;
        if (key.from != kAll) { place += fmt::format(" from {}", key.from); }
        if (key.to != kAll) { place += fmt::format(" to {}", key.to); }
        all.push_back(fmt::format("{}{}: the sum over the machine is {}, not 0", key.quantity, place, amount));
    }
    std::ranges::sort(all);
    return all;
}

}  // namespace lookahead
