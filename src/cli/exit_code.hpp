#pragma once

#include <reelsd/base/error.hpp>

namespace reelsd::cli {

/// Exit codes of `reels`, for scripts. `reels --help` and docs/guide/client.md list them.
enum class exit_code : int {
    ok = 0,             ///< Done as asked.
    job_failed = 1,     ///< The job ended in `error`.
    usage = 2,          ///< The command line or the configuration is wrong; nothing was sent.
    server_failed = 3,  ///< No usable answer from the server, also after the retries.
    refused = 4,        ///< The server said no: the token, the link, the id or a limit.
    unfinished = 5,     ///< `--timeout` passed while the job was still in work.
    interrupted = 130,  ///< Ctrl-C, by the shell's convention 128 + SIGINT.
};

/// The exit code for what a request can end in.
[[nodiscard]] exit_code exit_code_of(errc code) noexcept;

}  // namespace reelsd::cli
