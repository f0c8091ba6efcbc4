// SPDX-License-Identifier: GPL-3.0-or-later
// The editor's page on a small experiment that trains in a moment.
#pragma once

#include <string>

#include "tests/ui/editor/bench.h"
#include "ui/views/editor/editor_page.h"

namespace syncline::ui {

inline const QString tiny = QStringLiteral(R"(name = "tiny"   # of the tests

[model]
layers = [
  { type = "flatten" },
  { type = "linear", features = 16 },
  { type = "relu" },
  { type = "linear", features = 10 },
]

[data]
source = "synthetic"
train_size = 256
test_size = 64

[train]
steps = 4
batch_per_worker = 16

[cluster]
workers = 1
threads_per_worker = 1

[strategy]
name = "none"

[checkpoint]
every = "never"
)");

class EditorPageTest : public PageTest {
 protected:
  EditorPage* edit(const QString& text = tiny, const QSize& size = {1100, 700}) {
    page_ = new EditorPage(*bench_, {}, QStringLiteral("tiny"), text);
    open(page_, size);
    return page_;
  }
  std::string text() const { return page_->document()->text(); }
  void key(QWidget* widget, int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(widget, static_cast<Qt::Key>(key), modifiers);
  }
  void type(QWidget* widget, const char* what) { QTest::keyClicks(widget, QString::fromLatin1(what)); }
  bool upToDate() {
    return wait([this] { return page_->loaded(); });
  }
  QLineEdit* field(const char* key) { return find<QLineEdit>(QStringLiteral("input.") + QString::fromLatin1(key)); }

  EditorPage* page_ = nullptr;
};

}  // namespace syncline::ui
