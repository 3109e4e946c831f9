#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>

namespace reelsd::http {

/// Asio keeps what it knows of a descriptor for the next one, for ever: a few hundred bytes for
/// each that were open at the same time. Made one by one, as connections come, they lie between the
/// connections' frames, and when a crowd has left, each keeps a page from going back to the system
/// (measured: 30 MiB after 6,000 connections). This has them made by the thousand, one beside the
/// other, before they are needed. Loop's thread only.
class descriptor_states {
public:
    explicit descriptor_states(const boost::asio::any_io_executor& loop) : loop_{loop} {}

    /// To be called as connections come, with the number that are open.
    void prepare_for(std::size_t open);

private:
    void make_more();

    boost::asio::any_io_executor loop_;
    /// So few are not worth a batch.
    std::size_t enough_for_ = 100;
};

}  // namespace reelsd::http
