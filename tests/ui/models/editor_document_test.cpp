// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment document: what a form edit changes, and what it must not.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/experiment/check.h"
#include "engine/experiment/text_scan.h"
#include "engine/sim/schema.h"
#include "ui/models/editor/experiment_document.h"
#include "ui/models/editor/field_values.h"
#include "ui/models/editor/form_fields.h"
#include "ui/models/editor/layer_list.h"

namespace syncline::ui {
namespace {

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> shipped_experiments() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(SYNCLINE_SOURCE_DIR "/resources/experiments")) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Another value that the key may have, as the file would write it.
std::string another_value(const Field& field) {
  const Parameter& parameter = field.parameter;
  if (parameter.kind == Parameter::flag) return field.written == "true" ? "false" : "true";
  if (parameter.kind == Parameter::choice || (parameter.kind == Parameter::list && !field.choices.empty())) {
    for (const std::string_view choice : field.choices) {
      const std::string text = document::print_text(choice);
      const std::string value = parameter.kind == Parameter::list ? "[" + text + "]" : text;
      if (value != field.written) return value;
    }
    return field.written;  // the only choice there is
  }
  switch (parameter.kind) {
    case Parameter::integer:
      return field.written == "3" ? "2" : "3";
    case Parameter::real:
      return field.written == "0.25" ? "0.5" : "0.25";
    case Parameter::duration:
      return "\"250 us\"";
    case Parameter::size:
      return "\"128 KiB\"";
    case Parameter::rate:
      return "\"25 Gbit/s\"";
    case Parameter::list:
      if (field.path.back() == "inputs") return "[\"input\"]";
      return field.written == "16" ? "24" : "16";
    default:
      if (field.path.back() == "every") return "\"7 min\"";
      if (field.path.back() == "evaluate_every") return "\"3 epochs\"";
      return "\"something-else\"";
  }
}

// Fields of every table of the text, layers included.
std::vector<Field> all_fields(const ExperimentDocument& document) {
  std::vector<FormPart> parts;
  for (const Step step : steps) parts.insert(parts.end(), parts_of(step).begin(), parts_of(step).end());
  for (int i = 0; i < layer_count(document); ++i) parts.push_back({"model.layers", {}, {"model", "layers", std::to_string(i)}});
  return fields_of(document, catalogue(), parts);
}

std::size_t leaf_count(const std::string& text) {
  const TextScan scan(text);
  std::size_t leaves = 0;
  for (const TextScan::Entry& entry : scan.entries()) {
    const bool element = entry.path.back().find_first_not_of("0123456789") == std::string::npos;
    const bool table = text[entry.value_begin] == '{' || (text[entry.value_begin] == '[' && entry.path.back() == "layers");
    // Machines and links between them are typed: they have no form.
    const bool machine = entry.path.size() > 2 && entry.path[0] == "cluster" && (entry.path[1] == "nodes" || entry.path[1] == "links");
    if (!element && !table && !machine) ++leaves;
  }
  return leaves;
}

TEST(ExperimentDocument, EditingEachKeyOfEachShippedExperimentToAnotherValueAndBackChangesNoOtherByte) {
  const std::vector<std::filesystem::path> files = shipped_experiments();
  ASSERT_GE(files.size(), 5U);
  std::size_t edited = 0;
  for (const std::filesystem::path& path : files) {
    const std::string original = text_of_file(path);
    ExperimentDocument document(original);
    std::size_t given = 0;
    for (const Field& field : all_fields(document)) {
      if (!field.given) continue;
      SCOPED_TRACE(path.filename().string() + ": " + field.key().toStdString());
      ++given;
      const auto span = document.spanOf(field.path);
      ASSERT_TRUE(span);
      const std::size_t begin = span->end - field.written.size();
      const std::string value = another_value(field);
      ASSERT_TRUE(document.setValue(field.path, value));
      const std::string expected = original.substr(0, begin) + value + original.substr(span->end);
      EXPECT_EQ(document.text(), expected);
      for (const Problem& problem : parse_experiment(document.text(), "", catalogue()).problems)
        EXPECT_NE(problem.origin.key, field.key().toStdString()) << "no legal value: " << problem.message;
      document.endTyping();
      ASSERT_TRUE(document.setValue(field.path, field.written));
      EXPECT_EQ(document.text(), original);
      document.endTyping();
      if (value != field.written) {
        ++edited;
        EXPECT_EQ(document.undoStack().count(), 2);
      }
      while (document.undoStack().canUndo()) document.undoStack().undo();
      EXPECT_EQ(document.text(), original);
      while (document.undoStack().canRedo()) document.undoStack().redo();
      EXPECT_EQ(document.text(), original);
      document.undoStack().clear();
    }
    EXPECT_EQ(given, leaf_count(original)) << path << ": some key has no field";
  }
  EXPECT_GE(edited, 60U);
}

TEST(ExperimentDocument, EachEditedValueReadsBackInTheFormAsWhatWasTyped) {
  for (const std::filesystem::path& path : shipped_experiments()) {
    ExperimentDocument document(text_of_file(path));
    for (const Field& field : all_fields(document)) {
      if (!field.given) continue;
      SCOPED_TRACE(path.filename().string() + ": " + field.key().toStdString());
      // Typing what the field shows must not change the text's meaning, and for plain values not even its characters.
      const std::string toml = toml_of(field.shown, field.parameter, field.written);
      ASSERT_TRUE(document.setValue(field.path, toml));
      const std::optional<std::string> written = document.written(field.path);
      ASSERT_TRUE(written);
      const document::Node* node = node_at(document.tree(), field.path);
      ASSERT_NE(node, nullptr);
      EXPECT_EQ(shown_value(*node, *written, field.parameter), field.shown);
    }
  }
}

TEST(ExperimentDocument, TypingInOneFieldIsOneUndoStep) {
  const std::string original = "[train]\nepochs = 3  # short\n";
  ExperimentDocument document(original);
  for (const char* typed : {"30", "300", "3000"}) ASSERT_TRUE(document.setValue({"train", "epochs"}, typed));
  EXPECT_EQ(document.text(), "[train]\nepochs = 3000  # short\n");
  EXPECT_EQ(document.undoStack().count(), 1);
  document.undoStack().undo();
  EXPECT_EQ(document.text(), original);
  document.undoStack().redo();
  EXPECT_EQ(document.text(), "[train]\nepochs = 3000  # short\n");
}

TEST(ExperimentDocument, TypingInAFieldWhoseKeyIsNewIsOneUndoStepToo) {
  const std::string original = "[train]\nepochs = 3\n";
  ExperimentDocument document(original);
  for (const char* typed : {"5", "5e", "5e-2"})
    ASSERT_TRUE(document.setValue({"train", "optimizer", "lr"}, toml_of(QString::fromLatin1(typed), {.kind = Parameter::real})));
  EXPECT_EQ(document.text(), "[train]\nepochs = 3\n\n[train.optimizer]\nlr = 5e-2\n");
  EXPECT_EQ(document.undoStack().count(), 1);
  document.undoStack().undo();
  EXPECT_EQ(document.text(), original);
}

TEST(ExperimentDocument, AnotherFieldOrALeftFieldStartsANewUndoStep) {
  ExperimentDocument document("seed = 1\nname = \"a\"\n");
  ASSERT_TRUE(document.setValue({"seed"}, "2"));
  ASSERT_TRUE(document.setValue({"name"}, "\"b\""));
  ASSERT_TRUE(document.setValue({"seed"}, "3"));
  document.endTyping();
  ASSERT_TRUE(document.setValue({"seed"}, "4"));
  EXPECT_EQ(document.undoStack().count(), 4);
}

TEST(ExperimentDocument, TypingBackToTheFirstValueLeavesNothingToUndo) {
  ExperimentDocument document("seed = 1\n");
  ASSERT_TRUE(document.setValue({"seed"}, "12"));
  ASSERT_TRUE(document.setValue({"seed"}, "1"));
  EXPECT_FALSE(document.undoStack().canUndo());
  EXPECT_EQ(document.text(), "seed = 1\n");
}

TEST(ExperimentDocument, FormEditsWaitWhileTheTextIsNoToml) {
  ExperimentDocument document("seed = 1\n");
  ASSERT_TRUE(document.replace({{8, 9, "\nbroken ="}}, QStringLiteral("Typing")));
  ASSERT_TRUE(document.syntaxError());
  EXPECT_EQ(document.syntaxError()->line, 2);
  EXPECT_FALSE(document.setValue({"seed"}, "2"));
  EXPECT_EQ(document.tree().find("seed")->line, 1);  // the last text that was TOML is still shown
  document.undoStack().undo();
  EXPECT_TRUE(document.setValue({"seed"}, "2"));
}

TEST(ExperimentDocument, AReadOnlyDocumentRefusesEveryEdit) {
  ExperimentDocument document("seed = 1\n");
  document.setReadOnly(true);
  EXPECT_FALSE(document.setValue({"seed"}, "2"));
  EXPECT_FALSE(document.removeValue({"seed"}));
  EXPECT_FALSE(document.replace({{0, 0, "#"}}, {}));
  EXPECT_EQ(document.text(), "seed = 1\n");
}

TEST(ExperimentDocument, EveryReplacementIsReportedSoThatATextViewCanFollow) {
  ExperimentDocument document("name = \"überlauf\"\nseed = 1\n");
  std::string followed = document.text();
  QObject::connect(&document, &ExperimentDocument::replaced, [&followed](qsizetype begin, qsizetype end, const QByteArray& text) {
    followed.replace(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin), text.toStdString());
  });
  document.setValue({"seed"}, "77");
  EXPECT_EQ(followed, document.text());
  document.setValue({"name"}, "\"größer\"");
  document.removeValue({"seed"});
  EXPECT_EQ(followed, document.text());
  while (document.undoStack().canUndo()) document.undoStack().undo();
  EXPECT_EQ(followed, document.text());
}

TEST(DifferenceBetween, IsCutAtCharactersNotInsideOfThem) {
  const std::string before = "a = \"\u00e4\"", after = "a = \"\u00e5\"";  // both begin with the byte C3
  const Replacement edit = difference_between(before, after);
  EXPECT_EQ(edit.text, "\u00e5");
  EXPECT_EQ(with_replacement(before, edit), after);
  EXPECT_EQ(with_replacement("aaa", difference_between("aaa", "aa")), "aa");
  EXPECT_EQ(with_replacement("", difference_between("", "x")), "x");
}

TEST(LayerList, AddedMovedAndRemovedLayersLeaveTheOthersAndTheCommentsAsTheyWere) {
  const std::string original = "[model]\nlayers = [\n  { type = \"flatten\" },  # first\n  { type = \"linear\", features = 10 },\n]\n";
  ExperimentDocument document(original);
  ASSERT_EQ(layer_count(document), 2);
  ASSERT_TRUE(add_layer(document, 0, "relu"));
  EXPECT_EQ(layer_count(document), 3);
  EXPECT_NE(document.text().find("{ type = \"flatten\" },\n  { type = \"relu\" },  # first"), std::string::npos) << document.text();
  ASSERT_TRUE(swap_layers(document, 1));
  ASSERT_FALSE(document.syntaxError());
  ASSERT_TRUE(remove_layer(document, 2));
  EXPECT_EQ(layer_count(document), 2);
  ASSERT_FALSE(document.syntaxError()) << document.text();
  EXPECT_EQ(document.undoStack().count(), 3);
  while (document.undoStack().canUndo()) document.undoStack().undo();
  EXPECT_EQ(document.text(), original);
}

TEST(LayerList, WorksOnTablesWithHeadersToo) {
  const std::string original =
      "[[model.layers]]\ntype = \"flatten\"\n\n[[model.layers]]\ntype = \"linear\"\nfeatures = 10\n\n[data]\nsource = \"idx\"\n";
  ExperimentDocument document(original);
  ASSERT_EQ(layer_count(document), 2);
  ASSERT_TRUE(add_layer(document, 0, "relu")) << document.text();
  ASSERT_FALSE(document.syntaxError());
  EXPECT_EQ(layer_count(document), 3);
  ASSERT_TRUE(swap_layers(document, 0));
  EXPECT_EQ(node_at(document.tree(), {"model", "layers", "0", "type"})->value, decltype(document::Node::value)(std::string("relu")));
  ASSERT_TRUE(remove_layer(document, 0));
  ASSERT_TRUE(remove_layer(document, 0));
  EXPECT_EQ(layer_count(document), 1);
  EXPECT_NE(node_at(document.tree(), {"data", "source"}), nullptr);
  while (document.undoStack().canUndo()) document.undoStack().undo();
  EXPECT_EQ(document.text(), original);
}

TEST(LayerList, EachLayerOfEachListCanBeRemovedAndTheRestParses) {
  const std::string original = text_of_file(SYNCLINE_SOURCE_DIR "/resources/experiments/own-layers.toml");
  ExperimentDocument document(original);
  const int count = layer_count(document);
  ASSERT_EQ(count, 12);
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE(remove_layer(document, i));
    EXPECT_FALSE(document.syntaxError()) << i << document.text();
    EXPECT_EQ(layer_count(document), count - 1);
    document.undoStack().undo();
    EXPECT_EQ(document.text(), original);
  }
}

TEST(LayerList, AZooModelInsteadOfLayersAndBack) {
  const std::string original = text_of_file(SYNCLINE_SOURCE_DIR "/resources/experiments/own-layers.toml");
  ExperimentDocument document(original);
  ASSERT_TRUE(choose_zoo(document, "lenet"));
  ASSERT_TRUE(parse_experiment(document.text(), "", catalogue()).experiment) << document.text();
  EXPECT_EQ(layer_count(document), 0);
  document.undoStack().undo();
  EXPECT_EQ(document.text(), original);
}

TEST(FieldValues, TypedUnitsNumbersAndListsBecomeWhatTheFileWouldSay) {
  const Parameter rate{.kind = Parameter::rate}, size{.kind = Parameter::size}, duration{.kind = Parameter::duration};
  const Parameter real{.kind = Parameter::real}, list{.kind = Parameter::list}, text{.kind = Parameter::text};
  const auto typed = [](const char* what) { return QString::fromUtf8(what); };
  EXPECT_EQ(toml_of(typed("25 Gbit/s"), rate), "\"25 Gbit/s\"");
  EXPECT_EQ(toml_of(typed("450us"), duration), "\"450us\"");
  EXPECT_EQ(toml_of(typed("64Ki"), size), "\"64Ki\"");
  EXPECT_EQ(toml_of(typed(" 0.001 "), duration), "0.001");
  EXPECT_EQ(toml_of(typed("5e-4"), real), "5e-4");
  EXPECT_EQ(toml_of(typed(".5"), real), "0.5");
  EXPECT_EQ(toml_of(typed("1e-"), real), "\"1e-\"");  // said to be no number by the engine's check, not lost
  EXPECT_EQ(toml_of(typed("64"), list, "128"), "64");
  EXPECT_EQ(toml_of(typed("64"), list, "[128, 128]"), "[64]");
  EXPECT_EQ(toml_of(typed("64, 32"), list, "128"), "[64, 32]");
  EXPECT_EQ(toml_of(typed("crop, flip"), list), "[\"crop\", \"flip\"]");
  EXPECT_EQ(toml_of(typed("say \"hi\""), text), "\"say \\\"hi\\\"\"");
  EXPECT_EQ(toml_of(typed(""), real), "");
}

TEST(FieldValues, TypedUnitsAreTakenByTheEnginesOwnCheck) {
  for (const char* typed : {"25 Gbit/s", "3.1 GB/s", "125000000"}) {
    const std::string text = "x = " + toml_of(QString::fromUtf8(typed), {.kind = Parameter::rate});
    const auto parsed = document::parse(text);
    const auto value = read_value(*std::get<document::Node>(parsed).find("x"), {.kind = Parameter::rate});
    EXPECT_TRUE(std::holds_alternative<Value>(value)) << typed;
  }
  for (const char* typed : {"450us", "1.5 ms", "0.25"}) {
    const auto parsed = document::parse("x = " + toml_of(QString::fromUtf8(typed), {.kind = Parameter::duration}));
    EXPECT_TRUE(std::holds_alternative<Value>(read_value(*std::get<document::Node>(parsed).find("x"), {.kind = Parameter::duration})))
        << typed;
  }
  for (const char* typed : {"64Ki", "4 GiB", "1024"}) {
    const auto parsed = document::parse("x = " + toml_of(QString::fromUtf8(typed), {.kind = Parameter::size}));
    EXPECT_TRUE(std::holds_alternative<Value>(read_value(*std::get<document::Node>(parsed).find("x"), {.kind = Parameter::size}))) << typed;
  }
}

}  // namespace
}  // namespace syncline::ui
