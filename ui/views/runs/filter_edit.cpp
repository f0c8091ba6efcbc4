// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/runs/filter_edit.h"

#include <set>

#include "engine/sim/schema.h"
#include "engine/store/filter.h"
#include "ui/models/palette.h"

namespace syncline::ui {

namespace {

constexpr int offered_most = 200;

bool is_operator(QChar c) { return c == u':' || c == u'=' || c == u'<' || c == u'>' || c == u'!'; }

QStringList values_of(const QString& key, const std::vector<RunRowPtr>& rows) {
  if (key == u"is") return {QStringLiteral("starred"), QStringLiteral("locked"), QStringLiteral("trashed")};
  std::set<std::string> values;
  if (key == u"state") values = {"queued", "running", "stopping", "finished", "stopped", "failed", "lost", "unknown"};
  for (const RunRowPtr& row : rows) {
    const RunInfo& run = row->info;
    if (key == u"tag") values.insert(run.tags.begin(), run.tags.end());
    for (const auto& [name, value] : {std::pair{u"strategy", &run.strategy},
                                      {u"model", &run.model},
                                      {u"dataset", &run.dataset},
                                      {u"plan", &run.plan},
                                      {u"host", &run.host},
                                      {u"name", &run.name},
                                      {u"device", &run.device},
                                      {u"kind", &run.kind},
                                      {u"version", &run.version}}) {
      if (key == name && !value->empty()) values.insert(*value);
    }
    if (values.size() > offered_most) break;
  }
  QStringList list;
  for (const std::string& value : values) {
    const QString text = QString::fromStdString(value);
    list << (text.contains(u' ') ? u'"' + text + u'"' : text);
  }
  return list;
}

}  // namespace

FilterCompletion complete_filter(const QString& text, int cursor, const std::vector<RunRowPtr>& rows) {
  FilterCompletion completion;
  int from = cursor;
  while (from > 0 && text[from - 1] != u' ' && text[from - 1] != u'(' && text[from - 1] != u')') --from;
  int op = from;
  while (op < cursor && !is_operator(text[op])) ++op;
  if (op == cursor) {
    completion.from = from;
    for (const std::string& key : RunFilter::keys()) completion.choices << QString::fromStdString(key);
    for (const FilterKey& key : experiment_filter_keys(catalogue())) completion.choices << QString::fromStdString(key.name);
    for (const char* word : {"and", "or", "not"}) completion.choices << QString::fromUtf8(word);
  } else {
    completion.from = op;
    while (completion.from < cursor && is_operator(text[completion.from])) ++completion.from;
    completion.choices = values_of(text.mid(from, op - from).toLower(), rows);
  }
  completion.prefix = text.mid(completion.from, cursor - completion.from);
  return completion;
}

FilterEdit::FilterEdit(QWidget* parent) : QLineEdit(parent) {
  setClearButtonEnabled(true);
  completer_.setModel(&words_);
  completer_.setCaseSensitivity(Qt::CaseInsensitive);
  completer_.setCompletionMode(QCompleter::PopupCompletion);
  completer_.setWidget(this);
  connect(&completer_, qOverload<const QString&>(&QCompleter::activated), this, &FilterEdit::take);
  connect(this, &QLineEdit::textEdited, this, &FilterEdit::offer);
}

void FilterEdit::offer() {
  const FilterCompletion completion = complete_filter(text(), cursorPosition(), rows_ ? rows_() : std::vector<RunRowPtr>{});
  from_ = completion.from;
  if (completion.prefix.isEmpty() && completion.from == 0) {
    completer_.popup()->hide();
    return;
  }
  words_.setStringList(completion.choices);
  completer_.setCompletionPrefix(completion.prefix);
  const bool said_all = completer_.completionCount() == 1 && completer_.currentCompletion() == completion.prefix;
  if (completer_.completionCount() == 0 || said_all) {
    completer_.popup()->hide();
    return;
  }
  QRect place = cursorRect();
  place.setWidth(std::max(200, completer_.popup()->sizeHintForColumn(0) + 40));
  completer_.complete(place);
}

void FilterEdit::take(const QString& choice) {
  const int cursor = cursorPosition();
  setText(text().left(from_) + choice + text().mid(cursor));
  setCursorPosition(from_ + static_cast<int>(choice.size()));
  Q_EMIT textEdited(text());
}

void FilterEdit::setMistake(const std::optional<RunsFilterError>& mistake) {
  mistake_ = mistake;
  // A line edit draws formats only where an input method asks for them.
  QList<QInputMethodEvent::Attribute> attributes;
  if (mistake) {
    QTextCharFormat format;
    format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    format.setUnderlineColor(palette::status(palette::Status::bad, palette::isDark(palette())));
    format.setForeground(palette::status(palette::Status::bad, palette::isDark(palette())));
    const int from = std::min(mistake->position, static_cast<int>(text().size()));
    attributes.append({QInputMethodEvent::TextFormat, from - cursorPosition(), mistake->length, format});
  }
  QInputMethodEvent event(QString(), attributes);
  QCoreApplication::sendEvent(this, &event);
  setAccessibleDescription(mistake ? mistake->message : QString());
}

void FilterEdit::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && !text().isEmpty() && !completer_.popup()->isVisible()) {
    clear();
    Q_EMIT textEdited(QString());
    return;
  }
  if (event->key() == Qt::Key_Down && !completer_.popup()->isVisible()) {
    offer();
    return;
  }
  QLineEdit::keyPressEvent(event);
}

}  // namespace syncline::ui
