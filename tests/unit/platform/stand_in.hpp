#pragma once

#include "support/paths.hpp"
#include "support/stand_in_process.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/net/http_client.hpp>
#include <reelsd/net/url.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace reelsd::platform::test {

/// Longer than any passing test takes on a busy machine.
inline deadline patience() {
    return deadline::after(std::chrono::seconds{60});
}

/// The platform's stand-in, one for all tests of the program; each test begins with a reset().
class stand_in {
public:
    stand_in() : process_{std::string{REELSD_SOURCE_DIR} + "/tests/support/platform_stand_in.py"} {}

    static stand_in& shared() {
        static stand_in instance;
        return instance;
    }

    [[nodiscard]] const std::string& origin() const { return process_.origin(); }

    /// Replaces the whole configuration; see the script for its format.
    void reset(json settings) {
        settings["reset"] = true;
        const auto answer = client_.send(
            {.method = net::http_method::post,
             .url = origin() + "/_control",
             .body = settings.dump()},
            patience(),
            {});
        if (!answer || answer->status() != 200)
            throw std::runtime_error{"stand-in refuses: " + settings.dump()};
    }

    /// Replaces the configuration with one post.
    void has_post(const std::string& code, json how) {
        reset({{"posts", {{code, std::move(how)}}}});
    }

    [[nodiscard]] json report() const {
        const auto answer = client_.send(
            {.url = origin() + "/_control", .response_bytes_max = std::size_t{16} * 1024 * 1024},
            patience(),
            {});
        return json::parse(answer.value().body);
    }

    [[nodiscard]] int count(const std::string& kind) const {
        return report().at("counts").value(kind, 0);
    }

private:
    reelsd::test::stand_in_process process_;
    net::http_client client_{{.policy = {.allow_private = true}}};
};

/// The code of the post in most tests.
inline constexpr const char* code = "DYexample01";

/// A resolver that asks the stand-in.
template <class Resolver>
class resolver_test : public ::testing::Test {
protected:
    net::url origin_ = net::url::parse(stand_in::shared().origin()).value();
    net::http_client client_{{.policy = {.trusted_origins = {origin_.origin()}}}};
    Resolver resolver_{client_, {.platform = origin_}};
};

/// A folder that is removed with its scope.
class scratch_folder {
public:
    scratch_folder() {
        std::string name = std::filesystem::temp_directory_path() / "reelsd-test-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no scratch folder"};
        path_ = name;
    }
    ~scratch_folder() { std::filesystem::remove_all(path_); }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] bool is_empty() const { return std::filesystem::is_empty(path_); }

private:
    std::filesystem::path path_;
};

}  // namespace reelsd::platform::test
