#include "run.hpp"

#include "commands.hpp"
#include "complaint.hpp"

#include <exception>

namespace reelsd::app {
namespace {

struct command_runner {
    const settings& with;
    const log::logger& log;

    result<void> operator()(const serve_command& /*asked*/) const { return serve(with, log); }
    result<void> operator()(const migrate_command& /*asked*/) const { return migrate(with, log); }
    result<void> operator()(const doctor_command& /*asked*/) const { return run_doctor(with, log); }
    result<void> operator()(const healthcheck_command& /*asked*/) const {
        return check_health(with);
    }
    result<void> operator()(const resolve_command& asked) const {
        return resolve_by_hand(asked, with, log);
    }
    result<void> operator()(const backup_command& asked) const { return back_up(asked, with, log); }
    result<void> operator()(const restore_command& asked) const {
        return restore(asked, with, log);
    }
    result<void> operator()(const create_account_command& asked) const {
        return create_account(asked, with, log);
    }
    result<void> operator()(const limit_account_command& asked) const {
        return limit_account(asked, with, log);
    }
    result<void> operator()(const invite_account_command& asked) const {
        return invite_account(asked, with, log);
    }
    result<void> operator()(const export_account_command& asked) const {
        return export_account(asked, with, log);
    }
    result<void> operator()(const delete_account_command& asked) const {
        return delete_account(asked, with, log);
    }
    result<void> operator()(const create_token_command& asked) const {
        return create_token(asked, with, log);
    }
    result<void> operator()(const list_tokens_command& asked) const {
        return list_tokens(asked, with, log);
    }
    result<void> operator()(const revoke_token_command& asked) const {
        return revoke_token(asked, with, log);
    }
    result<void> operator()(const use_embedder_command& /*asked*/) const {
        return use_embedder(with, log);
    }
};

/// A command that a person types answers with its answer alone, unless something is wrong; the
/// daemon tells what it does.
log::level level_for(const invocation& asked) {
    const bool serving = std::holds_alternative<serve_command>(asked.wanted);
    if (serving || asked.with.log_level != log::level::info) return asked.with.log_level;
    return log::level::warning;
}

}  // namespace

int run(const invocation& asked) {
    const bool serving = std::holds_alternative<serve_command>(asked.wanted);
    // What a person types answers where it was typed.
    const auto log_file = serving ? asked.with.log_file : std::string{};
    const log::logger log{level_for(asked), asked.with.log_format, log_file};
    result<void> outcome;
    try {
        outcome = std::visit(command_runner{asked.with, log}, asked.wanted);
    } catch (const std::exception& thrown) {
        outcome = error{errc::internal, thrown.what()};
    }
    if (outcome) return 0;
    const auto& why = outcome.error();
    complain(why.detail().empty() ? std::string{name_of(why.code())} : why.detail());
    return 1;
}

}  // namespace reelsd::app
