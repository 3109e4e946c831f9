#include "lexicon.hpp"

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include <bit>
#include <cstring>
#include <string>

namespace reelsd::model {

namespace {

using lexicon_format::entry_head_words;
using lexicon_format::header;
using lexicon_format::header_words;

error unusable(const std::string& why) {
    return error{errc::internal, "the dictionary of the local embedder " + why};
}

header header_of(std::span<const std::uint32_t> words) noexcept {
    header head;
    std::memcpy(static_cast<void*>(&head), words.data(), sizeof head);
    return head;
}

/// Whether the slots and vector offsets of the header are inside the file. Entries and vectors are
/// checked when they are read.
bool is_whole(std::span<const std::uint32_t> words) noexcept {
    if (words.size() < header_words) return false;
    const auto head = header_of(words);
    const auto fits = [&](std::uint64_t begin, std::uint64_t count) {
        return begin + count <= words.size();
    };
    return head.magic == lexicon_format::magic && head.words == words.size() &&
           std::has_single_bit(head.slot_count) && fits(head.slots, head.slot_count) &&
           fits(head.vectors, std::uint64_t{head.vector_count} + 1);
}

}  // namespace

result<lexicon> lexicon::open(const std::filesystem::path& file) {
    namespace interprocess = boost::interprocess;
    try {
        const interprocess::file_mapping mapping{file.c_str(), interprocess::read_only};
        auto region =
            std::make_shared<interprocess::mapped_region>(mapping, interprocess::read_only);
        // Look-ups are random; reading ahead would only fill memory.
        region->advise(interprocess::mapped_region::advice_random);
        const std::span words{
            static_cast<const std::uint32_t*>(region->get_address()),
            region->get_size() / sizeof(std::uint32_t)};
        if (is_whole(words)) return lexicon{std::move(region), words};
        return unusable("is damaged or of another version: " + file.string());
    } catch (const interprocess::interprocess_exception& failure) {
        return unusable("cannot be opened: " + file.string() + ": " + failure.what());
    }
}

result<lexicon> lexicon::from(std::vector<std::uint32_t> words) {
    if (!is_whole(words)) return unusable("is damaged");
    const auto storage = std::make_shared<const std::vector<std::uint32_t>>(std::move(words));
    return lexicon{storage, *storage};
}

std::optional<lexicon_entry> lexicon::entry_at(std::uint32_t offset) const noexcept {
    if (offset < header_words || std::size_t{offset} + entry_head_words > words_.size()) return {};
    const auto head = words_[offset];
    const std::size_t senses = (head >> 8U) & 255U;
    const std::size_t bases = (head >> 16U) & 255U;
    const auto rest = words_.subspan(offset + entry_head_words);
    if (rest.size() < senses + bases) return {};

    lexicon_entry entry;
    entry.rarity = static_cast<float>(head >> 24U) / 255.0F;
    for (std::size_t part = 0; part < entry.counts.size(); ++part) {
        const auto pair = words_[offset + 1 + part / 2];
        entry.counts[part] = static_cast<std::uint16_t>(part % 2 == 0 ? pair : pair >> 16U);
    }
    static_assert(sizeof(packed_sense) == sizeof(std::uint32_t));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): one word each, see the format
    entry.senses = {reinterpret_cast<const packed_sense*>(rest.data()), senses};
    entry.bases = rest.subspan(senses, bases);
    return entry;
}

std::optional<lexicon_entry> lexicon::find(std::string_view word) const noexcept {
    const auto head = header_of(words_);
    const auto mask = head.slot_count - 1;
    // Every search ends at an empty slot; the bound is for a damaged file.
    for (std::uint32_t probe = 0; probe < head.slot_count; ++probe) {
        const auto slot = (lexicon_format::hash(word) + probe) & mask;
        const auto offset = words_[head.slots + slot];
        if (offset == 0) return {};
        const auto entry = entry_at(offset);
        if (!entry) return {};
        const std::size_t length = words_[offset] & 255U;
        const auto text_words = std::span{entry->bases}.size();
        const auto begin = offset + entry_head_words + entry->senses.size() + text_words;
        if ((begin * 4) + length > words_.size_bytes()) return {};
        if (length == word.size() && std::memcmp(&words_[begin], word.data(), length) == 0) {
            return entry;
        }
    }
    return {};
}

std::optional<lexicon::base_form> lexicon::base(std::uint32_t packed) const noexcept {
    auto entry = entry_at(packed >> 2U);
    if (!entry) return {};
    return base_form{*entry, static_cast<sense_group>(packed & 3U)};
}

std::span<const packed_concept> lexicon::vector_of(std::uint32_t index) const noexcept {
    const auto head = header_of(words_);
    if (index >= head.vector_count) return {};
    const auto begin = words_[head.vectors + index];
    const auto end = words_[head.vectors + index + 1];
    if (begin > end || end > words_.size()) return {};
    const auto vector = words_.subspan(begin, end - begin);
    static_assert(sizeof(packed_concept) == sizeof(std::uint32_t));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): one word each, see the format
    return {reinterpret_cast<const packed_concept*>(vector.data()), vector.size()};
}

}  // namespace reelsd::model
