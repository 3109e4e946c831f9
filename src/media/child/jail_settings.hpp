#pragma once

#include "arguments.hpp"
#include "file_io.hpp"
#include "jail.hpp"

namespace reelsd::media {

/// Limits of one run. Memory: models 150 MB, recognition 100 MB, and the decoder's 17 pictures of
/// 4K, 210 MB; with code and mapped files the process stays under 600 MiB. CPU time: four times the
/// measured time. An analysis took under 1 s for each second of video, decoding sound 0.01 s.
[[nodiscard]] jail::limits limits_for(const arguments& given) noexcept;

/// Why videos must not be decoded with these layers; empty if they may. `require` needs the
/// system-call filter and the resource limits, `best_effort` neither. Root without a filter is
/// always refused.
[[nodiscard]] std::string refusal_of(const jail::layers& held, jail_policy policy);

/// `conflict` with refusal_of() as its detail.
[[nodiscard]] result<void> check_jail(const jail::layers& held, const arguments& given);

/// Enters both halves of the jail, without threads started between them. Errors as check_jail();
/// then no byte of a video may be read.
[[nodiscard]] result<void> enter_jail(const arguments& given, const jail::descriptors& usable);

/// Opens the video, then enters the jail with this file and the command's output.
[[nodiscard]] result<input_file> open_in_jail(const arguments& given);

}  // namespace reelsd::media
