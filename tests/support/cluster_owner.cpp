// A process that runs a private cluster, to be killed by tests: cluster_owner DATA_DIR
// [INSTALLATIONS]. Prints "ready CONNECTION_STRING" or "failed ERROR", then waits until its
// standard input ends.
#include <reelsd/db/private_cluster.hpp>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
    using namespace std::chrono_literals;
    if (argc < 2 || argc > 3) return 2;
    reelsd::db::cluster_options options{
        .data_dir = argv[1], .binaries = {}, .durable = false, .upgrades = true};
    if (argc == 3) options.installations = argv[2];
    reelsd::db::private_cluster cluster{options, reelsd::log::logger::silent()};
    const auto up = cluster.ensure_running(reelsd::deadline::after(60s));
    std::cout << (up ? "ready " + *up : "failed " + up.error().to_string()) << std::endl;
    std::string ignored;
    while (std::getline(std::cin, ignored)) {
    }
    return up ? 0 : 1;
}
