// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/experiment_document.h"

#include <QUndoCommand>
#include <algorithm>

#include "engine/experiment/text_scan.h"

namespace syncline::ui {

namespace {

constexpr int replace_id = 1;

}  // namespace

class ReplaceCommand : public QUndoCommand {
 public:
  ReplaceCommand(ExperimentDocument& document, std::vector<Replacement> edits, const QString& what, QString merge_with, int typing)
      : document_(document), merge_with_(std::move(merge_with)), typing_(typing) {
    setText(what);
    std::string text = document.text();
    for (Replacement& edit : edits) {
      std::string old = text.substr(edit.begin, edit.end - edit.begin);
      text = with_replacement(text, edit);
      steps_.push_back({edit.begin, std::move(old), std::move(edit.text)});
    }
  }

  int id() const override { return merge_with_.isEmpty() ? -1 : replace_id; }

  bool mergeWith(const QUndoCommand* next) override {
    const auto& other = static_cast<const ReplaceCommand&>(*next);
    if (other.merge_with_ != merge_with_ || other.typing_ != typing_ || steps_.size() != 1 || other.steps_.size() != 1) return false;
    Step& mine = steps_.front();
    const Step& theirs = other.steps_.front();
    const std::size_t end = mine.begin + mine.after.size();
    if (theirs.begin < mine.begin || theirs.begin + theirs.before.size() > end) return false;
    mine.after.replace(theirs.begin - mine.begin, theirs.before.size(), theirs.after);
    setObsolete(mine.after == mine.before);
    return true;
  }

  void redo() override {
    for (const Step& step : steps_) document_.apply({step.begin, step.begin + step.before.size(), step.after});
  }
  void undo() override {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
      document_.apply({step->begin, step->begin + step->after.size(), step->before});
    document_.endTyping();
  }

 private:
  struct Step {
    std::size_t begin;
    std::string before, after;
  };
  ExperimentDocument& document_;
  std::vector<Step> steps_;
  QString merge_with_;
  int typing_;
};

ExperimentDocument::ExperimentDocument(std::string text, QObject* parent) : QObject(parent), text_(std::move(text)) { parse(); }

void ExperimentDocument::parse() {
  auto parsed = document::parse(text_);
  if (auto* tree = std::get_if<document::Node>(&parsed)) {
    tree_ = std::move(*tree);
    syntax_error_.reset();
  } else {
    syntax_error_ = std::get<document::SyntaxError>(parsed);
  }
}

void ExperimentDocument::apply(const Replacement& edit) {
  text_ = with_replacement(text_, edit);
  parse();
  Q_EMIT replaced(static_cast<qsizetype>(edit.begin), static_cast<qsizetype>(edit.end), QByteArray::fromStdString(edit.text));
  Q_EMIT changed();
}

bool ExperimentDocument::replace(const std::vector<Replacement>& edits, const QString& what, const QString& merge_with) {
  if (read_only_) return false;
  std::size_t size = text_.size();
  for (const Replacement& edit : edits) {
    if (edit.begin > edit.end || edit.end > size) return false;
    size = size - (edit.end - edit.begin) + edit.text.size();
  }
  const bool changes = std::any_of(edits.begin(), edits.end(), [this, &edits](const Replacement& edit) {
    return edits.size() > 1 || text_.compare(edit.begin, edit.end - edit.begin, edit.text) != 0;
  });
  if (changes) undo_.push(new ReplaceCommand(*this, edits, what, merge_with, typing_));
  return true;
}

bool ExperimentDocument::setValue(const KeyPath& path, const std::string& toml) {
  if (read_only_ || syntax_error_) return false;
  const std::optional<Replacement> edit = replace_value(text_, path, toml);
  if (!edit) return false;
  // The scanner that finds values is not the parser: what it would make of an unusual text must still be one.
  const auto after = document::parse(with_replacement(text_, *edit));
  if (!std::holds_alternative<document::Node>(after)) return false;
  const QString key = QString::fromStdString(print_key_path(path));
  return replace({*edit}, tr("Change %1").arg(key), key);
}

bool ExperimentDocument::removeValue(const KeyPath& path) {
  if (read_only_ || syntax_error_) return false;
  const std::optional<Replacement> edit = remove_value(text_, path);
  if (!edit) return false;
  const auto after = document::parse(with_replacement(text_, *edit));
  if (!std::holds_alternative<document::Node>(after)) return false;
  return replace({*edit}, tr("Reset %1").arg(QString::fromStdString(print_key_path(path))));
}

std::optional<std::string> ExperimentDocument::written(const KeyPath& path) const {
  const TextScan scan(text_);
  const TextScan::Entry* entry = scan.find(path);
  if (entry == nullptr) return std::nullopt;
  return text_.substr(entry->value_begin, entry->value_end - entry->value_begin);
}

std::optional<ExperimentDocument::Span> ExperimentDocument::spanOf(const KeyPath& path) const {
  const TextScan scan(text_);
  if (const TextScan::Entry* entry = scan.find(path)) return Span{entry->key_begin, entry->value_end};
  return std::nullopt;
}

Replacement difference_between(const std::string& before, const std::string& after) {
  const auto is_inside = [](unsigned char c) { return (c & 0xC0U) == 0x80U; };
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  while (head > 0 && ((head < before.size() && is_inside(static_cast<unsigned char>(before[head]))) ||
                      (head < after.size() && is_inside(static_cast<unsigned char>(after[head])))))
    --head;
  std::size_t tail = 0;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  while (tail > 0 && is_inside(static_cast<unsigned char>(before[before.size() - tail]))) --tail;
  return {head, before.size() - tail, after.substr(head, after.size() - head - tail)};
}

}  // namespace syncline::ui
