// Goal: the session's answers end in the right post or error, and every refusal of the session
// disables it. Method: a table over the pure function; the platform's stand-in with a session per
// row.
#include "platform/http_resolvers.hpp"
#include "stand_in.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

namespace reelsd::platform {
namespace {

using test::code;
using test::patience;
using test::stand_in;

constexpr const char* other_code = "DYexample02";

TEST(ClassifySession, RecognizesTheEndOfTheSession) {
    struct test_case {
        const char* name;
        answer_signals signals;
        errc failure;
        bool ends_session;
    };
    using redirect = answer_redirect;
    using platform_error = answer_error;
    constexpr auto broken = errc::platform_failed;
    const test_case cases[] = {
        {"to login", {.status = 302, .redirect = redirect::login}, broken, true},
        {"to home", {.status = 302, .redirect = redirect::home}, broken, true},
        {"to a challenge", {.status = 302, .redirect = redirect::challenge}, broken, true},
        {"elsewhere",
         {.status = 302, .redirect = redirect::elsewhere},
         errc::platform_changed,
         false},
        {"to the post", {.status = 302, .redirect = redirect::post}, errc::platform_changed, false},
        {"400 challenge",
         {.status = 400, .platform_error = platform_error::challenge},
         broken,
         true},
        {"200 challenge", {.platform_error = platform_error::challenge}, broken, true},
        {"400 HTML", {.status = 400, .platform_error = platform_error::html}, broken, true},
        {"400 text", {.status = 400, .platform_error = platform_error::no_json}, broken, true},
        {"400 other JSON", {.status = 400}, errc::platform_changed, false},
        {"400 outdated",
         {.status = 400, .platform_error = platform_error::outdated},
         errc::platform_changed,
         false},
        {"401", {.status = 401}, broken, true},
        {"403 login",
         {.status = 403, .platform_error = platform_error::login_required},
         broken,
         true},
        {"403 JSON", {.status = 403}, broken, true},
        {"403 HTML", {.status = 403, .platform_error = platform_error::html}, broken, false},
        {"401 wait",
         {.status = 401, .platform_error = platform_error::wait},
         errc::platform_rate_limited,
         false},
        {"429", {.status = 429}, errc::platform_rate_limited, false},
        {"404", {.status = 404}, errc::video_unavailable, false},
        {"503", {.status = 503, .platform_error = platform_error::html}, broken, false},
        {"200 HTML", {.platform_error = platform_error::html}, broken, false},
        {"no items", {.media = answer_media::null_root}, errc::video_unavailable, false},
        {"photo", {.media = answer_media::photo}, errc::no_video, false},
        {"private",
         {.status = 400, .platform_error = platform_error::private_account},
         errc::login_required,
         false},
    };
    for (const auto& expected : cases) {
        auto signals = expected.signals;
        signals.kind = answer_kind::session;
        const auto classification = classify(signals);
        EXPECT_EQ(classification.failure, expected.failure) << expected.name;
        EXPECT_EQ(classification.ends_session, expected.ends_session) << expected.name;
        EXPECT_EQ(classification.throttles_client, expected.failure == errc::platform_rate_limited)
            << expected.name;
        EXPECT_EQ(classification.needs_confirmation, expected.failure == errc::video_unavailable)
            << expected.name;
    }
    const answer_signals good{.kind = answer_kind::session, .media = answer_media::video};
    EXPECT_FALSE(classify(good).failure);
    EXPECT_EQ(confidence_of({.kind = answer_kind::session, .status = 404}), confidence::low);
    // Without a session, the status decides on a demand to log in.
    const answer_signals anonymous{
        .kind = answer_kind::query,
        .status = 403,
        .platform_error = platform_error::login_required};
    EXPECT_FALSE(classify(anonymous).ends_session);
}

class memory_record final : public session_record {
public:
    result<std::optional<std::string>> refusal_of(
        const std::string& fingerprint, deadline /*by*/) override {
        if (is_away) return error{errc::database_unavailable, "away"};
        const auto outcome = refusals.find(fingerprint);
        return outcome == refusals.end() ? std::nullopt : std::optional{outcome->second};
    }
    result<refusal_news> refuse(
        const std::string& fingerprint, std::string_view reason, deadline /*by*/) override {
        if (is_away) return error{errc::database_unavailable, "away"};
        return refusals.emplace(fingerprint, reason).second ? refusal_news::first
                                                            : refusal_news::known;
    }

    std::map<std::string, std::string> refusals;
    bool is_away = false;
};

class SessionResolver : public ::testing::Test {
protected:
    void use(const std::string& sessionid) {
        {
            std::ofstream file{file_};
            file << "sessionid=" << sessionid << "; csrftoken=t0ken";
        }
        std::filesystem::permissions(file_, std::filesystem::perms::owner_read);
        session_ =
            session::open({.file = file_, .host = "127.0.0.1"}, log::logger::silent()).value();
        session_->attach(record_);
        resolver_ = std::make_unique<session_resolver>(
            client_, *session_, http_resolver_settings{.platform = origin_});
    }
    void stand_in_has(const std::string& kind, json post = json::object()) {
        stand_in::shared().reset(
            {{"posts", {{code, post}, {other_code, post}}}, {"sessions", {{kind, kind}}}});
        std::filesystem::remove(file_);
        use(kind);
    }
    resolution ask(const char* about = code) {
        return resolver_->resolve(post_link(about), patience(), {});
    }

    test::scratch_folder folder_;
    std::filesystem::path file_ = folder_.path() / "cookies.txt";
    net::url origin_ = net::url::parse(stand_in::shared().origin()).value();
    net::http_client client_{{.policy = {.trusted_origins = {origin_.origin()}}}};
    memory_record record_;
    std::unique_ptr<session> session_;
    std::unique_ptr<session_resolver> resolver_;
};

TEST_F(SessionResolver, FindsThePost) {
    stand_in_has("valid", {{"author", "some_one"}, {"plays", 901}});
    const auto outcome = ask();
    ASSERT_TRUE(outcome) << outcome.error().why.to_string();
    EXPECT_EQ(outcome->author, "some_one");
    EXPECT_EQ(outcome->view_count, 901);
    EXPECT_TRUE(resolver_->is_enabled(patience()));
}

TEST_F(SessionResolver, SeesPostsHiddenFromVisitors) {
    stand_in_has("valid", {{"page", "age"}});
    EXPECT_TRUE(ask());
    stand_in_has("valid", {{"page", "private"}});
    EXPECT_EQ(ask().error().why.code(), errc::login_required);
    stand_in_has("valid", {{"page", "deleted"}});
    EXPECT_EQ(ask().error().why.code(), errc::video_unavailable);
    EXPECT_TRUE(resolver_->is_enabled(patience()));
}

TEST_F(SessionResolver, IsDisabledByEveryRefusal) {
    for (const char* kind : {"expired", "logged_out", "challenged"}) {
        stand_in_has(kind);
        const auto outcome = ask();
        ASSERT_FALSE(outcome) << kind;
        EXPECT_EQ(outcome.error().why.code(), errc::platform_failed) << kind;
        EXPECT_FALSE(resolver_->is_enabled(patience())) << kind;
        EXPECT_TRUE(record_.refusals.contains(session_->fingerprint())) << kind;
        EXPECT_FALSE(ask());
        EXPECT_EQ(stand_in::shared().count("media_info"), 1) << kind;
    }
}

TEST_F(SessionResolver, IsDisabledByTwoPostsThatAreNotFound) {
    stand_in_has("masked");
    for (int again = 0; again < 2; ++again) {
        const auto outcome = ask();
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().why.code(), errc::video_unavailable);
        EXPECT_EQ(outcome.error().worth, confidence::low);
        resolver_->note_unconfirmed(post_link(code));
        EXPECT_TRUE(resolver_->is_enabled(patience()));
    }
    EXPECT_FALSE(ask(other_code));
    EXPECT_TRUE(resolver_->is_enabled(patience())) << "not counted before it is unconfirmed";
    resolver_->note_unconfirmed(post_link(other_code));
    EXPECT_FALSE(resolver_->is_enabled(patience()));
}

TEST_F(SessionResolver, NamesAFailingProxyFirst) {
    stand_in_has("valid");
    const net::http_client client{
        {.policy = {.trusted_origins = {origin_.origin()}},
         .by_proxy = net::proxy::parse("http://nowhere.invalid:3128").value()}};
    const session_resolver by_proxy{client, *session_, {.platform = origin_}};
    const auto outcome = by_proxy.resolve(post_link(code), patience(), {});
    ASSERT_FALSE(outcome);
    EXPECT_TRUE(outcome.error().why.detail().starts_with("nowhere.invalid:3128: "))
        << outcome.error().why.detail();
}

TEST_F(SessionResolver, CoolsDownLikeOthers) {
    stand_in_has("throttled");
    const auto outcome = ask();
    ASSERT_FALSE(outcome);
    EXPECT_EQ(try_outcome_of(outcome.error()), try_outcome::throttled);
    EXPECT_TRUE(resolver_->is_enabled(patience()));
}

TEST_F(SessionResolver, RemembersARefusalAcrossStarts) {
    stand_in_has("challenged");
    EXPECT_FALSE(ask());
    use("challenged");
    EXPECT_FALSE(resolver_->is_enabled(patience()));
    EXPECT_EQ(stand_in::shared().count("media_info"), 1);
}

TEST_F(SessionResolver, IsNotUsedWhileTheRecordCannotBeRead) {
    stand_in_has("valid");
    record_.is_away = true;
    EXPECT_FALSE(resolver_->is_enabled(patience()));
    record_.is_away = false;
    EXPECT_TRUE(resolver_->is_enabled(patience()));
}

TEST_F(SessionResolver, WritesARefusalOnceTheRecordIsBack) {
    stand_in_has("challenged");
    ASSERT_TRUE(resolver_->is_enabled(patience()));
    record_.is_away = true;
    EXPECT_FALSE(ask());
    EXPECT_FALSE(resolver_->is_enabled(patience()));
    EXPECT_TRUE(record_.refusals.empty());
    record_.is_away = false;
    EXPECT_FALSE(resolver_->is_enabled(patience()));
    EXPECT_EQ(record_.refusals.size(), 1U);
}

}  // namespace
}  // namespace reelsd::platform
