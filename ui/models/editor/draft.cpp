// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/draft.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QStandardPaths>

#include "engine/store/records.h"
#include "engine/store/saved.h"
#include "ui/models/editor/background.h"

namespace syncline::ui {

namespace {

QString write_text(const QString& path, const std::string& text) {
  QSaveFile file(path);
  const bool written = file.open(QIODevice::WriteOnly) && file.write(text.data(), static_cast<qint64>(text.size())) >= 0;
  return written && file.commit() ? QString() : file.errorString();
}

// Per workspace and saved text, in the run-time folder of the user: gone with the machine's next start, and stale locks of ended programs
// do not count.
QString lock_path(const QString& workspace, const QString& id) {
  QString folder = QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation);
  if (folder.isEmpty()) folder = QDir::tempPath();
  const QByteArray key = QFileInfo(workspace).absoluteFilePath().toUtf8() + '\n' + id.toUtf8();
  const QString hash = QString::fromLatin1(QCryptographicHash::hash(key, QCryptographicHash::Sha1).toHex());
  return QDir(folder).filePath(QStringLiteral("syncline-draft-%1.lock").arg(hash));
}

}  // namespace

std::unique_ptr<QLockFile> lock_saved(const QString& workspace, const QString& id) {
  auto lock = std::make_unique<QLockFile>(lock_path(workspace, id));
  lock->setStaleLockTime(0);  // as long as its program runs
  if (!lock->tryLock(0) && lock->error() == QLockFile::LockFailedError) return nullptr;
  return lock;
}

Draft::Draft(ExperimentDocument& document, StoreService& store, const QString& id, const QString& name, QObject* parent)
    : QObject(parent), document_(document), store_(store), id_(id), name_(name) {
  if (id_.isEmpty()) {
    id_ = QString::fromStdString(make_run_id());
  } else {
    text_kept_ = document.text();
    kept_once_ = true;
  }
  lock_ = lock_saved(store.path(), id_);
  if (!lock_) {
    open_elsewhere_ = true;
    document_.setReadOnly(true);
  }
  autosave_.setSingleShot(true);
  autosave_.setInterval(autosave_ms);
  connect(&autosave_, &QTimer::timeout, this, &Draft::keep);
  connect(&document_, &ExperimentDocument::changed, this, [this] {
    autosave_.start();
    Q_EMIT changed();
  });
  if (!kept_once_) QTimer::singleShot(0, this, &Draft::keep);
}

QString Draft::name() const {
  const document::Node* node = document_.tree().find("name");
  const QString given = node != nullptr && node->type == document::Node::text
                            ? QString::fromStdString(std::get<std::string>(node->value)).simplified()
                            : QString();
  return given.isEmpty() ? (name_.isEmpty() ? tr("Unnamed draft") : name_) : given;
}

void Draft::save() {
  autosave_.stop();
  keep();
  if (!file_.isEmpty()) writeFile();
}

void Draft::saveAs(const QString& path) {
  file_ = path;
  save();
}

bool Draft::wouldBeLost() const {
  return unsaved() && !open_elsewhere_ && !document_.undoStack().isClean() && text_in_file_ != document_.text();
}

QString Draft::writeBeforeClosing(const QString& path) {
  const QString error = write_text(path, document_.text());
  if (!error.isEmpty()) return tr("%1 could not be written: %2").arg(path, error);
  file_ = path;
  text_in_file_ = document_.text();
  return {};
}

void Draft::keep() {
  if (document_.readOnly() || keeping_ || (kept_once_ && !unsaved())) return;
  keeping_ = true;
  const std::string text = document_.text();
  SavedText draft{.id = id_.toStdString(), .kind = "draft", .name = name().toStdString(), .content = text};
  store_.write(
      this, [draft](StoreService::Writer& writer) { SavedTexts(writer.workspace).put(draft); },
      [this, text] {
        keeping_ = false;
        refused_ = false;
        kept_once_ = true;
        text_kept_ = text;
        if (unsaved() && !autosave_.isActive()) autosave_.start();
        Q_EMIT changed();
        Q_EMIT saved({});
      },
      [this](const QString& why) {
        keeping_ = false;
        refused_ = true;
        Q_EMIT failed(tr("The draft could not be kept in the workspace: %1").arg(why));
      });
}

void Draft::writeFile() {
  in_background(
      this, [path = file_, text = document_.text()] { return write_text(path, text); },
      [this, path = file_, text = document_.text()](const QString& error) {
        if (error.isEmpty()) {
          text_in_file_ = text;
          Q_EMIT saved(path);
        } else {
          Q_EMIT failed(tr("%1 could not be written: %2").arg(path, error));
        }
      });
}

}  // namespace syncline::ui
