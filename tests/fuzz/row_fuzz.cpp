// Random and mutated cells of PostgreSQL's results through the decoders of src/db. They come from
// tests/fuzz/row_corpus: a line each, in hexadecimal digits but for texts.
//
//   row_fuzz [CELLS [SEED]]      2,000 cells for each decoder and seed 1 by default
//
// Exits with 1 and prints the bytes and the seed unless a decoder returns a value that is the same
// when sent back, or throws schema_mismatch; also when a sanitizer finds an error. The same seed
// gives the same cells.
#include "reader_fuzz.hpp"
#include "support/paths.hpp"
#include <reelsd/db/errors.hpp>
#include <reelsd/db/rows.hpp>

#include <libpq-fe.h>

#include <array>
#include <bit>
#include <chrono>
#include <concepts>
#include <cstdint>

namespace reelsd::fuzz {
namespace {

using db::cell;

/// pg_type.oid of the types in the tables. Source: pg_type.dat, PostgreSQL 15.
namespace oid {
constexpr std::uint32_t boolean = 16, bytea = 17, int8 = 20, int4 = 23, text = 25;
constexpr std::uint32_t float8 = 701, text_array = 1009, timestamptz = 1184;
}  // namespace oid

/// Names query and column, and contains no byte of the cell.
constexpr std::size_t message_bytes_max = 120;

cell made(std::uint32_t type, std::string_view bytes) {
    return {.query = "fuzz.q", .column = "c", .bytes = bytes, .type = type, .null = false};
}

/// A number as sent by the server: in network byte order, in the bytes of its type.
template <std::integral Number>
std::string sent(Number number) {
    std::string bytes(sizeof number, '\0');
    auto bits = static_cast<std::make_unsigned_t<Number>>(number);
    for (auto octet = bytes.rbegin(); octet != bytes.rend(); ++octet) {
        *octet = static_cast<char>(bits & 0xffU);
        bits = static_cast<decltype(bits)>(bits >> 8U);
    }
    return bytes;
}
std::string sent(bool truth) {
    return std::string(1, truth ? '\1' : '\0');
}
std::string sent(double number) {
    return sent(std::bit_cast<std::uint64_t>(number));
}
std::string sent(time_point when) {
    constexpr std::chrono::sys_days epoch{std::chrono::year{2000} / 1 / 1};
    return sent(std::int64_t{(when - epoch).count()});
}
std::string sent(const std::string& text) {
    return text;
}
std::string sent(const std::vector<std::byte>& octets) {
    std::string bytes;
    for (const auto octet : octets) bytes.push_back(static_cast<char>(octet));
    return bytes;
}

/// The fault of a rejection; empty for none.
std::string broken_refusal(const db::schema_mismatch& why) {
    const std::string_view message = why.what();
    if (why.code() != errc::internal) return "not our own fault";
    return message.size() <= message_bytes_max && message.starts_with("fuzz.q")
               ? ""
               : "a strange message";
}

/// A value has one form: the bytes that it was decoded from.
template <class Value>
std::function<reading(std::string_view)> decoder_of(std::uint32_t type) {
    return [type](std::string_view bytes) -> reading {
        Value value{};
        try {
            db::decode(made(type, bytes), value);
        } catch (const db::schema_mismatch& why) {
            return {.violation = broken_refusal(why)};
        }
        return {.violation = sent(value) == bytes ? "" : "another value", .accepted = true};
    };
}

/// Arrays have a flag that decoders need not read; their elements must fit into the cell.
reading read_array(std::string_view bytes) {
    std::vector<std::string> elements;
    try {
        db::decode(made(oid::text_array, bytes), elements);
    } catch (const db::schema_mismatch& why) {
        return {.violation = broken_refusal(why)};
    }
    std::size_t size = elements.empty() ? 12 : 20;
    for (const auto& element : elements) size += 4 + element.size();
    const bool fits = elements.empty() ? bytes.size() >= size : bytes.size() == size;
    return {.violation = fits ? "" : "more or less than was sent", .accepted = true};
}

/// No decoder accepts a cell of another type or a null. The first byte selects the type.
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
    return {.violation = holds ? "" : "a number of another type", .accepted = true};
}

struct result_release {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};

/// A whole result of libpq with one text, which rows return unchanged.
reading read_rows(std::string_view text) {
    std::unique_ptr<PGresult, result_release> table{PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK)};
    std::string name = "words";
    PGresAttDesc column{
        .name = name.data(),
        .tableid = 0,
        .columnid = 0,
        .format = 1,
        .typid = oid::text,
        .typlen = -1,
        .atttypmod = -1};
    std::string bytes{text};
    if (PQsetResultAttrs(table.get(), 1, &column) == 0 ||
        PQsetvalue(table.get(), 0, 0, bytes.data(), static_cast<int>(bytes.size())) == 0)
        return {.violation = "libpq makes no row"};
    const db::rows rows{"fuzz.q", table.release()};
    const auto only = rows.one();
    if (rows.size() != 1 || only.is_null("words") || only.as<std::string>("words") != text)
        return {.violation = "another text"};
    if (only.as<std::optional<std::string>>("words") != std::string{text})
        return {.violation = "no text"};
    try {
        static_cast<void>(only.as<std::string>("other"));
        return {.violation = "a column that is not there"};
    } catch (const db::schema_mismatch&) {
        return {.accepted = true};
    }
}

std::vector<std::string> cells_of(const char* file) {
    auto cells = lines_of(std::filesystem::path{REELSD_SOURCE_DIR "/tests/fuzz/row_corpus"} / file);
    for (auto& line : cells) {
        std::string bytes;
        for (std::size_t i = 0; i + 1 < line.size(); i += 2) {
            bytes.push_back(static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16)));
        }
        line = std::move(bytes);
    }
    return cells;
}

std::vector<reader_check> row_checks() {
    const auto integers = cells_of("integers.txt");
    const auto texts = lines_of(REELSD_SOURCE_DIR "/tests/fuzz/row_corpus/texts.txt");
    return {
        {"bigint", integers, decoder_of<std::int64_t>(oid::int8)},
        {"integer", integers, decoder_of<std::int32_t>(oid::int4)},
        {"double", cells_of("doubles.txt"), decoder_of<double>(oid::float8)},
        {"boolean", cells_of("booleans.txt"), decoder_of<bool>(oid::boolean)},
        {"timestamptz", cells_of("times.txt"), decoder_of<time_point>(oid::timestamptz)},
        {"bytea", cells_of("bytes.txt"), decoder_of<std::vector<std::byte>>(oid::bytea)},
        {"text[]", cells_of("arrays.txt"), read_array},
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
