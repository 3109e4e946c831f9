// Random and mutated cells of PostgreSQL's answers through the decoders of src/db. They come from
// tests/fuzz/row_corpus, a line each.
//
//   row_fuzz [CELLS [SEED]]      2,000 cells for each decoder and seed 1 by default
//
// Ends with 1 and shows the bytes and the seed when a decoder ends in anything but a value that
// means the same when it is sent back, or schema_mismatch; the sanitizers end it for what they
// find. The same seed makes the same cells.
#include "reader_fuzz.hpp"
#include "support/paths.hpp"
#include <reelsd/db/errors.hpp>
#include <reelsd/db/query.hpp>
#include <reelsd/db/rows.hpp>

#include <libpq-fe.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace reelsd::fuzz {
namespace {

using db::cell;

/// pg_type.oid of what our tables have. Source: pg_type.dat, PostgreSQL 15.
namespace oid {
constexpr std::uint32_t boolean = 16, bytea = 17, int8 = 20, int4 = 23, text = 25;
constexpr std::uint32_t float8 = 701, text_array = 1009, int8_array = 1016, float8_array = 1022;
constexpr std::uint32_t timestamptz = 1184;
}  // namespace oid

/// Query and column, and no byte of the cell.
constexpr std::size_t message_bytes_max = 120;

cell made(std::uint32_t type, std::string_view text) {
    return {.query = "fuzz.q", .column = "c", .text = text, .type = type, .null = false};
}

bool same(double left, double right) {
    return left == right || (std::isnan(left) && std::isnan(right));
}
bool same(const std::vector<double>& left, const std::vector<double>& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](double a, double b) {
        return same(a, b);
    });
}
template <class Value>
bool same(const Value& left, const Value& right) {
    return left == right;
}

/// As the server writes what it was sent.
template <class Value>
std::string written(const Value& value) {
    return std::string{db::parameter{value}.value()};
}
std::string written(bool truth) {
    return truth ? "t" : "f";
}
std::string written(const std::vector<std::byte>& octets) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "\\x";
    for (const auto octet : octets) {
        text += digits[std::to_integer<unsigned>(octet) >> 4U];
        text += digits[std::to_integer<unsigned>(octet) & 15U];
    }
    return text;
}

/// Empty, or what is wrong with a refusal.
std::string broken_refusal(const db::schema_mismatch& why) {
    const std::string_view said = why.what();
    if (why.code() != errc::internal) return "not our own fault";
    return said.size() <= message_bytes_max && said.starts_with("fuzz.q") ? ""
                                                                          : "a strange message";
}

template <class Value>
std::function<reading(std::string_view)> decoder_of(std::uint32_t type) {
    return [type](std::string_view text) -> reading {
        Value value{};
        try {
            db::decode(made(type, text), value);
        } catch (const db::schema_mismatch& why) {
            return {.broken_promise = broken_refusal(why)};
        }
        Value again{};
        const auto sent = written(value);
        try {
            db::decode(made(type, sent), again);
        } catch (const db::schema_mismatch& why) {
            return {.broken_promise = std::string{"sent back it is refused: "} + why.what()};
        }
        return {.broken_promise = same(value, again) ? "" : "another value", .accepted = true};
    };
}

/// No decoder takes a cell of another type, nor a null: the first byte chooses the type.
reading read_other_types(std::string_view text) {
    constexpr auto others =
        std::to_array<std::uint32_t>({oid::bytea, oid::text, 0, 4'294'967'295, oid::float8});
    const auto first = text.empty() ? 0U : static_cast<unsigned char>(text.front());
    const auto refuses = [text](std::uint32_t type, bool is_null) {
        auto from = made(type, text);
        from.null = is_null;
        std::int64_t number = 0;
        try {
            db::decode(from, number);
            return false;
        } catch (const db::schema_mismatch&) {
            return true;
        }
    };
    const bool holds = refuses(others[first % others.size()], false) && refuses(oid::int8, true);
    return {.broken_promise = holds ? "" : "a number of another type", .accepted = true};
}

struct result_release {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};

/// A whole answer of libpq with one text: rows hand it on unchanged, and nothing else.
reading read_rows(std::string_view text) {
    std::unique_ptr<PGresult, result_release> made{PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK)};
    std::string name = "words";
    PGresAttDesc column{
        .name = name.data(),
        .tableid = 0,
        .columnid = 0,
        .format = 0,
        .typid = oid::text,
        .typlen = -1,
        .atttypmod = -1};
    std::string bytes{text};
    if (PQsetResultAttrs(made.get(), 1, &column) == 0 ||
        PQsetvalue(made.get(), 0, 0, bytes.data(), static_cast<int>(bytes.size())) == 0)
        return {.broken_promise = "libpq makes no row"};
    const db::rows rows{"fuzz.q", made.release()};
    const auto only = rows.one();
    if (rows.size() != 1 || only.is_null("words") || only.as<std::string>("words") != text)
        return {.broken_promise = "another text"};
    if (only.as<std::optional<std::string>>("words") != std::string{text})
        return {.broken_promise = "no text"};
    try {
        static_cast<void>(only.as<std::string>("other"));
        return {.broken_promise = "a column that is not there"};
    } catch (const db::schema_mismatch&) {
        return {.accepted = true};
    }
}

std::vector<reader_check> row_checks() {
    const std::filesystem::path corpus{REELSD_SOURCE_DIR "/tests/fuzz/row_corpus"};
    const auto numbers = lines_of(corpus / "numbers.txt");
    const auto arrays = lines_of(corpus / "arrays.txt");
    const auto texts = lines_of(corpus / "texts.txt");
    return {
        {"bigint", numbers, decoder_of<std::int64_t>(oid::int8)},
        {"integer", numbers, decoder_of<std::int32_t>(oid::int4)},
        {"double", numbers, decoder_of<double>(oid::float8)},
        {"boolean", lines_of(corpus / "booleans.txt"), decoder_of<bool>(oid::boolean)},
        {"timestamptz", lines_of(corpus / "times.txt"), decoder_of<time_point>(oid::timestamptz)},
        {"bytea", lines_of(corpus / "bytes.txt"), decoder_of<std::vector<std::byte>>(oid::bytea)},
        {"bigint[]", arrays, decoder_of<std::vector<std::int64_t>>(oid::int8_array)},
        {"double[]", arrays, decoder_of<std::vector<double>>(oid::float8_array)},
        {"text[]", arrays, decoder_of<std::vector<std::string>>(oid::text_array)},
        {"text", texts, decoder_of<std::string>(oid::text)},
        {"other types", texts, read_other_types},
        {"rows", texts, read_rows},
    };
}

}  // namespace
}  // namespace reelsd::fuzz

int main(int count, char** values) {
    using namespace reelsd::fuzz;
    constexpr std::size_t cells_usual = 2'000;
    return fuzz_readers(row_checks(), {}, run_from(count, values, cells_usual));
}
