// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/page_area.h"

#include <QTabBar>
#include <algorithm>
#include <limits>
#include <map>

#include "ui/models/format.h"
#include "ui/models/navigation_model.h"

namespace syncline::ui {

namespace {

constexpr std::size_t longest_way_back = 50;

const std::pair<Place, QString>* named_places(std::size_t& count) {
  static const std::pair<Place, QString> table[] = {{Place::runs, QStringLiteral("runs")},
                                                    {Place::drafts, QStringLiteral("drafts")},
                                                    {Place::recipes, QStringLiteral("recipes")},
                                                    {Place::plugins, QStringLiteral("plugins")}};
  count = std::size(table);
  return table;
}

}  // namespace

QString name_of(Place place) {
  std::size_t count = 0;
  const auto* table = named_places(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (table[i].first == place) return table[i].second;
  }
  return {};
}

std::optional<Place> place_named(const QString& name) {
  std::size_t count = 0;
  const auto* table = named_places(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (table[i].second == name) return table[i].first;
  }
  return {};
}

QStringList place_names() {
  QStringList names;
  std::size_t count = 0;
  const auto* table = named_places(count);
  for (std::size_t i = 0; i < count; ++i) names << table[i].second;
  return names;
}

PageArea::PageArea(Workbench& workbench, PageFactories factories, NavigationModel& model, QWidget* parent)
    : QStackedWidget(parent), workbench_(workbench), factories_(std::move(factories)), model_(model) {
  setObjectName(QStringLiteral("window.pages"));
}

Page* PageArea::current() const { return qobject_cast<Page*>(currentWidget()); }

int PageArea::currentId() const { return open_.key(current(), -1); }
QString PageArea::currentPlace() const { return current() == nullptr ? QString() : places_.key(current()); }

bool PageArea::exists(const Location& location) const {
  return location.id >= 0 ? open_.contains(location.id) : place_named(location.place).has_value();
}

void PageArea::put(const Location& location) {
  Page* page = nullptr;
  if (location.id >= 0) {
    page = open_.value(location.id);
  } else {
    page = places_.value(location.place);
    const std::optional<Place> place = place_named(location.place);
    if (page == nullptr && place) {
      const auto& make = *place == Place::runs      ? factories_.runs
                         : *place == Place::drafts  ? factories_.drafts
                         : *place == Place::recipes ? factories_.recipes
                                                    : factories_.plugins;
      page = make(workbench_);
      places_[location.place] = page;
      addWidget(page);
      connect(page, &Page::titleChanged, this, &PageArea::titlesChanged);
    }
  }
  if (page == nullptr) return;
  setCurrentWidget(page);
}

void PageArea::visit(const Location& location) {
  put(location);
  if (at_ >= 0 && visited_[static_cast<std::size_t>(at_)] == location) return;
  visited_.resize(static_cast<std::size_t>(at_ + 1));
  visited_.push_back(location);
  if (visited_.size() > longest_way_back) visited_.erase(visited_.begin());
  at_ = static_cast<int>(visited_.size()) - 1;
  Q_EMIT shown();
}

void PageArea::showPlace(const QString& name) {
  if (place_named(name)) visit({name, -1});
}

void PageArea::showOpen(int id) {
  if (open_.contains(id)) visit({{}, id});
}

int PageArea::find(const QString& key) const {
  for (auto page = open_.begin(); page != open_.end(); ++page) {
    // A page's own key may name a tab behind its id ("run:ID:timeline").
    const QString own = page.value()->restoreKey();
    if (open_keys_.value(page.key()) == key || own == key || own.startsWith(key + u':')) return page.key();
  }
  return -1;
}

int PageArea::add(Page* page, const QString& key) {
  const int id = model_.addOpen(page->title(), page->iconName());
  open_[id] = page;
  open_keys_[id] = key;
  addWidget(page);
  const auto update = [this, id, page] {
    model_.updateOpen(id, model_.titleOf(id), page->iconName(), page->unsaved());
    nameApart();
    Q_EMIT titlesChanged();
  };
  connect(page, &Page::titleChanged, this, update);
  update();
  showOpen(id);
  return id;
}

void PageArea::nameApart() {
  const auto key_of = [this](int id) {
    const QString own = open_[id]->restoreKey();
    return own.isEmpty() ? open_keys_.value(id) : own;
  };
  const auto called = [&](int id) {
    const QString kind = key_of(id).section(u':', 0, 0);
    return std::pair(kind.isEmpty() ? QStringLiteral("draft") : kind, open_[id]->title());
  };
  std::map<std::pair<QString, QString>, int> count;
  for (const int id : open_.keys()) ++count[called(id)];
  for (const int id : open_.keys()) {
    QString title = open_[id]->title();
    if (count[called(id)] > 1) {
      // Of runs and drafts the end of their number, as in comparisons; of others which one it is.
      const QString key = key_of(id), number = key.section(u':', 1, 1).right(6);
      const bool numbered = !number.isEmpty() && !key.startsWith(QStringLiteral("compare"));
      title = tr("%1 (%2)").arg(format::isolated(title), numbered ? number : QString::number(id));
    }
    model_.updateOpen(id, title, model_.iconOf(id), open_[id]->unsaved());
  }
}

void PageArea::setRunState(const QString& run_id, const QString& state) {
  const int id = find(QStringLiteral("run:") + run_id);
  if (id >= 0 && id != currentId()) model_.updateOpen(id, model_.titleOf(id), run_icon(state), open_[id]->unsaved());
}

QString PageArea::currentTitle() const {
  const int id = currentId();
  return id >= 0 ? model_.titleOf(id) : current() != nullptr ? current()->title() : QString();
}

void PageArea::openRun(const QString& run_id, const QString& tab) {
  const QString key = QStringLiteral("run:") + run_id;
  if (const int id = find(key); id >= 0) {
    showOpen(id);
    if (!tab.isEmpty()) open_[id]->showTab(tab);
    return;
  }
  add(factories_.run(workbench_, run_id, tab), key);
}

void PageArea::openComparison(const QStringList& run_ids, const QString& saved_id) {
  const QString key = saved_id.isEmpty() ? QStringLiteral("compare:") + run_ids.join(u',') : QStringLiteral("compare:saved:") + saved_id;
  if (const int id = find(key); id >= 0 && !run_ids.join(u',').isEmpty()) return showOpen(id);
  add(factories_.comparison(workbench_, run_ids, saved_id), key);
}

void PageArea::openDraft(const QString& saved_id) {
  const QString key = QStringLiteral("draft:") + saved_id;
  if (const int id = find(key); id >= 0) return showOpen(id);
  add(factories_.editor(workbench_, saved_id, {}, {}, {}), key);
}

void PageArea::newDraft(const QString& name, const QString& text, const QString& from_run) {
  add(factories_.editor(workbench_, {}, name, text, from_run), {});
}

bool PageArea::restore(const QString& key) {
  const QString kind = key.section(u':', 0, 0), rest = key.section(u':', 1);
  if (rest.isEmpty()) return false;
  if (kind == QStringLiteral("run")) {
    openRun(rest.section(u':', 0, 0), rest.section(u':', 1));
  } else if (kind == QStringLiteral("draft")) {
    openDraft(rest);
  } else if (kind == QStringLiteral("compare") && rest.startsWith(QStringLiteral("saved:"))) {
    openComparison({}, rest.section(u':', 1));
  } else if (kind == QStringLiteral("compare")) {
    openComparison(rest.split(u',', Qt::SkipEmptyParts), {});
  } else {
    return false;
  }
  return true;
}

bool PageArea::close(int id) {
  Page* page = open_.value(id);
  if (page == nullptr || !page->mayClose()) return false;
  const bool was_current = current() == page;
  open_.remove(id);
  open_keys_.remove(id);
  // What is left of the way back, without repetitions side by side.
  std::vector<Location> kept;
  int at = -1;
  for (std::size_t i = 0; i < visited_.size(); ++i) {
    if (exists(visited_[i]) && (kept.empty() || kept.back() != visited_[i])) kept.push_back(visited_[i]);
    if (static_cast<int>(i) == at_) at = static_cast<int>(kept.size()) - 1;
  }
  visited_ = std::move(kept);
  at_ = at;
  if (was_current) {
    if (at_ >= 0) {
      put(visited_[static_cast<std::size_t>(at_)]);
      Q_EMIT shown();  // before the row goes: the navigation would choose a neighbour of its own
    } else {
      showPlace(QStringLiteral("runs"));
    }
  }
  model_.removeOpen(id);
  nameApart();
  removeWidget(page);
  page->hide();
  page->deleteLater();
  Q_EMIT shown();
  Q_EMIT titlesChanged();
  return true;
}

bool PageArea::closeAll() {
  for (const int id : open_.keys()) {
    if (!close(id)) return false;
  }
  return true;
}

QStringList PageArea::restoreKeys() const {
  QStringList keys;
  for (int row = 0; row < model_.openCount(); ++row) {
    const QString key = open_.value(model_.openAt(row))->restoreKey();
    if (!key.isEmpty()) keys << key;
  }
  return keys;
}

QList<int> PageArea::unsavedIds() const {
  QList<int> ids;
  for (auto page = open_.begin(); page != open_.end(); ++page) {
    if (page.value()->unsaved()) ids << page.key();
  }
  return ids;
}

void PageArea::back() {
  if (!canGoBack()) return;
  put(visited_[static_cast<std::size_t>(--at_)]);
  Q_EMIT shown();
}

void PageArea::forward() {
  if (!canGoForward()) return;
  put(visited_[static_cast<std::size_t>(++at_)]);
  Q_EMIT shown();
}

void PageArea::step(int by) {
  const int count = model_.openCount();
  if (count == 0) return;
  const int row = model_.rowOfOpen(currentId());
  // From a place the first step goes to the first page, or backwards to the last.
  const int next = row < 0 ? (by > 0 ? 0 : count - 1) : (row + by + count) % count;
  showOpen(model_.openAt(next));
}

void PageArea::stepTab(int by) {
  if (current() == nullptr) return;
  // The page's own tabs: those inside a tab would keep whoever steps through them from ever leaving it.
  QTabBar* outermost = nullptr;
  int least = std::numeric_limits<int>::max();
  for (QTabBar* tabs : current()->findChildren<QTabBar*>()) {
    if (!tabs->isVisible() || tabs->count() < 2) continue;
    int depth = 0;
    for (const QWidget* above = tabs; above != current(); above = above->parentWidget()) ++depth;
    if (depth < least) {
      least = depth;
      outermost = tabs;
    }
  }
  if (outermost == nullptr) return;
  int next = outermost->currentIndex();
  do {
    next = (next + by + outermost->count()) % outermost->count();
  } while (next != outermost->currentIndex() && (!outermost->isTabEnabled(next) || !outermost->isTabVisible(next)));
  outermost->setCurrentIndex(next);
}

}  // namespace syncline::ui
