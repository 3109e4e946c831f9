#include "api/multipart.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// Goal: a form has the same parts for any sizes of pieces, and a malformed one is refused with the
// part's name. Method: each body at once and in pieces of every size.
namespace reelsd::api {
namespace {

using lines = std::vector<std::string>;

constexpr std::string_view content_type = "multipart/form-data; boundary=\"a b\"";

/// One line for each part, with its bytes, and how the body ends.
lines parts_of(std::string_view body, std::size_t piece, std::string_view type = content_type) {
    using kind = multipart_reader::event::kind;
    auto reader = multipart_reader::create(type);
    if (!reader) return {"no boundary"};
    lines seen;
    for (std::size_t at = 0; at < body.size(); at += piece) {
        reader->append(body.substr(at, piece));
        for (;;) {
            const auto next = reader->next();
            if (!next) {
                seen.push_back(next.error().detail());
                return seen;
            }
            if (!*next) break;
            switch ((*next)->what) {
                case kind::part:
                    seen.push_back(
                        (*next)->name + "|" + (*next)->file_name.value_or("(text)") + "|");
                    break;
                case kind::data: seen.back() += (*next)->bytes; break;
                case kind::end: seen.back() += "."; break;
                case kind::close: seen.emplace_back("close"); break;
            }
        }
    }
    return seen;
}

struct form_case {
    const char* name;
    std::string body;
    lines seen;
};

const std::string field = "Content-Disposition: form-data; name=";

const form_case forms[] = {
    {"a text and a file",
     "--a b\r\n" + field + "\"url\"\r\n\r\nx\r\n--a b\r\n" + field +
         "\"video\"; filename=\"c.mp4\"\r\nContent-Type: video/mp4\r\n\r\n\r\n--a\r\n-b\r\n--a "
         "b--\r\n",
     {"url|(text)|x.", "video|c.mp4|\r\n--a\r\n-b.", "close"}},
    {"empty part", "--a b\r\n" + field + "v\r\n\r\n\r\n--a b--", {"v|(text)|.", "close"}},
    {"preamble, whitespace and epilogue",
     "hello\r\n--a b \t\r\n" + field + "v\r\n\r\n1\r\n--a b--\r\nbye\r\n--a b\r\n",
     {"v|(text)|1.", "close"}},
    {"no part", "--a b--\r\n", {"close"}},
    {"escaped quotes",
     "--a b\r\n" + field + "\"v\"; filename=\"a\\\"b%22\\c;d\"\r\n\r\n1\r\n--a b--",
     {"v|a\"b\"\\c;d|1.", "close"}},
    {"other headers, in any case",
     "--a b\r\nX-Y: z\r\ncontent-disposition: FORM-DATA; NAME=v; "
     "filename*=UTF-8''x%c3%Bc\r\n\r\n1\r\n--a "
     "b--",
     {"v|x\u00FC|1.", "close"}},
    {"both file names",
     "--a b\r\n" + field +
         "v; filename=\"x%C3%BC\"; filename*=utf-8'de'x%C3%BC\r\n\r\n1\r\n--a b--",
     {"v|x\u00FC|1.", "close"}},
    {"an extended file name that is not UTF-8",
     "--a b\r\n" + field + "v; filename*=UTF-8''%FF; filename=x\r\n\r\n1\r\n--a b--",
     {"v|x|1.", "close"}},
    {"a longer boundary is data",
     "--a b\r\n" + field + "v\r\n\r\n1\r\n--a bc\r\n--a b--",
     {"v|(text)|1.",
      "malformed multipart body at the part \"v\" or the next one: the boundary is not followed by "
      "the end of a line"}},
    {"no name",
     "--a b\r\n" + field + "\r\n\r\n1\r\n--a b--",
     {"malformed multipart body at the first part: it has no name"}},
    {"no disposition",
     "--a b\r\n\r\n1\r\n--a b--",
     {"malformed multipart body at the first part: it has no Content-Disposition"}},
    {"encoded",
     "--a b\r\n" + field + "v\r\nContent-Transfer-Encoding: base64\r\n\r\nMQ==\r\n--a b--",
     {"malformed multipart body at the first part: Content-Transfer-Encoding is not supported"}},
    {"header without colon",
     "--a b\r\n" + field + "v\r\nX\r\n\r\n1\r\n--a b--",
     {"malformed multipart body at the first part: a header has no colon"}},
    {"headers without end",
     "--a b\r\n" + field + "v\r\nX: " + std::string(9000, 'x'),
     {"malformed multipart body at the first part: the headers are too large"}},
};

TEST(MultipartReader, ReadsTheSameAtEverySplit) {
    for (const auto& form : forms) {
        for (std::size_t piece = 1; piece <= form.body.size();
             piece += 1 + form.body.size() / 300) {
            SCOPED_TRACE(form.name + std::string{" in pieces of "} + std::to_string(piece));
            ASSERT_EQ(parts_of(form.body, piece), form.seen);
        }
    }
}

TEST(MultipartReader, SurvivesDamage) {
    std::mt19937 random{1};
    const auto below = [&random](std::size_t bound) { return random() % bound; };
    for (int round = 0; round < 5'000; ++round) {
        auto body = forms[below(std::size(forms))].body;
        for (auto changes = below(4) + 1; changes > 0 && !body.empty(); --changes) {
            constexpr std::string_view likely = "\r\n-a b\"=;:x";
            body[below(body.size())] = likely[below(likely.size())];
        }
        const auto whole = parts_of(body, body.size());
        ASSERT_EQ(parts_of(body, below(body.size()) + 1), whole) << body;
    }
}

TEST(MultipartReader, ValidatesTheBoundary) {
    for (const auto* const type :
         {"multipart/form-data",
          "multipart/form-data; boundary=",
          "multipart/form-data; boundary=\"",
          "multipart/form-data; boundary=\"a \"",
          "multipart/form-data; boundary=a@b",
          "multipart/form-data; charset=x"}) {
        EXPECT_EQ(parts_of("", 1, type), (lines{"no boundary"})) << type;
    }
    const auto longest = "multipart/form-data; Boundary=" + std::string(70, 'x');
    EXPECT_EQ(parts_of("", 1, longest), lines{});
    EXPECT_EQ(parts_of("", 1, longest + "x"), (lines{"no boundary"}));
}

}  // namespace
}  // namespace reelsd::api
