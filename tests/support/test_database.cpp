#include "test_database.hpp"

#include <reelsd/db/migrator.hpp>
#include <reelsd/db/private_cluster.hpp>

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

namespace reelsd::test {
namespace {

template <class Value>
Value expect_value(result<Value> outcome) {
    if (!outcome) throw std::runtime_error{outcome.error().to_string()};
    if constexpr (!std::is_void_v<Value>) return std::move(*outcome);
}

/// A folder in memory when there is room for the servers of several programs, or else on the disk.
/// ext4 does not reuse the inodes of files that were deleted in the last seconds, and each test
/// deletes a database of 300 files: looking for free inodes took three quarters of the time of
/// these tests.
std::string server_folder_pattern() {
    constexpr std::uintmax_t room_min = std::uintmax_t{4} << 30U;
    std::error_code unknown;
    const auto memory = std::filesystem::space("/dev/shm", unknown);
    const bool has_room = !unknown && memory.available >= room_min;
    return has_room ? "/dev/shm/reelsd-test-XXXXXX" : "/tmp/reelsd-test-XXXXXX";
}

/// The program's server; started by the first test that needs one, gone after the last.
class test_server : public ::testing::Environment {
public:
    /// A connection string for a database of this server.
    [[nodiscard]] std::string connect_to(const std::string& database) {
        if (given_ != nullptr) return with_database(given_, database);
        if (!cluster_) start();
        return own_ + " dbname='" + database + "'";
    }

    /// A connection string for creating databases.
    [[nodiscard]] std::string administer() {
        if (given_ != nullptr) return given_;
        if (!cluster_) start();
        return own_;
    }

    /// The name of a database that has all migrations, to be copied.
    [[nodiscard]] const std::string& migrated_template() {
        if (!template_.empty()) return template_;
        const auto name = next_name();
        expect_value(db::run_script(administer(), "CREATE DATABASE " + name, soon()));
        const db::migrator migrator{
            connect_to(name),
            db::embedded_migrations(),
            db::embedded_functions(),
            log::logger::silent()};
        expect_value(migrator.migrate(soon()));
        template_ = name;
        return template_;
    }

    [[nodiscard]] std::string next_name() {
        return "reelsd_test_" + std::to_string(::getpid()) + "_" + std::to_string(++count_);
    }

    [[nodiscard]] static deadline soon() { return deadline::after(patience); }

    void TearDown() override {
        if (given_ != nullptr && !template_.empty()) {
            expect_value(db::run_script(given_, "DROP DATABASE " + template_, soon()));
        }
        cluster_.reset();
        std::error_code left_behind;
        if (!folder_.empty()) std::filesystem::remove_all(folder_, left_behind);
    }

private:
    void start() {
        std::string folder = server_folder_pattern();
        if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error{"mkdtemp failed"};
        folder_ = folder;
        cluster_.emplace(
            db::cluster_options{.data_dir = folder_, .binaries = {}, .durable = false},
            log::logger{log::level::warning, log::format::text});
        own_ = expect_value(cluster_->ensure_running(soon()));
    }

    /// Puts another database's name into a connection string or URI.
    static std::string with_database(const std::string& text, const std::string& database) {
        const auto scheme = text.find("://");
        if (scheme == std::string::npos) return text + " dbname='" + database + "'";
        const auto query = std::min(text.find('?'), text.size());
        const auto path = text.find('/', scheme + 3);
        const auto head = text.substr(0, std::min(path, query));
        return head + "/" + database + text.substr(query);
    }

    // NOLINTNEXTLINE(concurrency-mt-unsafe): read once, before there are threads
    const char* given_ = std::getenv("REELSD_TEST_DATABASE_URL");
    std::filesystem::path folder_;
    std::optional<db::private_cluster> cluster_;
    std::string own_;
    std::string template_;
    int count_ = 0;
};

// GoogleTest owns environments and ends them after the last test.
auto* const server = dynamic_cast<test_server*>(
    ::testing::AddGlobalTestEnvironment(std::make_unique<test_server>().release()));

}  // namespace

test_database::test_database(schema with)
    : name_{server->next_name()}, connection_string_{server->connect_to(name_)} {
    std::string text = "CREATE DATABASE " + name_;
    if (with == schema::migrated) text += " TEMPLATE " + server->migrated_template();
    expect_value(db::run_script(server->administer(), text, test_server::soon()));
}

test_database::~test_database() {
    const auto dropped = db::run_script(
        server->administer(), "DROP DATABASE " + name_ + " WITH (FORCE)", test_server::soon());
    if (!dropped) ADD_FAILURE() << dropped.error().to_string();
}

}  // namespace reelsd::test
