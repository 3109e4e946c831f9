#include "object_reader.hpp"

#include <reelsd/media/report.hpp>

#include <algorithm>
#include <cmath>

namespace reelsd::media {

object_reader::object_reader(const json& object, std::string place, std::string& fault)
    : object_{object}, place_{std::move(place)}, fault_{fault} {
    if (!object.is_object()) record_fault("is not an object");
}

double object_reader::number(const char* name, double least, double most) {
    const json* value = member(name);
    return value == nullptr ? least : checked_number(*value, name, least, most);
}

std::optional<double> object_reader::number_or_null(const char* name, double least, double most) {
    const json* value = member_or_null(name);
    if (value == nullptr) return std::nullopt;
    return checked_number(*value, name, least, most);
}

int object_reader::whole_number(const char* name, int least, int most) {
    const double given = number(name, least, most);
    if (given != std::floor(given)) return record_fault(name, "is not a whole number"), least;
    return static_cast<int>(given);
}

std::uint64_t object_reader::bytes(const char* name, std::uint64_t least, std::uint64_t most) {
    const json* value = member(name);
    if (value == nullptr) return least;
    if (!value->is_number_unsigned()) return record_fault(name, "is not a number of bytes"), least;
    const auto given = value->get<std::uint64_t>();
    if (given < least || given > most) return record_fault(name, "is out of range"), least;
    return given;
}

bool object_reader::truth(const char* name) {
    const json* value = member(name);
    return value != nullptr && checked_truth(*value, name);
}

std::optional<bool> object_reader::truth_or_null(const char* name) {
    const json* value = member_or_null(name);
    if (value == nullptr) return std::nullopt;
    return checked_truth(*value, name);
}

std::string object_reader::text(const char* name, std::size_t bytes_max) {
    const json* value = member(name);
    return value == nullptr ? std::string{} : checked_text(*value, name, bytes_max);
}

std::optional<std::string> object_reader::text_or_null(const char* name, std::size_t bytes_max) {
    const json* value = member_or_null(name);
    if (value == nullptr) return std::nullopt;
    return checked_text(*value, name, bytes_max);
}

std::string object_reader::checked_text(
    const json& value, const char* name, std::size_t bytes_max) {
    if (!value.is_string()) return record_fault(name, "is not a string"), std::string{};
    const auto& given = value.get_ref<const std::string&>();
    if (given.size() > bytes_max) return record_fault(name, "is too long"), std::string{};
    if (!is_clean_text(given))
        return record_fault(name, "has control characters or is not UTF-8"), std::string{};
    return given;
}

std::string object_reader::word(const char* name, std::span<const std::string_view> known) {
    auto given = text(name, 16);
    if (std::ranges::find(known, given) != known.end()) return given;
    record_fault(name, "is not a known value");
    return {};
}

void object_reader::done() {
    if (fault_.empty() && read_ != object_.size()) record_fault("has an unknown member");
}

void object_reader::record_fault(const char* name, std::string_view what) {
    if (fault_.empty()) fault_.append(place_).append(".").append(name).append(" ").append(what);
}

void object_reader::record_fault(std::string_view what) {
    if (fault_.empty()) fault_.append(place_).append(" ").append(what);
}

double object_reader::checked_number(
    const json& value, const char* name, double least, double most) {
    if (!value.is_number()) return record_fault(name, "is not a number"), least;
    const auto given = value.get<double>();
    // Also rejects NaN.
    if (!(given >= least && given <= most)) return record_fault(name, "is out of range"), least;
    return given;
}

bool object_reader::checked_truth(const json& value, const char* name) {
    if (!value.is_boolean()) return record_fault(name, "is not a boolean"), false;
    return value.get<bool>();
}

const json* object_reader::member(const char* name) {
    if (!fault_.empty()) return nullptr;
    const auto value = object_.find(name);
    if (value == object_.end()) return record_fault(name, "is missing"), nullptr;
    ++read_;
    return &*value;
}

const json* object_reader::member_or_null(const char* name) {
    const json* value = member(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

const json* object_reader::list(const char* name, std::size_t count_max) {
    const json* value = member(name);
    if (value == nullptr) return nullptr;
    if (!value->is_array()) return record_fault(name, "is not an array"), nullptr;
    if (value->size() > count_max) return record_fault(name, "has too many elements"), nullptr;
    return value;
}

error malformed_document(std::string_view fault) {
    return error{errc::media_failed, "the media helper's document: " + std::string{fault}};
}

}  // namespace reelsd::media
