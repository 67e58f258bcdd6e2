#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lookahead {

/// The accounts of logical processes at the end of a run, when no message is under way: quantities that one process
/// gives and another takes, and resources that must have been returned. The accounts of all ranks together must
/// balance.
class Audit {
  public:
    /// Adds to a quantity whose sum over all processes must be zero. `from` and `to` distinguish instances of it, such
    /// as the paths of a network.
    void account(std::string_view quantity, std::int64_t amount, std::uint32_t from = kAll, std::uint32_t to = kAll);
    /// Records a fault unless `given` == `taken`: what the process gave out must have come back to it.
    void balance(std::string_view process, std::string_view quantity, std::uint64_t given, std::uint64_t taken);
    /// Records a broken invariant of one process. `what` completes a sentence about it: "3 MSHRs are not free".
    void fault(std::string_view process, const std::string& what);
    /// Records a fault if a count that should be 0 is not: "COUNT WHAT".
    void leak(std::string_view process, std::string_view what, std::uint64_t count);

    std::string to_bytes() const;
    /// Adds the accounts and faults of another rank, as its to_bytes() returned them.
    void merge(std::string_view bytes);

    /// One sentence for each fault, in an order that depends on neither ranks nor partition; none if all is well.
    std::vector<std::string> faults() const;

  private:
    static constexpr std::uint32_t kAll = ~std::uint32_t{0};
    struct Account {
        std::string quantity;
        std::uint32_t from = kAll;
        std::uint32_t to = kAll;

        auto operator<=>(const Account&) const = default;
        void serialize(auto& archive, unsigned) { archive& quantity& from& to; }
    };

    std::map<Account, std::int64_t> accounts_;  ///< without those that are zero
    std::vector<std::string> faults_;
};

}  // namespace lookahead
