// SPDX-License-Identifier: GPL-3.0-or-later
// The Runs page over stored runs.
#pragma once

#include "tests/ui/runs/fixture.h"
#include "ui/views/runs/runs_page.h"

namespace syncline::ui {

class RunsPageTest : public OnePageTest<RunsPage> {
 protected:
  void open(const QString& engine = {}) {
    bench_ = std::make_unique<RecordingWorkbench>(path_, engine);
    show(make_runs_page(*bench_));
  }
  QTreeView* table() const { return page_->table().frozenView(); }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    // Where no window manager hands the focus back after a dialog.
    QApplication::setActiveWindow(page_.get());
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClick(focus != nullptr ? focus : table(), key, modifiers);
  }
  void focusFirstRow() {
    table()->setFocus();
    table()->setCurrentIndex(page_->model().index(0, 1));
  }
  RunInfo stored(const std::string& id) { return Reader(workspace()).run(id); }
  bool written() {
    return until([this] { return bench_->store().pending() == 0; });
  }
  // Acts on the dialog that opens next.
  template <typename Dialog>
  void inDialog(std::function<void(Dialog&)> act) {
    auto* timer = new QTimer(qApp);
    QObject::connect(timer, &QTimer::timeout, qApp, [timer, act] {
      auto* dialog = qobject_cast<Dialog*>(QApplication::activeModalWidget());
      if (dialog == nullptr) return;
      timer->stop();
      timer->deleteLater();
      act(*dialog);
    });
    timer->start(10);
  }
};

}  // namespace syncline::ui
