#include "folded_text.hpp"

#include "clean_text.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>

#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace reelsd::model {
namespace {

/// Letters, marks, numbers and symbols. Format characters, such as joiners, do not count.
bool counts(char32_t value) {
    constexpr std::uint32_t mask =
        UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_M | UC_CATEGORY_MASK_N | UC_CATEGORY_MASK_S;
    return uc_is_general_category_withtable(value, mask);
}

}  // namespace

std::u32string casefolded(const std::u32string& text) {
    static_assert(sizeof(char32_t) == sizeof(std::uint32_t));
    std::size_t length = 0;
    const std::unique_ptr<std::uint32_t, decltype(&std::free)> folded{
        ::u32_casefold(
            // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): of the same size
            reinterpret_cast<const std::uint32_t*>(text.data()),
            text.size(),
            nullptr,
            UNINORM_NFKD,
            nullptr,
            &length),
        &std::free};
    if (!folded) throw std::bad_alloc{};
    return {folded.get(), folded.get() + length};
}

folded_text::folded_text(std::string_view text) : text_{text} {
    // A letter is folded together with its marks, which have a canonical order.
    range part{0, 0};
    for (std::size_t at = 0; at < text.size();) {
        const auto read = code_point_at(text, at);
        if (at > part.begin && uc_combining_class(read.value) == 0) {
            part.end = at;
            add(part);
            part.begin = at;
        }
        at += read.bytes;
    }
    part.end = text.size();
    if (part.end > part.begin) add(part);
}

void folded_text::add(range part) {
    const auto whole = code_points_of(text_.substr(part.begin, part.end - part.begin));
    for (const auto value : casefolded(whole)) {
        if (!counts(value)) continue;
        letters_.push_back(value);
        origin_.push_back(part);
    }
}

std::string_view folded_text::find(const folded_text& quote) const {
    const auto length = quote.letters_.size();
    if (length == 0 || (length == 1 && letters_.size() != 1)) return {};
    const auto at = letters_.find(quote.letters_);
    if (at == std::u32string::npos) return {};
    // A quotation up to an end of the text includes the punctuation there.
    const auto begin = at == 0 ? 0 : origin_[at].begin;
    const auto end = at + length == letters_.size() ? text_.size() : origin_[at + length - 1].end;
    return trimmed(text_.substr(begin, end - begin));
}

}  // namespace reelsd::model
