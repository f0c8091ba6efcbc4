// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/window_keeper.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTimer>

#include "engine/store/workspace.h"
#include "ui/views/shell/page_area.h"
#include "ui/views/shell/strips.h"
#include "ui/views/shell/workspace_jobs.h"

namespace syncline::ui {

namespace {

constexpr int picture_limit_s = 60;                 // a page that has not loaded then never will
constexpr int look_every_ms = 50, quiet_looks = 4;  // loaded for this long: what follows from the data is drawn too

QString default_workspace() { return QString::fromStdString(workspace_path({}).string()); }

}  // namespace

WindowKeeper::WindowKeeper(PageFactories factories, std::function<void(int, const QString&)> finished, QObject* parent)
    : QObject(parent), factories_(std::move(factories)), finished_(std::move(finished)), theme_(settings_) {}

WindowKeeper::~WindowKeeper() { delete window_; }

void WindowKeeper::start(const CommandLine& line) {
  theme_.force(line.theme);
  WindowOptions options;
  options.workspace = line.workspace.isEmpty() ? default_workspace() : QFileInfo(line.workspace).absoluteFilePath();
  options.remember = line.screenshot.isEmpty();
  options.start_place = line.page;
  open(options);
  if (line.size.isValid()) {
    window_->setMinimumSize(320, 240);
    window_->resize(line.size);
  }
  window_->show();
  window_->whenOpen([this, line] { carry_out(line); });
  if (!line.screenshot.isEmpty()) {
    connect(window_, &MainWindow::openFailed, this, [this](const QString& message) { finished_(6, message); });
  }
}

void WindowKeeper::open(const WindowOptions& options) {
  window_ = new MainWindow(settings_, theme_, factories_, options);
  window_->setAttribute(Qt::WA_DeleteOnClose);
  connect(window_, &MainWindow::workspaceChosen, this, [this](const QString& path) {
    // After the menu or dialog that it was chosen in has gone.
    QTimer::singleShot(0, this, [this, path] { replace(path); });
  });
}

void WindowKeeper::replace(const QString& workspace) {
  const QPointer<MainWindow> old = window_;
  const QByteArray geometry = old ? old->saveGeometry() : QByteArray();
  if (old) {
    old->setAttribute(Qt::WA_QuitOnClose, false);
    old->setAttribute(Qt::WA_DeleteOnClose, false);
    if (!old->close()) {  // a draft wants to be looked at first
      old->setAttribute(Qt::WA_QuitOnClose, true);
      old->setAttribute(Qt::WA_DeleteOnClose, true);
      return;
    }
  }
  WindowOptions options;
  options.workspace = workspace;
  open(options);
  window_->restoreGeometry(geometry);
  window_->show();
  if (old) old->deleteLater();
}

void WindowKeeper::carry_out(const CommandLine& line) {
  Workbench& bench = window_->workbench();
  if (!line.draft.isEmpty()) {
    QFile file(line.draft);
    if (!file.open(QIODevice::ReadOnly)) return complain(line, QStringLiteral("%1: %2").arg(line.draft, file.errorString()));
    bench.newDraft(QFileInfo(line.draft).completeBaseName(), QString::fromUtf8(file.readAll()));
  }
  if (!line.start.isEmpty()) window_->workspaceJobs().start(line.start);
  const QStringList wanted = line.run.isEmpty() ? line.compare : QStringList(line.run);
  if (!wanted.isEmpty()) {
    bench.store().read<QStringList>(
        window_, QStringLiteral("command line"),
        [wanted](Reader& reader) {
          QStringList ids;
          for (const QString& one : wanted) ids << QString::fromStdString(reader.resolve(one.toStdString()).id);
          return ids;
        },
        [this, line](const QStringList& ids) {
          Workbench& opens = window_->workbench();
          line.run.isEmpty() ? opens.openComparison(ids) : opens.openRun(ids.front(), line.tab);
          if (!line.screenshot.isEmpty()) take_picture(line.screenshot);
        },
        [this, line](const QString& sentence) { complain(line, sentence); });
    return;
  }
  if (!line.screenshot.isEmpty()) take_picture(line.screenshot);
}

void WindowKeeper::complain(const CommandLine& line, const QString& sentence) {
  if (!line.screenshot.isEmpty()) return finished_(2, sentence);
  window_->strips().show(QStringLiteral("command line"), StripKind::error, sentence);
}

void WindowKeeper::take_picture(const QString& file) {
  auto* look = new QTimer(this);
  auto waited = std::make_shared<QElapsedTimer>();
  waited->start();
  auto quiet = std::make_shared<int>(0);
  connect(look, &QTimer::timeout, this, [this, look, waited, quiet, file] {
    const Page* page = window_ ? window_->area().current() : nullptr;
    if (waited->elapsed() > picture_limit_s * 1000) {
      look->stop();
      return finished_(1, QStringLiteral("the page has not loaded within %1 s").arg(picture_limit_s));
    }
    *quiet = page != nullptr && page->loaded() ? *quiet + 1 : 0;
    if (*quiet < quiet_looks) return;
    look->stop();
    const QPixmap picture = window_->grab();
    if (!picture.save(file, "PNG")) return finished_(2, QStringLiteral("--screenshot %1: the picture cannot be written there").arg(file));
    finished_(0, {});
  });
  look->start(look_every_ms);
}

}  // namespace syncline::ui
