// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/editor/text_view.h"

#include <QAbstractItemView>
#include <QFontDatabase>
#include <QHelpEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolTip>

#include "engine/experiment/text_scan.h"
#include "ui/models/editor/form_catalogue.h"
#include "ui/models/editor/form_fields.h"
#include "ui/models/palette.h"
#include "ui/views/editor/field_editor.h"

namespace syncline::ui {

namespace {

constexpr int typing_pause_ms = 1000;  // typing after it is a new undo step

// A view knows lines, not how they end: the text without the carriage returns before newlines.
QString view_text(const std::string& text) {
  QString result = QString::fromStdString(text);
  return result.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
}

// The same place in a text whose lines may end in two characters.
std::size_t with_returns(const std::string& text, std::size_t offset_without) {
  std::size_t at = 0;
  for (std::size_t seen = 0; seen < offset_without && at < text.size(); ++seen) {
    if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') ++at;
    ++at;
  }
  return at;
}

}  // namespace

class TextMargin : public QWidget {
 public:
  explicit TextMargin(TextView* view) : QWidget(view), view_(view) {}
  QSize sizeHint() const override { return {view_->marginWidth(), 0}; }

 protected:
  void paintEvent(QPaintEvent* event) override { view_->paintMargin(event); }
  bool event(QEvent* event) override {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int line = view_->cursorForPosition({0, help->pos().y()}).blockNumber() + 1;
    const auto found = view_->problems_.find(line);
    QToolTip::showText(help->globalPos(), found == view_->problems_.end() ? QString() : found->second, this);
    return true;
  }

 private:
  TextView* view_;
};

TomlHighlighter::TomlHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {}

void TomlHighlighter::setDark(bool dark) {
  dark_ = dark;
  rehighlight();
}

void TomlHighlighter::highlightBlock(const QString& text) {
  static const QRegularExpression token(QStringLiteral(
      R"((#.*$)|("(?:\\.|[^"\\])*"?|'[^']*'?)|(^\s*\[\[?[^\]#]*\]\]?)|([A-Za-z0-9_.-]+)(?=\s*=)|\b(true|false|[+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\b)"));
  QTextCharFormat comment, string, header, key, number;
  comment.setForeground(palette::status(palette::Status::muted, dark_));
  string.setForeground(palette::status(palette::Status::good, dark_));
  header.setForeground(palette::curve(0, dark_).colour);
  header.setFontWeight(QFont::Bold);
  key.setForeground(palette::curve(0, dark_).colour);
  number.setForeground(palette::status(palette::Status::attention, dark_));
  const QTextCharFormat* const formats[] = {&comment, &string, &header, &key, &number};
  QRegularExpressionMatchIterator matches = token.globalMatch(text);
  while (matches.hasNext()) {
    const QRegularExpressionMatch match = matches.next();
    for (int group = 1; group <= 5; ++group) {
      if (match.capturedStart(group) >= 0)
        setFormat(static_cast<int>(match.capturedStart(group)), static_cast<int>(match.capturedLength(group)), *formats[group - 1]);
    }
  }
}

TextView::TextView(ExperimentDocument& document, QWidget* parent) : QPlainTextEdit(parent), document_(document) {
  setObjectName(QStringLiteral("editor.text"));
  setAccessibleName(tr("Experiment as text"));
  setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTabChangesFocus(true);   // TOML needs no tab, and a field that keeps the focus is a trap
  setUndoRedoEnabled(false);  // the document's history is the only one
  setReadOnly(document.readOnly());
  leave_undo_to_document(this);
  highlighter_ = new TomlHighlighter(QPlainTextEdit::document());
  highlighter_->setDark(palette::isDark(palette()));
  margin_ = new TextMargin(this);
  completions_ = new QStringListModel(this);
  completer_ = new QCompleter(completions_, this);
  completer_->setWidget(this);
  completer_->setCaseSensitivity(Qt::CaseInsensitive);
  completer_->popup()->setAccessibleName(tr("Keys that can stand here"));
  connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &TextView::insertCompletion);
  pause_.setSingleShot(true);
  pause_.setInterval(typing_pause_ms);
  connect(&pause_, &QTimer::timeout, this, [this] { document_.endTyping(); });
  connect(this, &QPlainTextEdit::blockCountChanged, this, &TextView::placeMargin);
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& area, int dy) {
    if (dy != 0)
      margin_->scroll(0, dy);
    else
      margin_->update(0, area.y(), margin_->width(), area.height());
  });
  connect(this, &QPlainTextEdit::cursorPositionChanged, this, &TextView::markLines);
  followDocument();
  moveCursor(QTextCursor::Start);
  connect(QPlainTextEdit::document(), &QTextDocument::contentsChange, this, [this](int, int removed, int added) {
    if (!syncing_ && (removed > 0 || added > 0)) pushToDocument();
  });
  connect(&document_, &ExperimentDocument::changed, this, &TextView::followDocument);
  placeMargin();
}

QString TextView::plainText() const {
  QString text = QPlainTextEdit::document()->toRawText();
  text.replace(QChar::ParagraphSeparator, u'\n');
  return text.replace(QChar::LineSeparator, u'\n');
}

void TextView::followDocument() {
  if (syncing_) return;
  const QString now = plainText(), wanted = view_text(document_.text());
  if (now == wanted) return;
  // Only what differs, so that cursor, selection and scrolling stay where they are.
  qsizetype head = 0, tail = 0;
  const qsizetype shorter = std::min(now.size(), wanted.size());
  while (head < shorter && now[head] == wanted[head]) ++head;
  while (tail < shorter - head && now[now.size() - 1 - tail] == wanted[wanted.size() - 1 - tail]) ++tail;
  syncing_ = true;
  QTextCursor cursor(QPlainTextEdit::document());
  cursor.setPosition(static_cast<int>(head));
  cursor.setPosition(static_cast<int>(now.size() - tail), QTextCursor::KeepAnchor);
  cursor.insertText(wanted.mid(head, wanted.size() - tail - head));
  syncing_ = false;
  setReadOnly(document_.readOnly());
}

void TextView::pushToDocument() {
  const std::string& text = document_.text();
  std::string before;
  before.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' || i + 1 >= text.size() || text[i + 1] != '\n') before += text[i];
  }
  Replacement edit = difference_between(before, plainText().toStdString());
  const bool new_line = edit.text.find('\n') != std::string::npos;
  if (before.size() != text.size()) {
    edit.begin = with_returns(text, edit.begin);
    edit.end = with_returns(text, edit.end);
    for (std::size_t at = 0; (at = edit.text.find('\n', at)) != std::string::npos; at += 2) edit.text.insert(at, 1, '\r');
  }
  syncing_ = true;
  document_.replace({edit}, tr("Typing"), QStringLiteral("text"));
  if (new_line) document_.endTyping();
  syncing_ = false;
  pause_.start();
}

void TextView::setProblems(const std::vector<Problem>& problems) {
  problems_.clear();
  for (const Problem& problem : problems) {
    QString& text = problems_[std::max(1, problem.origin.line)];
    if (!text.isEmpty()) text += u'\n';
    const QString key = QString::fromStdString(problem.origin.key);
    text += key.isEmpty() ? QString::fromStdString(problem.message) : key + QStringLiteral(": ") + QString::fromStdString(problem.message);
  }
  markLines();
  margin_->update();
}

void TextView::markLines() {
  QList<QTextEdit::ExtraSelection> marks;
  QTextEdit::ExtraSelection current;
  current.format.setBackground(palette().color(QPalette::AlternateBase));
  current.format.setProperty(QTextFormat::FullWidthSelection, true);
  current.cursor = textCursor();
  current.cursor.clearSelection();
  marks << current;
  for (const auto& [line, text] : problems_) {
    const QTextBlock block = QPlainTextEdit::document()->findBlockByNumber(line - 1);
    if (!block.isValid()) continue;
    QTextEdit::ExtraSelection mark;
    mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    mark.format.setUnderlineColor(palette::status(palette::Status::bad, palette::isDark(palette())));
    mark.cursor = QTextCursor(block);
    mark.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    marks << mark;
  }
  setExtraSelections(marks);
  const auto here = problems_.find(lineAtCursor());
  setAccessibleDescription(here == problems_.end() ? QString() : here->second);
}

void TextView::goTo(int line, int column) {
  const QTextBlock block = QPlainTextEdit::document()->findBlockByNumber(std::max(0, line - 1));
  if (!block.isValid()) return;
  QTextCursor cursor(block);
  cursor.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor, std::clamp(column - 1, 0, block.length() - 1));
  setTextCursor(cursor);
  centerCursor();
  setFocus(Qt::OtherFocusReason);
}

int TextView::marginWidth() const {
  const int digits = std::max(2, static_cast<int>(QString::number(blockCount()).size()));
  return fontMetrics().horizontalAdvance(u'9') * (digits + 2) + 8;
}

void TextView::placeMargin() {
  setViewportMargins(marginWidth(), 0, 0, 0);
  const QRect area = contentsRect();
  margin_->setGeometry(area.left(), area.top(), marginWidth(), area.height());
}

void TextView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  placeMargin();
}

void TextView::paintMargin(QPaintEvent* event) {
  QPainter painter(margin_);
  painter.fillRect(event->rect(), palette().color(QPalette::Window));
  painter.setFont(font());
  const bool dark = palette::isDark(palette());
  QTextBlock block = firstVisibleBlock();
  double top = blockBoundingGeometry(block).translated(contentOffset()).top();
  for (; block.isValid() && top <= event->rect().bottom(); block = block.next()) {
    const double height = blockBoundingRect(block).height();
    const int line = block.blockNumber() + 1;
    const bool wrong = problems_.contains(line);
    painter.setPen(wrong ? palette::status(palette::Status::bad, dark) : palette::status(palette::Status::muted, dark));
    const QRectF area(0, top, margin_->width() - 6, height);
    painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
    if (wrong) painter.drawText(QRectF(4, top, margin_->width(), height), Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("!"));
    top += height;
  }
}

void TextView::complete(bool asked) {
  const QTextCursor cursor = textCursor();
  const QString before = cursor.block().text().left(cursor.positionInBlock());
  static const QRegularExpression key_start(QStringLiteral(R"(^\s*([A-Za-z_][A-Za-z0-9_]*)?$)"));
  const QRegularExpressionMatch match = key_start.match(before);
  const QString typed = match.captured(1);
  if (!match.hasMatch() || (!asked && typed.isEmpty()) || isReadOnly()) {
    completer_->popup()->hide();
    return;
  }
  const std::string above = plainText().left(cursor.block().position()).toStdString();
  const TextScan scan(above);
  QStringList keys;
  for (const Completion& completion : completions_in(document_.tree(), form_catalogue(), scan.headers().back().path))
    keys << QString::fromStdString(completion.key);
  keys.sort();
  completions_->setStringList(keys);
  completer_->setCompletionPrefix(typed);
  const bool complete_already = completer_->completionCount() == 1 && completer_->currentCompletion() == typed;
  if (completer_->completionCount() == 0 || complete_already) {
    completer_->popup()->hide();
    return;
  }
  QRect place = cursorRect();
  place.translate(viewportMargins().left(), 0);
  place.setWidth(completer_->popup()->sizeHintForColumn(0) + completer_->popup()->verticalScrollBar()->sizeHint().width() + 8);
  completer_->complete(place);
  completer_->popup()->setCurrentIndex(completer_->completionModel()->index(0, 0));
}

void TextView::insertCompletion(const QString& key) {
  QTextCursor cursor = textCursor();
  cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, static_cast<int>(completer_->completionPrefix().size()));
  cursor.insertText(key + QStringLiteral(" = "));
  setTextCursor(cursor);
}

void TextView::keyPressEvent(QKeyEvent* event) {
  if (completer_->popup()->isVisible()) {
    switch (event->key()) {
      case Qt::Key_Enter:
      case Qt::Key_Return:
      case Qt::Key_Escape:
      case Qt::Key_Tab:
        event->ignore();  // the popup's
        return;
      default:
        break;
    }
  }
  const bool asked = event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier;
  if (!asked) QPlainTextEdit::keyPressEvent(event);
  const bool typed = !event->text().isEmpty() && event->text().at(0).isPrint();
  if (asked || typed) complete(asked);
  if (event->key() == Qt::Key_Backspace && completer_->popup()->isVisible()) complete(false);
}

void TextView::focusOutEvent(QFocusEvent* event) {
  QPlainTextEdit::focusOutEvent(event);
  document_.endTyping();
}

bool TextView::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QPoint at = viewport()->mapFromGlobal(help->globalPos());
    const auto found = problems_.find(cursorForPosition(at).blockNumber() + 1);
    QToolTip::showText(help->globalPos(), found == problems_.end() ? QString() : found->second, this);
    return true;
  }
  return QPlainTextEdit::event(event);
}

void TextView::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && highlighter_ != nullptr) {
    highlighter_->setDark(palette::isDark(palette()));
    markLines();
  }
  if (event->type() == QEvent::FontChange && margin_ != nullptr) placeMargin();
}

}  // namespace syncline::ui
