#include "app/process_services.hpp"
#include <reelsd/base/unique_fd.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace reelsd::app {
namespace {

namespace fs = std::filesystem;

/// A service manager's end of the protocol, under a name for NOTIFY_SOCKET.
class Supervisor {
public:
    explicit Supervisor(std::string name) : name_{std::move(name)} {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        name_.copy(static_cast<char*>(address.sun_path), name_.size());
        const bool is_file = name_.front() == '/';
        if (!is_file) address.sun_path[0] = '\0';
        const auto bytes = offsetof(sockaddr_un, sun_path) + name_.size() + (is_file ? 1 : 0);
        const auto* const general = reinterpret_cast<const sockaddr*>(&address);
        EXPECT_EQ(::bind(socket_.get(), general, static_cast<socklen_t>(bytes)), 0);
    }

    [[nodiscard]] const std::string& name() const { return name_; }

    /// The next message; empty if there is none. A sent datagram has arrived when the call returns.
    [[nodiscard]] std::string received() const {
        std::array<char, 256> bytes{};
        const auto got = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        return got < 0 ? std::string{} : std::string(bytes.data(), static_cast<std::size_t>(got));
    }

private:
    std::string name_;
    unique_fd socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
};

class ServiceNotifier : public ::testing::Test {
protected:
    ServiceNotifier() {
        auto pattern = (fs::temp_directory_path() / "reelsd-notice-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~ServiceNotifier() override { fs::remove_all(folder_); }

    ServiceNotifier(const ServiceNotifier&) = delete;
    ServiceNotifier& operator=(const ServiceNotifier&) = delete;

    fs::path folder_;
};

// Goal: a service manager receives each change as sd_notify(3) defines it, under both kinds of
// names. Method: a socket as it would open one.
TEST_F(ServiceNotifier, NotifiesASocketWithAFile) {
    const Supervisor supervisor{(folder_ / "notify").string()};
    const auto notifier = service_notifier::to(supervisor.name());
    ASSERT_TRUE(notifier);

    EXPECT_TRUE(notifier->ready());
    EXPECT_EQ(supervisor.received(), "READY=1");
    EXPECT_TRUE(notifier->stopping());
    EXPECT_EQ(supervisor.received(), "STOPPING=1");
}

TEST_F(ServiceNotifier, NotifiesAnAbstractSocket) {
    const Supervisor supervisor{"@reelsd-notice-" + std::to_string(::getpid())};
    const auto notifier = service_notifier::to(supervisor.name());
    ASSERT_TRUE(notifier);

    EXPECT_TRUE(notifier->ready());
    EXPECT_EQ(supervisor.received(), "READY=1");
}

TEST_F(ServiceNotifier, NotifiesOfAReload) {
    const Supervisor supervisor{(folder_ / "notify").string()};
    const auto notifier = service_notifier::to(supervisor.name());
    ASSERT_TRUE(notifier);

    EXPECT_TRUE(notifier->reloading());

    // systemd requires both.
    EXPECT_THAT(
        supervisor.received(), ::testing::MatchesRegex("RELOADING=1\nMONOTONIC_USEC=[0-9]+"));
}

TEST_F(ServiceNotifier, SendsNothingWithoutTheVariable) {
    ::unsetenv("NOTIFY_SOCKET");

    const auto notifier = service_notifier::from_environment();

    ASSERT_TRUE(notifier);
    EXPECT_TRUE(notifier->ready());
}

TEST_F(ServiceNotifier, UnsetsTheVariableForChildren) {
    const Supervisor supervisor{(folder_ / "notify").string()};
    ::setenv("NOTIFY_SOCKET", supervisor.name().c_str(), 1);

    const auto notifier = service_notifier::from_environment();

    ASSERT_TRUE(notifier);
    EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr);
    EXPECT_TRUE(notifier->ready());
    EXPECT_EQ(supervisor.received(), "READY=1");
}

TEST_F(ServiceNotifier, RefusesAnInvalidName) {
    for (const std::string& name : {std::string{"notify"}, "/" + std::string(107, 'x')}) {
        SCOPED_TRACE(name);
        EXPECT_FALSE(service_notifier::to(name));
    }
    EXPECT_TRUE(service_notifier::to("/" + std::string(106, 'x')));
}

TEST_F(ServiceNotifier, ReportsAMissingSocket) {
    const auto notifier = service_notifier::to((folder_ / "nobody").string());
    ASSERT_TRUE(notifier);

    const auto sent = notifier->ready();

    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().detail(), "the service manager: No such file or directory");
}

}  // namespace
}  // namespace reelsd::app
