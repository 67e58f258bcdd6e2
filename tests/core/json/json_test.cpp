#include "core/json/json.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

namespace lookahead {
namespace {

TEST_CASE("members are printed in their order, on one line or a line each") {
    const Json json(
        Json::Object{{"name", "b"}, {"counts", Json::Array{1, std::uint64_t{2}}}, {"alone", nullptr}, {"is", true}});
    CHECK(json.text() == R"({"name":"b","counts":[1,2],"alone":null,"is":true})");
    CHECK(json.page() ==
          "{\n  \"name\": \"b\",\n  \"counts\": [\n    1,\n    2\n  ],\n  \"alone\": null,\n  \"is\": true\n}");
}

TEST_CASE("a text is plain without quotes, anything else as it is printed") {
    CHECK(Json("a \"b\"").plain() == "a \"b\"");
    CHECK(Json("a").text() == "\"a\"");
    CHECK(Json(1.5).plain() == "1.5");
}

TEST_CASE("what was printed is read as it was") {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const Json json(Json::Object{{"texts", std::vector<std::string>{"x", "\n\"", ""}},
                                 {"least", kLeast},
                                 {"most", kMost},
                                 {"double", 0.1},
                                 {"nothing", nullptr},
                                 {"not", false}});
    const Json again = Json::parse(json.page());
    CHECK(again.text() == json.text());
    CHECK(again.at("texts").as_texts() == std::vector<std::string>{"x", "\n\"", ""});
    CHECK(again.at("most").as_count() == kMost);
    CHECK(again.at("double").as_double() == 0.1);
    CHECK(again.members().size() == 6);
    CHECK(again.find("more") == nullptr);
    CHECK(again.at("least").find("more") == nullptr);
}

TEST_CASE("bytes that are no UTF-8 are replaced") {
    CHECK(Json(std::string("a\xff")).text() == "\"a\xef\xbf\xbd\"");
}

TEST_CASE("a text that is no JSON is refused with its place") {
    CHECK_THROWS_WITH_AS(Json::parse("{\"a\": }"), "invalid JSON at byte 7", JsonError);
    CHECK_THROWS_AS(Json::parse(""), JsonError);
    CHECK_THROWS_AS(Json::parse("1 2"), JsonError);
}

TEST_CASE("numbers are taken up to the bounds of the type that is asked for") {
    CHECK(Json::parse("2147483647").as_int() == 2147483647);
    CHECK_THROWS_AS(Json::parse("2147483648").as_int(), JsonError);
    CHECK(Json::parse("-2147483648").as_int() == std::numeric_limits<int>::min());
    CHECK_THROWS_AS(Json::parse("-2147483649").as_int(), JsonError);
    CHECK(Json(0).as_count() == 0);
    CHECK_THROWS_AS(Json(-1).as_count(), JsonError);
    CHECK_THROWS_AS(Json(1.0).as_count(), JsonError);
    CHECK_THROWS_AS(Json(1.0).as_int(), JsonError);
    CHECK(Json(-1).as_double() == -1.0);
}

TEST_CASE("a value of another kind is refused with what it is") {
    const Json json = Json::parse(R"({"a": [1]})");
    CHECK_THROWS_WITH_AS(json.at("b"), "{\"a\":[1]} is not an object with the member b", JsonError);
    CHECK_THROWS_WITH_AS(json.elements(), "{\"a\":[1]} is not an array", JsonError);
    CHECK_THROWS_WITH_AS(json.at("a").members(), "[1] is not an object", JsonError);
    CHECK_THROWS_WITH_AS(json.at("a").as_texts(), "1 is not a text", JsonError);
    CHECK_THROWS_WITH_AS(json.at("a").as_double(), "[1] is not a number", JsonError);
    const Json long_text(std::string(100, 'x'));
    CHECK_THROWS_WITH_AS(long_text.elements(), ("\"" + std::string(59, 'x') + ".. is not an array").c_str(), JsonError);
}

}  // namespace
}  // namespace lookahead
