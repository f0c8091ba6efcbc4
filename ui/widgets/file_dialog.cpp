// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/file_dialog.h"

#include <QCoreApplication>
#include <QFileIconProvider>
#include <QFileInfo>
#include <QMimeDatabase>

namespace syncline::ui {

namespace {

constexpr const char* last_folder = "syncline.last-folder";  // of the application, for as long as it runs

// Looks at names only.
class NamesOnly : public QObject, public QFileIconProvider {
 public:
  using QObject::QObject;
  QIcon icon(IconType kind) const override { return QFileIconProvider::icon(kind); }
  QIcon icon(const QFileInfo& info) const override { return QFileIconProvider::icon(info.isDir() ? Folder : File); }
  QString type(const QFileInfo& info) const override {
    return info.isDir() ? FileDialog::tr("Folder") : QMimeDatabase().mimeTypeForFile(info, QMimeDatabase::MatchExtension).comment();
  }
};

QString chosen_in(FileDialog& dialog) {
  if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty()) return {};
  return dialog.selectedFiles().constFirst();
}

}  // namespace

// The root holds folders alone: it is what is read before the icons are set.
FileDialog::FileDialog(QWidget* parent, const QString& title, const QString& start, const QString& filters)
    : QFileDialog(parent, title, QDir::rootPath(), filters) {
  setOption(DontUseNativeDialog);
  setIconProvider(new NamesOnly(this));
  const QFileInfo info(start);
  const QString remembered = qApp->property(last_folder).toString();
  if (start.isEmpty() || !start.contains(u'/')) {
    setDirectory(remembered.isEmpty() ? QDir::currentPath() : remembered);
  } else {
    setDirectory(info.isDir() ? start : info.path());
  }
  if (!start.isEmpty() && !info.isDir()) selectFile(info.fileName());
  connect(this, &QDialog::accepted, this, [this] { qApp->setProperty(last_folder, directory().absolutePath()); });
}

QString FileDialog::openFile(QWidget* parent, const QString& title, const QString& start, const QString& filters) {
  FileDialog dialog(parent, title, start, filters);
  dialog.setFileMode(ExistingFile);
  return chosen_in(dialog);
}

QString FileDialog::saveFile(QWidget* parent, const QString& title, const QString& start, const QString& filters, QString* filter,
                             Options options) {
  FileDialog dialog(parent, title, start, filters);
  dialog.setOptions(dialog.options() | options);
  dialog.setAcceptMode(AcceptSave);
  const QString path = chosen_in(dialog);
  if (filter != nullptr) *filter = dialog.selectedNameFilter();
  return path;
}

QString FileDialog::existingFolder(QWidget* parent, const QString& title, const QString& start) {
  FileDialog dialog(parent, title, start);
  dialog.setFileMode(Directory);
  dialog.setOption(ShowDirsOnly);
  return chosen_in(dialog);
}

}  // namespace syncline::ui
