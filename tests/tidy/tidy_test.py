#!/usr/bin/env python3
"""Tests the tidy rules with small sources: each breach is found, and correct code passes."""

import unittest
from pathlib import PurePosixPath

import layers
import source_text
import tidy

HEADER = "#pragma once\n"


def source(path: str, text: str) -> tidy.Source:
    return tidy.Source(PurePosixPath(path), text)


class IncludeRules(unittest.TestCase):
    CASES = [
        # path, include, text of the breach; empty: none
        ("src/work/a.cpp", "<reelsd/model/findings.hpp>", ""),
        ("src/model/a.cpp", "<reelsd/media/report.hpp>", ""),
        ("src/media/a.cpp", "<reelsd/model/findings.hpp>", "same rank"),
        ("src/platform/a.cpp", "<reelsd/domain/jobs/store.hpp>", "same rank"),
        ("src/base/a.cpp", "<reelsd/async/task_group.hpp>", "base is below async"),
        ("src/domain/jobs/a.cpp", "<reelsd/http/request.hpp>", "http is for api, dashboard"),
        ("src/work/a.cpp", "<reelsd/db/pool.hpp>", "db is for domain"),
        ("src/domain/jobs/a.cpp", "<reelsd/db/pool.hpp>", ""),
        ("src/app/a.cpp", "<reelsd/db/pool.hpp>", ""),
        ("src/api/a.cpp", "<reelsd/net/client.hpp>", "net is for"),
        ("src/cli/a.cpp", "<reelsd/net/client.hpp>", ""),
        ("src/cli/a.cpp", "<reelsd/cli/text.hpp>", ""),
        ("src/cli/a.cpp", "<reelsd/async/offload_pool.hpp>", "cli uses net and base"),
        ("src/domain/webhooks/a.cpp", "<reelsd/domain/jobs/store.hpp>", ""),
        ("src/domain/jobs/a.cpp", "<reelsd/domain/webhooks/store.hpp>", "may not use domain/webhooks"),
        ("src/new_layer/a.cpp", "<reelsd/base/error.hpp>", "no rank is known"),
        ("src/base/a.cpp", "<reelsd/stray.hpp>", "is in no layer"),
        ("src/db/a.cpp", "<libpq-fe.h>", ""),
        ("src/domain/jobs/a.cpp", "<libpq-fe.h>", "belongs into db"),
        ("src/platform/a.cpp", "<curl/curl.h>", "belongs into net"),
        ("src/net/a.cpp", "<boost/beast/http.hpp>", "belongs into http"),
        ("src/model/a.cpp", "<libavformat/avformat.h>", "belongs into media"),
        ("src/media/child/a.cpp", "<libavformat/avformat.h>", ""),
        ("src/model/a.cpp", "<vector>", ""),
        ("src/model/a.cpp", '"words.hpp"', ""),
        ("src/media/child/a.cpp", '"../text/reader.hpp"', ""),
        ("src/media/a.cpp", '"../model/words.hpp"', "is outside media"),
        ("src/domain/webhooks/a.cpp", '"../jobs/job_rows.hpp"', "private to another folder"),
        ("include/reelsd/model/a.hpp", '"words.hpp"', "in angle brackets"),
        ("tests/unit/model/a.cpp", "<reelsd/app/settings.hpp>", ""),
    ]

    def test_each(self) -> None:
        for path, include, breach in self.CASES:
            with self.subTest(path=path, include=include):
                found = list(tidy.include_breaches(source(path, f"#include {include}\n")))
                self.assertEqual(len(found), 1 if breach else 0, found)
                self.assertIn(breach, "".join(found))

    def test_every_layer_has_a_rank(self) -> None:
        for used, users in layers.ONLY_FOR.items():
            self.assertIn(used, layers.RANKS)
            self.assertLessEqual(users, set(layers.RANKS))


class BannedNames(unittest.TestCase):
    CASES = [
        ("src/api/a.cpp", "co_spawn(loop, work(), asio::detached);", "detached is banned"),
        ("src/api/a.cpp", "std::this_thread::sleep_for(1s);", "sleep_for( is banned"),
        ("tests/unit/api/a.cpp", "usleep(5);", "usleep( is banned"),
        ("src/api/a.cpp", "std::cout << 1;", "std::cout is banned"),
        ("src/cli/a.cpp", "std::cout << 1;", ""),
        ("src/api/a.cpp", "result<bool> is_right();", "result<bool> is banned"),
        ("src/app/a.cpp", 'constexpr db::query find{"find", "SELECT 1"};', "db::query is banned"),
        ("src/app/a.cpp", "db::query_metrics counts;", ""),
        ("src/domain/jobs/a.cpp", 'constexpr db::query find{"find", "SELECT 1"};', ""),
        ("src/api/a.cpp", "auto n = rand();", "rand( is banned"),
        ("src/api/a.cpp", "auto n = operand(1);", ""),
        ("src/api/a.cpp", "std::mt19937_64 engine;", "std::mt19937_64 is banned"),
        ("src/base/random.cpp", "std::minstd_rand engine;", ""),
        ("src/api/a.cpp", "auto* p = new thing{};", "a bare new"),
        ("src/api/a.cpp", "std::unique_ptr<thing> p{new thing{}};", ""),
        ("src/api/a.cpp", "void* operator new(std::size_t);", ""),
        ("src/api/a.cpp", "// a new thing is detached, see sleep_for()", ""),
        ("src/api/a.cpp", 'log("new thing detached");', ""),
        ("tests/unit/bot/a.cpp", "clerk at;", "standard term"),
        ("tests/unit/bot/a.cpp", "// A clerk at work", ""),
        ("src/api/a.cpp", 'auto sql = R"sql(a "new row" detached)sql";', ""),
        ("src/api/a.cpp", "// TODO: later", "a leftover"),
        ("include/reelsd/api/a.hpp", HEADER + "using namespace std;", "using namespace in a"),
        ("include/reelsd/api/a.hpp", HEADER + "using namespace std::chrono_literals;", ""),
        ("include/reelsd/api/a.hpp", HEADER + "using namespace std::literals;", ""),
        ("src/api/a.hpp", "int one();", "no #pragma once"),
    ]

    def test_each(self) -> None:
        for path, text, breach in self.CASES:
            with self.subTest(path=path, text=text):
                found = list(tidy.name_breaches(source(path, text + "\n")))
                self.assertEqual(len(found), 1 if breach else 0, found)
                self.assertIn(breach, "".join(found))


class EmptyNames(unittest.TestCase):
    BODY = "    f();\n" * 4
    CASES = [
        ("void g(const thing& one) {\n" + BODY + "}", True),
        ("void g() {\n    auto made = h();\n" + BODY + "}", True),
        ("void g() {\n    thing told{1};\n" + BODY + "}", True),
        ("void g() {\n    const auto& [said, other] = h();\n" + BODY + "}", True),
        ("struct s {\n    int wanted;\n" + BODY + "};", True),
        ("void g() {\n" + BODY + "    auto made = h();\n    return made;\n}", False),
        ("for (const auto& one : all) {\n    f(one);\n}\n" + BODY, False),
        ("for (const auto& one : all) f(one);\n" + BODY, False),
        ("sort(all, [](const thing& one) { return one.n; });\n" + BODY, False),
        ("thing one() const;\n" + BODY, False),
        ("return one;\n" + BODY, False),
        ("auto row = rows.one();\n" + BODY, False),
        ("auto n = a * one;\n" + BODY, False),
        ("// what was said;\n" + BODY, False),
    ]

    def test_each(self) -> None:
        for text, is_breach in self.CASES:
            with self.subTest(text=text):
                found = list(tidy.empty_name_breaches(source("src/api/a.cpp", text + "\n")))
                self.assertEqual(len(found), int(is_breach), found)


class TableOwners(unittest.TestCase):
    CASES = [
        ("src/domain/usage/a.cpp", "SELECT id FROM job WHERE id = $1", True),
        ("src/domain/usage/a.cpp", "UPDATE account SET n = 1\n  FROM chosen, job\n WHERE true", True),
        ("src/domain/usage/a.cpp", "FROM account AS owner, job AS held", True),
        ("src/domain/usage/a.cpp", "LEFT JOIN job ON true", True),
        ("src/app/a.cpp", "INSERT INTO job (id) VALUES (1)", True),
        ("src/domain/usage/a.cpp", "DELETE FROM call USING job", True),
        ("src/domain/usage/a.cpp", "SELECT id FROM job_state AS job", False),
        ("src/domain/usage/a.cpp", "DELETE FROM deleted_job", False),
        ("src/domain/jobs/a.cpp", "SELECT id FROM job", False),
        ("tests/db/a.cpp", "SELECT id FROM job", False),
    ]

    def test_each(self) -> None:
        for path, sql, is_breach in self.CASES:
            with self.subTest(path=path, sql=sql):
                text = f'constexpr db::query q{{"q", R"sql({sql})sql"}};\n'
                self.assertEqual(len(list(tidy.table_breaches(source(path, text)))), int(is_breach))


class Lengths(unittest.TestCase):
    def breaches(self, text: str) -> str:
        return "\n".join(tidy.length_breaches(source("src/model/a.cpp", text)))

    def test_files_and_columns_at_their_bound_and_one_past(self) -> None:
        self.assertEqual(self.breaches("x\n" * 600), "")
        self.assertIn("601 lines", self.breaches("x\n" * 601))
        self.assertEqual(self.breaches("\u00e9" * 100 + "\n"), "")
        self.assertIn("101 columns", self.breaches("x" * 101 + "\n"))

    def test_functions_at_their_bound_and_one_past(self) -> None:
        self.assertEqual(self.breaches("void f() {\n" + "    g();\n" * 68 + "}\n"), "")
        self.assertIn("71 lines", self.breaches("void f() {\n" + "    g();\n" * 69 + "}\n"))

    def test_tables_are_no_functions(self) -> None:
        table = "constexpr auto words = std::to_array<int>({\n" + "    1,\n" * 80 + "});\n"
        self.assertEqual(self.breaches(table), "")

    def test_finds_functions_in_scopes(self) -> None:
        text = (
            "namespace a {\n"
            "struct s {\n"
            "    s() : x_{1}, y_{2} {}\n"
            "    [[nodiscard]] int get() const noexcept {\n"
            "        if (x_ > 0) { return 1; }\n"
            "        const auto add = [](int n) { return n + '}'; };\n"
            "        return add(2);\n"
            "    }\n"
            "    int x_ = f(2);\n"
            "};\n"
            "template <class T>\n"
            "auto value(T t)\n"
            "    -> std::vector<T> {\n"
            '    return {t, "{"};\n'
            "}\n"
            "bool operator==(s left, s right) {\n"
            "    return true;\n"
            "}\n"
            "}  // namespace a\n")
        found = source_text.functions_of(text)
        self.assertEqual(
            [(one.first_line, one.lines) for one in found],
            [(3, 1), (4, 5), (11, 5), (16, 3)])

    def test_digit_separators_open_no_literal(self) -> None:
        text = "int f() { return 1'000'000; }\nint g() { return 'x'; }\n"
        self.assertEqual(len(source_text.functions_of(text)), 2)


class SqlFunctions(unittest.TestCase):
    def breaches(self, text: str) -> str:
        return "\n".join(tidy.sql_function_breaches("migrations/functions/f.sql", text))

    def test_files_at_their_bound_and_one_past(self) -> None:
        head = "CREATE OR REPLACE FUNCTION f() RETURNS void LANGUAGE sql AS $$\n"
        self.assertEqual(self.breaches(head + "    SELECT\n" * 69), "")
        self.assertIn("71 lines", self.breaches(head + "    SELECT\n" * 70))

    def test_a_file_defines_the_function_that_it_is_named_after(self) -> None:
        self.assertIn("g() has a separate file", self.breaches("CREATE OR REPLACE FUNCTION g()\n"))

        earlier = "CREATE OR REPLACE FUNCTION g(a integer)\n"
        self.assertEqual(list(tidy.sql_function_breaches("functions/g_before_0042.sql", earlier)), [])

    def test_numbered_migrations_define_none_any_more(self) -> None:
        text = "CREATE FUNCTION f()\n"
        self.assertEqual(list(tidy.migration_breaches("migrations/0040_a_b.sql", text)), [])
        self.assertEqual(len(list(tidy.migration_breaches("migrations/0041_a_b.sql", text))), 1)


class DeadFiles(unittest.TestCase):
    def test_sources_are_built_and_headers_included(self) -> None:
        sources = [
            source("src/model/a.cpp", '#include "a.hpp"\n#include <reelsd/model/b.hpp>\n'),
            source("src/model/a.hpp", HEADER),
            source("src/model/unused.hpp", HEADER),
            source("src/model/not_built.cpp", ""),
            source("tests/support/server.cpp", ""),
            source("include/reelsd/model/b.hpp", HEADER),
            source("include/reelsd/model/c.hpp", HEADER),
        ]
        lists = {
            PurePosixPath("src/model"): "layer(model SOURCES a.cpp really_not_built.cpp)",
            PurePosixPath("tests/db"): "layer_test(db SOURCES ${TESTS}/support/server.cpp)",
        }
        self.assertEqual(list(tidy.dead_files(sources, lists)), [
            "src/model/unused.hpp: nobody includes it",
            "src/model/not_built.cpp: no CMakeLists.txt builds it",
            "include/reelsd/model/c.hpp: nobody includes it",
        ])


if __name__ == "__main__":
    unittest.main()
