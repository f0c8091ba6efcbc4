// SPDX-License-Identifier: GPL-3.0-or-later
// A draft's life in the workspace: kept 2 s after the last edit, open for writing in one window only, exported to files.
#pragma once

#include <QLockFile>
#include <QObject>
#include <QTimer>
#include <memory>

#include "ui/models/editor/experiment_document.h"
#include "ui/models/store_service.h"

namespace syncline::ui {

// The lock that says this program holds a saved text of the workspace; null: another one does. Frees itself with the object.
std::unique_ptr<QLockFile> lock_saved(const QString& workspace, const QString& id);

class Draft : public QObject {
  Q_OBJECT

 public:
  static constexpr int autosave_ms = 2000;

  // `id` empty: a new draft, kept at once. Sets the document read-only when another window has it open.
  Draft(ExperimentDocument&, StoreService&, const QString& id, const QString& name, QObject* parent = nullptr);

  QString id() const { return id_; }
  QString name() const;  // the text's `name`, else the one it was opened with
  bool unsaved() const { return text_kept_ != document_.text(); }
  // The workspace has it, or will have it in a moment.
  bool inWorkspace() const { return kept_once_ || (keeping_ && !cannotBeKept()); }
  // The workspace can only be read, or refused the last text.
  bool cannotBeKept() const { return refused_ || store_.readOnly(); }
  // Edits that neither the workspace has nor a file.
  bool wouldBeLost() const;
  bool openElsewhere() const { return open_elsewhere_; }
  QString file() const { return file_; }  // where it was exported to since it was opened; empty: nowhere

  void save();  // now: to the workspace, and to the file where there is one
  void saveAs(const QString& path);
  // Before the window goes: writes the file here and now. The sentence that says why not; empty: written.
  QString writeBeforeClosing(const QString& path);

 Q_SIGNALS:
  void changed();                   // name or unsaved()
  void saved(const QString& file);  // file empty: to the workspace
  void failed(const QString& sentence);

 private:
  void keep();
  void writeFile();

  ExperimentDocument& document_;
  StoreService& store_;
  QString id_, name_, file_;
  std::string text_kept_, text_in_file_;
  bool kept_once_ = false, keeping_ = false, refused_ = false, open_elsewhere_ = false;
  QTimer autosave_;
  std::unique_ptr<QLockFile> lock_;
};

}  // namespace syncline::ui
