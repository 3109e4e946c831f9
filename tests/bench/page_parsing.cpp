// Measures the parsing of the platform's pages, for tests/bench/page_parsing.py. By hand:
//   page_parsing write FOLDER         writes pages of 1 MB around a golden page's data, as the
//                                     platform serves them: FOLDER/<number>, and names in
//                                     FOLDER/names
//   page_parsing read PAGE ROUNDS     {"took": [ms of each round], "cpu": seconds of all rounds}
//   page_parsing slow                 ms of answers that are built to be slow, at doubling sizes:
//                                     linear times double

#include "platform/answer_parser.hpp"
#include "support/paths.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/json.hpp>

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace reelsd::platform {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t page_bytes = std::size_t{1024} * 1024;

const link reel = post_link("DYexample01");

std::string golden(const char* name) {
    const auto file = std::string{REELSD_SOURCE_DIR} + "/tests/golden/platform/" + name;
    std::ostringstream text;
    text << std::ifstream{file, std::ios::binary}.rdbuf();
    return text.str();
}

std::string repeated(std::string_view part, std::size_t bytes) {
    std::string text;
    text.reserve(bytes + part.size());
    while (text.size() < bytes) text += part;
    return text;
}

/// The application's code, which contains names of data and of other routes.
std::string code(std::size_t bytes) {
    return "<script>" +
           repeated(
               R"(__d("PolarisThing",["xig_polaris_media","React"],(function(a,b,c){"use strict";)"
               R"(var d=b("canonicalRouteName"),e=a<b&&c>d;return e?"login_required":'</p>';)"
               R"(}),98);)",
               bytes) +
           "</script>";
}

/// Members of a data object that no reader needs.
std::string members(std::size_t bytes) {
    return repeated(
        R"("gk_10293":{"result":false,"hash":null,"list":[1,2.5,"three",{"four":true}],)"
        R"("text":"A sentence of a translated page, with \u00e4 and \/ in it."},)",
        bytes);
}

std::string block(const std::string& inside) {
    return R"(<script type="application/json" data-content-len="1" data-sjs>{)" + inside +
           R"("end":0}</script>)";
}

struct page_case {
    const char* name;
    std::string html;
};

std::vector<page_case> pages() {
    const auto reel = golden("reel.html");
    const auto half = page_bytes / 2;
    const auto record = reel.substr(reel.find("{\"xig_polaris_media\""));
    const auto data = R"("data":)" + record.substr(0, record.find(",\"extensions\"")) + ",";
    std::string many_blocks;
    while (many_blocks.size() < half) many_blocks += block(members(30'000));
    return {
        {"the golden page alone", reel},
        {"mostly code", code(page_bytes - reel.size()) + reel},
        {"half code, half other data", code(half) + many_blocks + reel},
        {"the post in a block of 300 KB",
         code(page_bytes - 300'000) + block(members(150'000) + data + members(150'000))},
        {"one block of 1 MB", block(members(half) + data + members(half))},
    };
}

double milliseconds(const std::function<void()>& what) {
    const auto start = clock::now();
    what();
    return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

bool write_pages(const std::string& folder) {
    std::ofstream names{folder + "/names"};
    int number = 0;
    for (const auto& page : pages()) {
        std::ofstream file{folder + "/" + std::to_string(number++), std::ios::binary};
        file << page.html;
        names << page.name << '\n';
        file.close();
        if (!file) return false;
    }
    names.close();
    return names.good();
}

double processor_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

bool measure_page(const std::string& file, std::size_t rounds) {
    std::ostringstream text;
    text << std::ifstream{file, std::ios::binary}.rdbuf();
    const auto html = text.str();
    json took = json::array();
    const auto before = processor_seconds();
    for (std::size_t round = 0; round < rounds; ++round) {
        bool has_post = false;
        took.push_back(
            milliseconds([&] { has_post = parse_page(html, reel).subject.has_value(); }));
        if (!has_post) return false;
    }
    const json measured{{"took", took}, {"cpu", processor_seconds() - before}};
    std::printf("%s\n", measured.dump().c_str());
    return true;
}

struct slow_case {
    const char* name;
    std::function<std::string(std::size_t bytes)> make;
    std::function<void(std::string_view)> read;
};

std::string in_root(const std::string& text) {
    return R"(<script type="application/json" data-sjs>{"xig_polaris_media":)" + text +
           "}</script>";
}

std::string nested(std::string_view open, std::string_view close, std::size_t bytes) {
    const auto depth = bytes / (open.size() + close.size());
    return repeated(open, depth * open.size()) + "1" + repeated(close, depth * close.size());
}

std::vector<slow_case> slow_cases() {
    const auto as_page = [](std::string_view text) { (void)parse_page(text, reel); };
    const auto as_embed = [](std::string_view text) { (void)parse_embed(text, reel); };
    const auto as_answer = [](std::string_view text) { (void)parse_query(text, reel); };
    const auto repeats = [](std::string_view part) {
        return [part](std::size_t bytes) { return repeated(part, bytes); };
    };
    const std::string record = R"({"code":"DYexample01","media_type":2,"video_versions":[)"
                               R"({"url":"https://a/1"}],"caption":{"text":")";
    return {
        {"page: <script", repeats("<script "), as_page},
        {"page: <script \"", repeats("<script a=\""), as_page},
        {"page: blocks of nothing",
         repeats("<script type=application/json data-sjs>xig_polaris_media</script>"),
         as_page},
        {"page: route names", repeats(R"("canonicalRouteName":"comet.igweb.)"), as_page},
        {"page: backslashes",
         [](std::size_t n) { return in_root("\"" + std::string(n, '\\')); },
         as_page},
        {"page: halved surrogates",
         [](std::size_t n) { return in_root("\"" + repeated(R"(\ud83d)", n) + "\""); },
         as_page},
        {"page: deep", [](std::size_t n) { return in_root(nested("[", "]", n)); }, as_page},
        {"page: wide",
         [](std::size_t n) { return in_root("[" + repeated("[],", n) + "1]"); },
         as_page},
        {"page: roots in roots",
         [](std::size_t n) {
             return in_root(nested(R"({"code":"DYexample01","xig_polaris_media":)", "}", n));
         },
         as_page},
        {"page: hashtags",
         [record](std::size_t n) { return in_root(record + repeated("#a ", n) + "\"}}"); },
         as_page},
        {"answer: lines", repeats("{\"data\":{}}\n"), as_answer},
        {"answer: deep later document",
         [](std::size_t n) {
             return R"({"data":{"a":{}}})"
                    "\n"
                    R"({"path":["a"],"data":{"b":)" +
                    nested("[", "]", n) + "}}";
         },
         as_answer},
        {"answer: errors",
         [](std::size_t n) {
             return R"({"errors":[)" + repeated(R"({"message":"execution error"},)", n) + "1]}";
         },
         as_answer},
        {"embed: contextJSON", repeats("\"contextJSON\":\""), as_embed},
        {"embed: contextJSON, long",
         [](std::size_t n) { return "\"contextJSON\":\"" + std::string(n, '\\') + "\""; },
         as_embed},
        {"embed: additionalDataLoaded",
         [](std::size_t n) {
             return repeated("__additionalDataLoaded(", 1000) + nested("{\"a\":", "}", n);
         },
         as_embed},
        {"embed: elements", repeats("\"EmbeddedMediaVideo\""), as_embed},
        {"embed: elements, unclosed", repeats("<a \"EmbeddedMediaVideo\" "), as_embed},
    };
}

void measure_slow_ones() {
    constexpr std::size_t bytes_min = std::size_t{64} * 1024;
    for (const auto& input : slow_cases()) {
        std::printf("%-32s", input.name);
        for (auto bytes = bytes_min; bytes <= bounds::page_bytes_max; bytes *= 2) {
            const auto text = input.make(bytes);
            std::printf("%9.2f", milliseconds([&] { input.read(text); }));
        }
        std::printf("\n");
    }
}

}  // namespace
}  // namespace reelsd::platform

int main(int count, char** values) {
    using namespace reelsd::platform;
    const std::string verb = count > 1 ? values[1] : "";
    if (verb == "write" && count == 3) return write_pages(values[2]) ? EXIT_SUCCESS : EXIT_FAILURE;
    if (verb == "slow" && count == 2) {
        measure_slow_ones();
        return EXIT_SUCCESS;
    }
    const auto rounds = count == 4 ? std::strtoul(values[3], nullptr, 10) : 0;
    if (verb != "read" || rounds == 0) {
        std::fprintf(stderr, "usage: page_parsing write FOLDER | read PAGE ROUNDS | slow\n");
        return EXIT_FAILURE;
    }
    if (measure_page(values[2], rounds)) return EXIT_SUCCESS;
    std::fprintf(stderr, "%s: a page without its post\n", values[2]);
    return EXIT_FAILURE;
}
