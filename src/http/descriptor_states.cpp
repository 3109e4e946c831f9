#include "descriptor_states.hpp"

#include <reelsd/base/unique_fd.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/system/error_code.hpp>

#include <fcntl.h>
#include <sys/eventfd.h>

#include <vector>

namespace reelsd::http {

namespace {

/// Makes the loop pause for a few milliseconds.
constexpr std::size_t batch = 1000;

}  // namespace

void descriptor_states::prepare_for(std::size_t open) {
    if (open < enough_for_) return;
    make_more();
    enough_for_ += batch;
}

void descriptor_states::make_more() {
    const unique_fd one{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::vector<boost::asio::posix::stream_descriptor> watched;
    watched.reserve(batch);
    while (one && watched.size() < batch) {
        unique_fd another{::fcntl(one.get(), F_DUPFD_CLOEXEC, 0)};
        if (!another) return;  // Near the limit of open files: a few less do no harm.
        auto& next = watched.emplace_back(loop_);
        boost::system::error_code failed;
        next.assign(another.get(), failed);
        if (failed) return;
        static_cast<void>(another.release());
    }
}

}  // namespace reelsd::http
