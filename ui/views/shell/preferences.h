// SPDX-License-Identifier: GPL-3.0-or-later
// The preferences: pages at the left, what is chosen takes effect at once, each page can be set back. Only settings that change something.
#pragma once

#include <QDialog>
#include <QStringList>
#include <functional>
#include <vector>

class QFormLayout;
class QListWidget;
class QStackedWidget;

namespace syncline::ui {

class Workbench;

// One page of the preferences: controls bound to settings, whose defaults it knows.
class PreferencePage : public QWidget {
  Q_OBJECT

 public:
  PreferencePage(Workbench&, const QString& name, const QString& title, const QString& icon, QWidget* parent = nullptr);
  const QString& title() const { return title_; }
  const QString& icon() const { return icon_; }

  struct Choice {
    QString value, text;
  };
  void addChoice(const QString& key, const QString& label, const QString& otherwise, const std::vector<Choice>&, const QString& help);
  void addCheck(const QString& key, const QString& text, bool otherwise, const QString& help);
  void addNumber(const QString& key, const QString& label, int otherwise, int from, int to, int step, const QString& suffix,
                 const QString& help);
  void addNote(const QString& text);
  void addRow(const QString& label, QWidget*);
  void addWide(QWidget*);  // takes the room that is left
  void alsoRestores(std::function<void()> restore) { restore_.push_back(std::move(restore)); }
  void restoreDefaults();

 private:
  void bind(const QString& key, std::function<void()> show);
  Workbench& workbench_;
  QString name_, title_, icon_;
  QFormLayout* form_;
  QStringList keys_;
  std::vector<std::function<void()>> restore_;
};

class Preferences : public QDialog {
  Q_OBJECT

 public:
  Preferences(Workbench&, QWidget* parent = nullptr);
  void showPage(const QString& name);  // "appearance"
  QStringList pageNames() const { return names_; }

 private:
  void add(const QString& name, PreferencePage*);
  PreferencePage* current() const;
  QListWidget* list_;
  QStackedWidget* pages_;
  QStringList names_;
};

// preferences_pages.cpp, in the order of the list
PreferencePage* make_general_preferences(Workbench&);
PreferencePage* make_plot_preferences(Workbench&);
PreferencePage* make_number_preferences(Workbench&);
PreferencePage* make_appearance_preferences(Workbench&);
PreferencePage* make_storage_preferences(Workbench&);
PreferencePage* make_notification_preferences(Workbench&);
PreferencePage* make_shortcut_preferences(Workbench&);
PreferencePage* make_advanced_preferences(Workbench&);

}  // namespace syncline::ui
