#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::http {

/// The header fields of one request, in order, in two allocations.
class header_fields {
public:
    /// Where name and value of a field stand in a text, in bytes. 32 bits: a whole header is at
    /// most 16 KiB.
    struct place {
        std::uint32_t name_begin;
        std::uint32_t name_size;
        std::uint32_t value_begin;
        std::uint32_t value_size;
    };

    header_fields() = default;
    /// Of a head that is kept as it came; all places are within it.
    header_fields(std::string head, std::vector<place> fields);
    void add(std::string_view name, std::string_view value);

    /// The value of the first field of that name (any letter case), without blanks around it.
    /// The view lives as long as this object is unchanged.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
    /// The values of all fields of that name, in order; views as those of find().
    [[nodiscard]] std::vector<std::string_view> find_all(std::string_view name) const;
    [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
    /// What the text takes up, in bytes.
    [[nodiscard]] std::size_t text_capacity() const noexcept { return text_.capacity(); }

private:
    [[nodiscard]] std::string_view name_at(const place& field) const noexcept;
    [[nodiscard]] std::string_view value_at(const place& field) const noexcept;

    std::string text_;
    std::vector<place> fields_;
};

/// Whether two names are equal but for the case of ASCII letters.
[[nodiscard]] bool same_name(std::string_view left, std::string_view right) noexcept;

}  // namespace reelsd::http
