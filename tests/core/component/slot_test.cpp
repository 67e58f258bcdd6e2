#include <doctest/doctest.h>

#include "core/error/error.h"
#include "tests/core/component/example_slot.h"
#include "tests/core/error/error_of.h"

namespace lookahead {
namespace {

class QuietGreeter : public Greeter {
  public:
    QuietGreeter(int number, std::string& log) : number_(number) { log += "quiet made;"; }
    std::string greet() const override { return "hello " + std::to_string(number_); }

  private:
    int number_;
};

class LoudGreeter : public Greeter {
  public:
    using Parameters = LoudParameters;
    LoudGreeter(const Parameters& parameters, int number, std::string& log)
        : times_(parameters.times), number_(number) {
        log += "loud made;";
    }
    std::string greet() const override { return "HELLO " + std::to_string(number_) + " x" + std::to_string(times_); }

  private:
    std::int64_t times_;
    int number_;
};

LOOKAHEAD_REGISTER_VARIANT(Greeter, QuietGreeter, "quiet", "Says hello once.", "")
LOOKAHEAD_REGISTER_VARIANT(Greeter, LoudGreeter, "loud", "Calls out.", "Stentor, Iliad V")

TEST_CASE("a variant is made by its name with the slot's arguments") {
    const Configuration configuration;
    std::string log;
    CHECK(make_variant<Greeter>("quiet", configuration, 7, log)->greet() == "hello 7");
    CHECK(make_variant<Greeter>("loud", configuration, 8, log)->greet() == "HELLO 8 x2");
    CHECK(log == "quiet made;loud made;");
}

TEST_CASE("a variant's parameters are read from the prefix that is its name") {
    auto configuration = Configuration::from_toml("house.greeter = \"loud\"\nloud.times = 5", "m.toml");
    std::string log;
    const std::string name = configuration.variant("house.greeter", "quiet");
    CHECK(make_variant<Greeter>(name, configuration, 1, log)->greet() == "HELLO 1 x5");
    CHECK_NOTHROW(configuration.check_all_used());
    configuration.override_value("loud.times=10");
    CHECK_THROWS_AS(make_variant<Greeter>(name, configuration, 1, log), ConfigurationError);
}

TEST_CASE("a parameter of a variant that is not chosen is refused as an override") {
    Configuration configuration;
    configuration.override_value("loud.times=5");
    std::string log;
    make_variant<Greeter>("quiet", configuration, 1, log);
    CHECK_THROWS_AS(configuration.check_all_used(), ConfigurationError);
}

TEST_CASE("an unknown variant is refused with its place, the nearest name and all names") {
    std::string log;
    const auto error = [&](const Configuration& configuration) {
        return test::error_of<ConfigurationError>(
            [&] { make_variant<Greeter>(configuration.variant("house.greeter", "lout"), configuration, 1, log); });
    };
    CHECK(error(Configuration::from_toml("[house]\ngreeter = \"louder\"", "m.toml")) ==
          "m.toml:2:11: house.greeter has no variant \"louder\": did you mean loud?; its variants are loud, quiet");
    CHECK(error(Configuration()) ==
          "house.greeter has no variant \"lout\": did you mean loud?; its variants are loud, quiet");
}

TEST_CASE("the names of a slot's variants are known to tests that run on all of them") {
    CHECK(variant_names<Greeter>() == std::vector<std::string>{"loud", "quiet"});
}

TEST_CASE("a second variant of the same name in a slot is an internal error") {
    CHECK_THROWS_AS(add_variant({"house.greeter", "quiet", "Another.", "", nullptr}), InternalError);
    CHECK_THROWS_AS(add_variant({"house.greeter", "silent", "", "", nullptr}), InternalError);
}

}  // namespace
}  // namespace lookahead
