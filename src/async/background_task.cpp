#include <reelsd/async/background_task.hpp>

#include <exception>

namespace reelsd::async {

task_group::failure_handler log_failure(log::logger log) {
    return [log = std::move(log)](std::string_view task, const std::exception_ptr& thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::exception& failure) {
            log.error("task failed", {{"task", task}, {"reason", failure.what()}});
        }
    };
}

}  // namespace reelsd::async
