#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lookahead::finaliser {

/// Numbered lists, whose elements are in one array.
template <typename Element>
class Lists {
  public:
    Lists() = default;
    /// `visit_all(f)` calls `f(list, element)` for all elements. It is called twice, and must do the same each time.
    template <typename VisitAll>
    Lists(std::size_t count, VisitAll visit_all) : first_(count + 2, 0) {
        visit_all([this](std::uint32_t list, const Element&) { ++first_[list + 2]; });
        for (std::size_t i = 2; i < first_.size(); ++i) { first_[i] += first_[i - 1]; }
        elements_.resize(first_.back());
        visit_all([this](std::uint32_t list, const Element& element) { elements_[first_[list + 1]++] = element; });
    }

    /// The elements of a list, in the order in which they came.
    std::span<const Element> operator[](std::uint32_t list) const {
        return std::span(elements_).subspan(first_[list], first_[list + 1] - first_[list]);
    }

  private:
    std::vector<std::uint32_t> first_;  ///< the first element of each list, then the end
    std::vector<Element> elements_;
};

}  // namespace lookahead::finaliser
