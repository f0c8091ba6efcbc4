// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment being edited: one TOML text with two views, form and text. An edit in either is one step of one undo stack. A form edit
// replaces the characters of its value and no other, so that comments and order survive.
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/experiment/text_edit.h"

namespace syncline::ui {

class ExperimentDocument : public QObject {
  Q_OBJECT

 public:
  explicit ExperimentDocument(std::string text, QObject* parent = nullptr);

  const std::string& text() const { return text_; }  // UTF-8
  QUndoStack& undoStack() { return undo_; }
  bool readOnly() const { return read_only_; }
  void setReadOnly(bool read_only) { read_only_ = read_only; }

  // The text as a tree: of the text as it is, or of the last one that was TOML. Never null.
  const document::Node& tree() const { return tree_; }
  // Empty while the text is TOML; forms edit nothing otherwise, because where a value stands is unknown.
  const std::optional<document::SyntaxError>& syntaxError() const { return syntax_error_; }

  // `toml`: one value. False, and nothing changed: read-only, not TOML at present, or the key cannot have a value there. Edits of one key
  // one after the other are one undo step until endTyping() or an edit elsewhere.
  bool setValue(const KeyPath&, const std::string& toml);
  bool removeValue(const KeyPath&);
  // Several replacements as one undo step, each for the text that the ones before it made. `merge_with`: as for setValue; empty: a step of
  // its own. False as above; the text need not be TOML afterwards.
  bool replace(const std::vector<Replacement>&, const QString& what, const QString& merge_with = {});
  void endTyping() { ++typing_; }

  // The characters of the value as written ("5e-4"); nullopt when the text does not give the key.
  std::optional<std::string> written(const KeyPath&) const;
  // Where the key or its value stands, for showing it: begin and end in bytes.
  struct Span {
    std::size_t begin = 0, end = 0;
  };
  std::optional<Span> spanOf(const KeyPath&) const;

 Q_SIGNALS:
  // After each change, also by undo and redo: the bytes [begin, end) of the text before became `text`.
  void replaced(qsizetype begin, qsizetype end, const QByteArray& text);
  void changed();

 private:
  friend class ReplaceCommand;
  void apply(const Replacement&);
  void parse();

  std::string text_;
  document::Node tree_;
  std::optional<document::SyntaxError> syntax_error_;
  QUndoStack undo_;
  int typing_ = 0;
  bool read_only_ = false;
};

// The smallest replacement that makes `after` of `before`, cut at character boundaries of UTF-8.
Replacement difference_between(const std::string& before, const std::string& after);

}  // namespace syncline::ui
