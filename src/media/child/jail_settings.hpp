#pragma once

#include "arguments.hpp"
#include "file_io.hpp"
#include "jail.hpp"

namespace reelsd::media {

/// The bounds of one run. Memory: models 150 MB, recognition 100 MB, and the decoder's 17 pictures
/// of 4K, 210 MB; with code and files mapped the process stays under 600 MiB. Time: a probe reads
/// the file once, a thumbnail decodes some seconds of it; an analysis measured under 1 s of a core
/// for each second of video, four times that, and so whatever else decodes all pictures. Sound
/// decodes in a hundredth of its own time.
[[nodiscard]] jail::limits limits_for(const arguments& given) noexcept;

/// Why no video may be decoded with these layers; empty when it may be. `require` wants the
/// system-call filter and the resource limits. `best_effort` wants neither, but whatever the
/// policy, a process that is root and has no filter decodes nothing.
[[nodiscard]] std::string refusal_of(const jail::layers& held, jail_policy policy);

/// `conflict` with that refusal.
[[nodiscard]] result<void> check_jail(const jail::layers& held, const arguments& given);

/// Enters both halves of the jail at once, where no thread has to be started between them. Errors
/// as check_jail(): then no byte of a video may be read.
[[nodiscard]] result<void> enter_jail(const arguments& given, const jail::descriptors& usable);

/// Opens the video, then enters the jail, in which this file and the command's output are usable.
[[nodiscard]] result<input_file> open_in_jail(const arguments& given);

}  // namespace reelsd::media
