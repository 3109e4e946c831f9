#include "decoder.hpp"

#include <pocketsphinx.h>
#include <sphinxbase/cmd_ln.h>
#include <sphinxbase/err.h>

#include <array>
#include <filesystem>
#include <utility>

namespace reelsd::media::sound {

namespace {

struct decoder_closer {
    void operator()(ps_decoder_t* decoder) const { ps_free(decoder); }
};
struct options_closer {
    void operator()(cmd_ln_t* options) const { cmd_ln_free_r(options); }
};
using decoder_handle = std::unique_ptr<ps_decoder_t, decoder_closer>;
using options_handle = std::unique_ptr<cmd_ln_t, options_closer>;

constexpr double recogniser_frame_seconds = 0.01;

class pocketsphinx_decoder final : public decoder {
public:
    explicit pocketsphinx_decoder(decoder_handle handle) : handle_{std::move(handle)} {}

    std::vector<transcript_word> decode(std::span<const std::int16_t> samples) override {
        std::vector<transcript_word> words;
        if (samples.empty() || ps_start_utt(handle_.get()) < 0) return words;
        // The whole utterance in one call, so that the cepstral means are its own.
        constexpr int search = 0;
        constexpr int whole_utterance = 1;
        const int frames =
            ps_process_raw(handle_.get(), samples.data(), samples.size(), search, whole_utterance);
        const int ended = ps_end_utt(handle_.get());
        if (frames < 0 || ended < 0) return words;
        logmath_t* const logarithm = ps_get_logmath(handle_.get());
        for (ps_seg_t* part = ps_seg_iter(handle_.get()); part != nullptr;
             part = ps_seg_next(part)) {
            std::string text = spoken_text(ps_seg_word(part));
            if (text.empty()) continue;
            int first = 0;
            int last = 0;
            ps_seg_frames(part, &first, &last);
            const int posterior = ps_seg_prob(part, nullptr, nullptr, nullptr);
            words.push_back(
                {.text = std::move(text),
                 .start_seconds = first * recogniser_frame_seconds,
                 .end_seconds = (last + 1) * recogniser_frame_seconds,
                 .posterior = logmath_exp(logarithm, posterior)});
        }
        return words;
    }

private:
    decoder_handle handle_;
};

options_handle parse_options(const std::string& model_dir) {
    // The parser takes writable strings and copies them.
    std::array<std::string, 13> values{
        "reelsd-media",
        "-hmm",
        model_dir + "/en-us",
        "-lm",
        model_dir + "/en-us.lm.bin",
        "-dict",
        model_dir + "/cmudict-en-us.dict",
        // A sixth of the default: the same errors, a third of the time, and bounded in music.
        "-maxhmmpf",
        "5000",
        // It would cut frames out, and word times would be wrong.
        "-remove_silence",
        "no",
        "-remove_noise",
        "no"};
    std::array<char*, values.size()> arguments{};
    for (std::size_t i = 0; i < values.size(); ++i) arguments[i] = values[i].data();
    constexpr int strict = 1;
    return options_handle{cmd_ln_parse_r(
        nullptr, ps_args(), static_cast<int>(arguments.size()), arguments.data(), strict)};
}

}  // namespace

result<std::unique_ptr<decoder>> decoder::load(const std::string& model_dir) {
    for (const char* part : {"/en-us/mdef", "/en-us.lm.bin", "/cmudict-en-us.dict"}) {
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(model_dir + part, ignored)) {
            return error{errc::media_failed, "speech model lacks " + model_dir + part};
        }
    }
    // The library's log is one for the whole process, and it would go to standard error.
    err_set_logfp(nullptr);
    const options_handle options = parse_options(model_dir);
    if (options == nullptr) return error{errc::media_failed, "pocketsphinx refuses its options"};
    decoder_handle handle{ps_init(options.get())};
    if (handle == nullptr) return error{errc::media_failed, "cannot load the speech model"};
    return std::make_unique<pocketsphinx_decoder>(std::move(handle));
}

}  // namespace reelsd::media::sound
