// SPDX-License-Identifier: GPL-3.0-or-later
// The left navigation: Places (fixed, with counts) and Open (the pages opened, in an order that the user may change).
#pragma once

#include <QAbstractItemModel>
#include <QString>
#include <optional>
#include <vector>

namespace syncline::ui {

// The icon of a run's page, by its state.
QString run_icon(const QString& state);

class NavigationModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Section { places_section, open_section, section_count };
  enum Role {
    id_role = Qt::UserRole,  // int: of an open page; -1 else
    place_role,              // QString: name of a place ("runs"); empty else
    count_role,              // int, invalid where none is known
    unsaved_role,            // bool
    icon_role,               // QString: freedesktop name
    heading_role,            // bool: "Places", "Open"
  };

  using QAbstractItemModel::QAbstractItemModel;

  void addPlace(const QString& name, const QString& title, const QString& icon);
  void setCount(const QString& place, std::optional<int> count);

  int addOpen(const QString& title, const QString& icon);  // at the end; returns its id
  QString titleOf(int id) const;
  QString iconOf(int id) const;
  void updateOpen(int id, const QString& title, const QString& icon, bool unsaved);
  void removeOpen(int id);
  void moveOpen(int from, int to);  // rows; the page comes to stand at row `to`
  int openCount() const { return static_cast<int>(open_.size()); }
  int openAt(int row) const;    // id
  int rowOfOpen(int id) const;  // -1: none

  QModelIndex indexOfPlace(const QString& name) const;
  QModelIndex indexOfOpen(int id) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex&) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  Qt::ItemFlags flags(const QModelIndex&) const override;
  Qt::DropActions supportedDropActions() const override;
  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList&) const override;
  bool canDropMimeData(const QMimeData*, Qt::DropAction, int row, int column, const QModelIndex& parent) const override;
  bool dropMimeData(const QMimeData*, Qt::DropAction, int row, int column, const QModelIndex& parent) override;

 private:
  struct PlaceEntry {
    QString name, title, icon;
    std::optional<int> count;
  };
  struct OpenEntry {
    int id = 0;
    QString title, icon;
    bool unsaved = false;
  };
  std::vector<PlaceEntry> places_;
  std::vector<OpenEntry> open_;
  int next_id_ = 1;
};

}  // namespace syncline::ui
