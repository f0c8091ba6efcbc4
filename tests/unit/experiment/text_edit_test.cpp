// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/text_edit.h"

#include <gtest/gtest.h>

#include "engine/experiment/document.h"

namespace syncline {
namespace {

std::string set(std::string_view text, std::string_view key, std::string_view value) {
  const auto edit = replace_value(text, parse_key_path(key).value(), value);
  if (!edit) return "no edit";
  const std::string result = with_replacement(text, *edit);
  EXPECT_TRUE(std::holds_alternative<document::Node>(document::parse(result))) << result;
  return result;
}

std::string removed(std::string_view text, std::string_view key) {
  const auto edit = remove_value(text, parse_key_path(key).value());
  if (!edit) return "no edit";
  const std::string result = with_replacement(text, *edit);
  EXPECT_TRUE(std::holds_alternative<document::Node>(document::parse(result))) << result;
  return result;
}

TEST(TextEdit, ReplacesOnlyTheCharactersOfTheValue) {
  EXPECT_EQ(set("# top\na   =  1   # one\nb = 2\n", "a", "22"), "# top\na   =  22   # one\nb = 2\n");
  EXPECT_EQ(set("[t] # c\n  x = 'a # b' # d\r\n", "t.x", "3"), "[t] # c\n  x = 3 # d\r\n");
  EXPECT_EQ(set("a = \"\"\"x\n] # \\\" y\"\"\" # c", "a", "1"), "a = 1 # c");
  EXPECT_EQ(set("a = '''x''''' # c\nb = 1", "b", "2"), "a = '''x''''' # c\nb = 2");
  EXPECT_EQ(set("a = [1, # one\n 2]\nb = 1", "b", "2"), "a = [1, # one\n 2]\nb = 2");
  EXPECT_EQ(set("a = [1, # one\n 2]\nb = 1", "a", "[]"), "a = []\nb = 1");
  EXPECT_EQ(set("\xef\xbb\xbf"
                "a = 1",
                "a", "2"),
            "\xef\xbb\xbf"
            "a = 2");
  EXPECT_EQ(set("d = 2000-01-01 00:00:00 # x", "d", "1"), "d = 1 # x");
}

TEST(TextEdit, FindsKeysHoweverTheyAreWritten) {
  EXPECT_EQ(set("a.\"b c\".d = 1", "a.\"b c\".d", "2"), "a.\"b c\".d = 2");
  EXPECT_EQ(set("a . b = 1", "a.b", "2"), "a . b = 2");
  EXPECT_EQ(set("[\"a\".'b']\nc = 1", "a.b.c", "2"), "[\"a\".'b']\nc = 2");
  EXPECT_EQ(set("\"\\u0061\\tb\" = 1", "\"a\\tb\"", "2"), "\"\\u0061\\tb\" = 2");
  EXPECT_EQ(set("o = { name = \"x\", lr = 0.1 } # c", "o.lr", "0.2"), "o = { name = \"x\", lr = 0.2 } # c");
  EXPECT_EQ(set("o = { p = { q = 1 }, r.s = 2 }", "o.p.q", "3"), "o = { p = { q = 3 }, r.s = 2 }");
  EXPECT_EQ(set("o = { p = { q = 1 }, r.s = 2 }", "o.r.s", "3"), "o = { p = { q = 1 }, r.s = 3 }");
  EXPECT_EQ(set("l = [\n  { k = 1 }, # one\n  { k = 2 },\n]", "l.1.k", "5"), "l = [\n  { k = 1 }, # one\n  { k = 5 },\n]");
  EXPECT_EQ(set("l = [1, [2, 3]]", "l.1.0", "5"), "l = [1, [5, 3]]");
  EXPECT_EQ(set("[[n]]\na = 1\n[[n]]\na = 2\n[n.sub]\nb = 3\n", "n.1.a", "5"), "[[n]]\na = 1\n[[n]]\na = 5\n[n.sub]\nb = 3\n");
  EXPECT_EQ(set("[[n]]\na = 1\n[[n]]\na = 2\n[n.sub]\nb = 3\n", "n.1.sub.b", "5"), "[[n]]\na = 1\n[[n]]\na = 2\n[n.sub]\nb = 5\n");
  EXPECT_EQ(set("[[a]]\n[[a.b]]\nx = 1\n[[a]]\n[[a.b]]\nx = 2\n", "a.1.b.0.x", "5"), "[[a]]\n[[a.b]]\nx = 1\n[[a]]\n[[a.b]]\nx = 5\n");
}

TEST(TextEdit, AddsAKeyAsTheLastOfItsTable) {
  EXPECT_EQ(set("a = 1 # c\n\n# about t\n[t]\nb = 2\n", "z", "9"), "a = 1 # c\nz = 9\n\n# about t\n[t]\nb = 2\n");
  EXPECT_EQ(set("[t]\nb = 2 # c\n\n# about u\n[u]\n", "t.z", "9"), "[t]\nb = 2 # c\nz = 9\n\n# about u\n[u]\n");
  EXPECT_EQ(set("[t] # empty\n[u]\n", "t.z", "9"), "[t] # empty\nz = 9\n[u]\n");
  EXPECT_EQ(set("[t]\nb = 2", "t.z", "9"), "[t]\nb = 2\nz = 9\n");
  EXPECT_EQ(set("[t]\r\nb = 2\r\n", "t.z", "9"), "[t]\r\nb = 2\r\nz = 9\r\n");
  EXPECT_EQ(set("", "z", "9"), "z = 9\n");
  EXPECT_EQ(set("[t]\n", "z", "9"), "z = 9\n[t]\n");
  EXPECT_EQ(set("[t]\no = { a = 1 } # c", "t.o.z", "9"), "[t]\no = { a = 1, z = 9 } # c");
  EXPECT_EQ(set("o = {}", "o.z", "9"), "o = { z = 9 }");
  EXPECT_EQ(set("o = { a = 1 }", "o.p.q", "9"), "o = { a = 1, p.q = 9 }");
  EXPECT_EQ(set("[t]\no.a = 1\nb = 2\n", "t.o.z", "9"), "[t]\no.a = 1\no.z = 9\nb = 2\n");
  EXPECT_EQ(set("[[n]]\na = 1\n[[n]]\na = 2\n", "n.0.z", "9"), "[[n]]\na = 1\nz = 9\n[[n]]\na = 2\n");
  EXPECT_EQ(set("[[n]]\na = 1\n", "n.0.o.z", "9"), "[[n]]\na = 1\no.z = 9\n");
}

TEST(TextEdit, AppendsTheTableThatIsMissing) {
  EXPECT_EQ(set("a = 1\n", "t.z", "9"), "a = 1\n\n[t]\nz = 9\n");
  EXPECT_EQ(set("[t]\nb = 2", "t.u.z", "9"), "[t]\nb = 2\n\n[t.u]\nz = 9\n");
  EXPECT_EQ(set("[t.u]\nb = 2\n", "t.z", "9"), "[t.u]\nb = 2\n\n[t]\nz = 9\n");
  EXPECT_EQ(set("a = 1\n", "\"x y\".z", "9"), "a = 1\n\n[\"x y\"]\nz = 9\n");
}

TEST(TextEdit, RefusesWhatIsNoPlaceForAValue) {
  EXPECT_EQ(set("[t]\na = 1", "t", "9"), "no edit");
  EXPECT_EQ(set("[t.u]\na = 1", "t", "9"), "no edit");
  EXPECT_EQ(set("t.a = 1", "t", "9"), "no edit");
  EXPECT_EQ(set("a = 1", "a.b", "9"), "no edit");
  EXPECT_EQ(set("a = [1]", "a.b", "9"), "no edit");
  EXPECT_EQ(set("a = [1]", "a.1", "9"), "no edit");
  EXPECT_EQ(set("[[n]]\na = 1", "n.b", "9"), "no edit");
}

TEST(TextEdit, RemovesAKeyAndItsLine) {
  EXPECT_EQ(removed("a = 1\nb = 2 # two\nc = 3\n", "b"), "a = 1\nc = 3\n");
  EXPECT_EQ(removed("a = 1\n[t]\n  b = [1,\n 2]\nc = 3", "t.b"), "a = 1\n[t]\nc = 3");
  EXPECT_EQ(removed("a = 1", "a"), "");
  EXPECT_EQ(removed("o = { a = 1, b = 2, c = 3 }", "o.a"), "o = { b = 2, c = 3 }");
  EXPECT_EQ(removed("o = { a = 1, b = 2, c = 3 }", "o.b"), "o = { a = 1, c = 3 }");
  EXPECT_EQ(removed("o = { a = 1, b = 2, c = 3 }", "o.c"), "o = { a = 1, b = 2 }");
  EXPECT_EQ(removed("o = { a = 1 }", "o.a"), "o = {  }");
  EXPECT_EQ(removed("l = [1, 2]", "l.0"), "no edit");
  EXPECT_EQ(removed("a = 1", "b"), "no edit");
}

TEST(TextEdit, KeyPaths) {
  EXPECT_EQ(parse_key_path("a.b-c._1"), (KeyPath{"a", "b-c", "_1"}));
  EXPECT_EQ(parse_key_path(" a . \"b.c\" "), (KeyPath{"a", "b.c"}));
  EXPECT_EQ(parse_key_path("'a\\b'"), (KeyPath{"a\\b"}));
  EXPECT_EQ(parse_key_path("\"\\u00e4\\U0001F600\""), (KeyPath{"ä😀"}));
  for (const char* text : {"", ".", "a.", ".a", "a..b", "a b", "a=", "\"a", "ä"}) EXPECT_EQ(parse_key_path(text), std::nullopt) << text;
  EXPECT_EQ(print_key_path({"a", "b c", "d"}), "a.\"b c\".d");
}

TEST(TextEdit, OneValue) {
  for (const char* text : {"1", " true ", "\"a # b\"", "[1, 2]", "{ a = 1 }", "[1, # c\n 2]", "'''a\nb'''"})
    EXPECT_TRUE(is_one_value(text)) << text;
  for (const char* text : {"", "  ", "1 # c", "1\nb = 2", "1, 2", "] ", "\"a\" \"b\"", "# c"}) EXPECT_FALSE(is_one_value(text)) << text;
}

TEST(TextEdit, NeverFailsOnTextThatDoesNotParse) {
  for (const char* text : {"[", "[[", "a", "a =", "= 1", "a = {", "a = {b", "a = [", "a = \"", "a = '''", "[a", "[[a]", "a.b.", "{{{{",
                           "]]]]", "a = [{[{", "\"", "'\n'"}) {
    for (const char* key : {"a", "a.b", "a.0.b", "z.y"}) {
      const KeyPath path = parse_key_path(key).value();
      for (const auto& edit : {replace_value(text, path, "1"), remove_value(text, path)}) {
        if (!edit) continue;
        EXPECT_LE(edit->begin, edit->end);
        EXPECT_LE(edit->end, std::string_view(text).size());
      }
    }
    EXPECT_EQ(line_of_deep_key(text, 16), 0);
  }
}

}  // namespace
}  // namespace syncline
