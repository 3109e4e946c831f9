#include "run.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    using reelsd::cli::exit_code;
    try {
        return static_cast<int>(reelsd::cli::run(argc, argv));
    } catch (const std::exception& why) {
        std::fprintf(stderr, "reels: %s\n", why.what());
        return static_cast<int>(exit_code::server_failed);
    }
}
