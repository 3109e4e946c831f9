#include "search_ranking.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace reelsd::jobs {
namespace {

/// How many reels of each ranking can be hits.
constexpr std::size_t ranked_max = 100;
/// Concepts of a reel that has hardly anything in common with the search.
constexpr double similarity_min = 0.03;
/// A reel with all words of a search, each in the usual number, scores this much per rarity.
constexpr double full_score = 1.6;

double rarity(const asked_term& term, double reels) {
    const auto postings = term.postings_of_all.value_or(term.postings->size());
    return std::log1p((reels + 0.5) / (static_cast<double>(postings) + 0.5));
}

bool is_best_first(const ranked_reel& left, const ranked_reel& right) {
    return left.score != right.score ? left.score > right.score : left.job > right.job;
}

bool is_allowed(const ranking_request& request, job_id job) {
    return !request.only || std::ranges::binary_search(*request.only, job);
}

/// The sum of each reel's postings, weighted by their rarity. Reels whose sum without rarity is not
/// over `weight_min` are left out.
std::vector<ranked_reel> ranking(
    const std::vector<asked_term>& terms, const ranking_request& request, double weight_min) {
    const auto is_posting_allowed = [&request](const posting& candidate) {
        return is_allowed(request, candidate.job);
    };
    // A term that no allowed reel has must not exclude the frequent ones.
    const auto is_rare = [&is_posting_allowed](const asked_term& term) {
        return term.postings->size() < postings_max &&
               std::ranges::any_of(*term.postings, is_posting_allowed);
    };
    const bool skip_frequent = std::ranges::any_of(terms, is_rare);
    struct sums {
        double score = 0;
        double weight = 0;
    };
    boost::unordered_flat_map<std::int64_t, sums> reels;
    reels.reserve(postings_max);  // Growing from nothing takes longer than the sums.
    for (const auto& term : terms) {
        if (skip_frequent && !is_rare(term)) continue;
        const auto rareness = rarity(term, request.reels);
        for (const auto& [job, weight] : *term.postings) {
            if (!is_allowed(request, job)) continue;
            auto& sum = reels[job.value];
            sum.weight += static_cast<double>(weight) * term.weight;
            sum.score += static_cast<double>(weight) * term.weight * rareness;
        }
    }
    std::vector<ranked_reel> ranked;
    for (const auto& [job, sum] : reels) {
        if (sum.weight > weight_min) ranked.push_back({job_id{job}, sum.score});
    }
    const auto kept = std::min(ranked.size(), ranked_max);
    std::ranges::partial_sort(
        ranked, ranked.begin() + static_cast<std::ptrdiff_t>(kept), is_best_first);
    ranked.resize(kept);
    return ranked;
}

/// What a reel gets for its place in a ranking, from 1. With the usual 60 instead of 7, being
/// listed twice counts more than being listed first (measured: the right reel is first in 70 % with
/// 7 and in 43 % with 59, of searches that share no word with it).
double share_of(std::size_t place) {
    return 8.0 / (7.0 + static_cast<double>(place));
}

}  // namespace

std::vector<ranked_reel> rank_reels(const ranking_request& request) {
    boost::unordered_flat_map<std::int64_t, double> scores;
    // Reels of equal score share a place.
    const auto add = [&scores](const std::vector<ranked_reel>& ranked, auto&& factor) {
        std::size_t place = 0;
        for (std::size_t i = 0; i < ranked.size(); ++i) {
            if (i == 0 || ranked[i].score < ranked[i - 1].score) place = i + 1;
            scores[ranked[i].job.value] += share_of(place) * factor(ranked[i].score);
        }
    };
    double rarities = 0;
    for (const auto& word : request.words) rarities += rarity(word, request.reels);
    // One chance word in five must not outrank a reel of the same meaning.
    add(ranking(request.words, request, 0),
        [&](double score) { return std::min(1.0, score / (full_score * rarities)); });
    add(ranking(request.concepts, request, similarity_min), [](double) { return 1.0; });
    for (std::size_t i = 0; i < request.near.size(); ++i) {
        const auto job = request.near[i];
        if (is_allowed(request, job)) scores[job.value] += share_of(i + 1);
    }

    const double rankings = request.near.empty() ? 2 : 3;
    std::vector<ranked_reel> ranked;
    ranked.reserve(scores.size());
    for (const auto& [job, score] : scores) ranked.push_back({job_id{job}, score / rankings});
    std::ranges::sort(ranked, is_best_first);
    return ranked;
}

}  // namespace reelsd::jobs
