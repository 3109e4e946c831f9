#include "view_cache.hpp"

#include <reelsd/base/invariant.hpp>

#include <utility>

namespace reelsd::jobs {

std::size_t view_cache::bytes_of(const reel_view& view) noexcept {
    // The string, a node of the list, an entry of the table, and the allocator's overhead.
    constexpr std::size_t overhead = 256;
    return view.text.capacity() + overhead;
}

view_cache::entries& view_cache::part_of(std::int64_t reel) noexcept {
    // Ids are consecutive, so parts grow evenly.
    return by_id_[static_cast<std::uint64_t>(reel) % by_id_.size()];
}

std::shared_ptr<const reel_view> view_cache::find(job_id reel) {
    auto& part = part_of(reel.value);
    const auto known = part.find(reel.value);
    if (known == part.end()) return nullptr;
    known->second.was_read = true;
    return known->second.view;
}

void view_cache::put(job_id reel, std::shared_ptr<reel_view> view) {
    invariant(view != nullptr);
    forget(reel);
    const auto needed = bytes_of(*view);
    if (needed > bytes_max_) return;
    if (bytes_ + needed > bytes_max_ && !was_read_recently(reel)) return;
    make_room(needed);
    const auto turn = turns_.insert(turns_.end(), reel.value);
    part_of(reel.value).emplace(reel.value, entry{.view = std::move(view), .turn = turn});
    bytes_ += needed;
}

void view_cache::confirm(job_id reel, std::string_view version, std::string ended_reels_version) {
    auto& part = part_of(reel.value);
    const auto known = part.find(reel.value);
    // A late answer may have replaced the view with an older one.
    if (known == part.end() || known->second.view->version != version) return;
    known->second.view->ended_reels_version = std::move(ended_reels_version);
}

void view_cache::note_server(std::string_view identity) {
    if (!dropped_.empty()) dropped_.pop_back();
    if (server_ == identity) return;
    server_ = identity;
    ++generation_;
    for (auto& part : by_id_) {
        if (!part.empty()) dropped_.push_back(std::exchange(part, {}));
    }
    turns_.clear();
    bytes_ = 0;
}

bool view_cache::was_read_recently(job_id reel) {
    noted_.resize(noted_max);
    // Ids are consecutive, so recent reels have different places.
    auto& place = noted_[static_cast<std::uint64_t>(reel.value) % noted_.size()];
    return std::exchange(place, reel.value) == reel.value;
}

void view_cache::forget(job_id reel) {
    auto& part = part_of(reel.value);
    const auto known = part.find(reel.value);
    if (known != part.end()) drop(part, known);
}

void view_cache::make_room(std::size_t bytes) {
    while (bytes_ + bytes > bytes_max_) {
        auto& part = part_of(turns_.front());
        const auto next = part.find(turns_.front());
        invariant(next != part.end());
        if (std::exchange(next->second.was_read, false)) {
            turns_.splice(turns_.end(), turns_, turns_.begin());
        } else {
            drop(part, next);
        }
    }
}

void view_cache::drop(entries& part, entries::iterator evicted) {
    bytes_ -= bytes_of(*evicted->second.view);
    turns_.erase(evicted->second.turn);
    part.erase(evicted);
}

}  // namespace reelsd::jobs
