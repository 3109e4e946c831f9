#include "analyzers.hpp"
#include "commands.hpp"
#include "database.hpp"
#include <reelsd/domain/jobs/vector_store.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

#include <chrono>
#include <string>

namespace reelsd::app {
namespace {

/// A person waits.
constexpr auto use_time_max = std::chrono::seconds{10};

boost::asio::awaitable<result<void>> make_active(db::pool& pool, std::string name) {
    jobs::vector_store vectors{pool};
    co_await vectors.make_active(name, deadline::after(use_time_max));
    fmt::print("{}\n", name);
    co_return result<void>{};
}

}  // namespace

result<void> execute(
    const use_embedder_command& /*unused*/, const settings& with, const log::logger& log) {
    const auto embedder = make_dense_embedder(with);
    if (!embedder) return embedder.error();
    if (!*embedder) {
        return error{
            errc::invalid_argument, "embedder is local, which makes no vectors; set another one"};
    }
    const std::string name{(*embedder)->name()};
    return with_database(with, log, [&name](db::pool& pool) { return make_active(pool, name); });
}

}  // namespace reelsd::app
