#pragma once

#include <reelsd/base/ids.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/model/remote_analyzer.hpp>

#include <boost/core/noncopyable.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Answers from stored results, with citations that are checked against them. Pure, except for the
/// random boundary.
namespace reelsd::model {

class embedder;

/// A passage that an answer may cite.
struct evidence {
    std::string field;                       ///< "audio.transcript", "visual.text_on_screen", ...
    std::string text;                        ///< As stored, or a part of it.
    std::optional<double> seconds = {};      ///< From the start of the video, if it has a time.
    std::optional<double> end_seconds = {};  ///< Its end, if stored.
    /// What separates it in `field` from the passage before it; none if another text does.
    std::optional<std::string> separator = {};

    friend bool operator==(const evidence&, const evidence&) = default;
};

struct reel_evidence {
    job_id id;
    std::string code;  ///< Of the post.
    std::vector<evidence> passages;
};

/// The citable passages of a result of assemble_result(), in its order: at most 1,000 of at most
/// 400 bytes. Members may be missing.
[[nodiscard]] std::vector<evidence> evidence_of(const json& result);

/// Of each reel, its summary, and the passages that are most relevant to the question, in their
/// order. Each reel has an equal share of `bytes_max`, and what earlier reels leave of theirs.
[[nodiscard]] std::vector<reel_evidence> most_relevant(
    std::string_view question, std::vector<reel_evidence> reels, const embedder& embedder,
    std::size_t bytes_max);

/// A quotation that was found in the passage that it names, or that begins in or continues into
/// a neighbour of it.
struct citation {
    job_id id;
    std::string code;
    std::string field;
    std::string text;  ///< The quotation as stored.
    std::optional<double> seconds = {};

    friend bool operator==(const citation&, const citation&) = default;
};

struct cited_answer {
    std::string text;                 ///< Empty without citations.
    std::vector<citation> citations;  ///< At most 20, each once.
};

struct question_reply {
    cited_answer answer;
    /// Why another request may give a better answer, for the model, without any text of its reply.
    std::vector<std::string> violations;
    bool is_readable = false;  ///< It is an answer, though perhaps without a valid citation.
};

class question_prompt : boost::noncopyable {
public:
    /// `question`: valid UTF-8. The passages are numbered in their order. Their boundary is random.
    question_prompt(std::string_view question, std::vector<reel_evidence> reels);

    [[nodiscard]] const prompt& request() const noexcept { return request_; }

    /// Reads a reply. Citations whose passage is not part of the prompt, or does not contain the
    /// quotation, are removed. The answer is empty without a valid citation, and if it reveals
    /// parts of the prompt.
    [[nodiscard]] question_reply read(std::string_view reply) const;

private:
    struct numbered {
        const reel_evidence* reel;
        const evidence* passage;

        [[nodiscard]] citation cite(std::string_view quotation) const;
    };

    [[nodiscard]] std::string number_passages();
    [[nodiscard]] std::optional<citation> checked(
        std::string_view id, std::string_view quote) const;
    [[nodiscard]] std::optional<citation> find_across(
        std::size_t number, std::string_view quote) const;
    [[nodiscard]] bool reveals_prompt(std::string_view answer) const;
    /// Bytes of the passage's ID that begins at `at`; 0 if there is none.
    [[nodiscard]] std::size_t id_length(std::string_view text, std::size_t at) const;
    [[nodiscard]] std::string without_ids(std::string_view answer) const;

    std::vector<reel_evidence> reels_;
    std::vector<numbered> passages_;  ///< The first has the ID "S1".
    prompt request_;
};

}  // namespace reelsd::model
