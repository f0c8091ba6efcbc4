// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/launch_queue.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QTimer>
#include <nlohmann/json.hpp>

#include "engine/store/records.h"
#include "ui/models/editor/background.h"
#include "ui/models/editor/draft.h"
#include "ui/models/editor/launching.h"
#include "ui/models/lineage.h"

namespace syncline::ui {

namespace {

constexpr int look_every_ms = 2000;
constexpr int files_stay_days = 30;
constexpr auto kind = "queue";
const QString file_prefix = QStringLiteral("launch-");

// The ranks read the file when they start, and once more should the run be restarted: it stays long after the launch.
void remove_old_files(const QString& workspace) {
  const QDir folder = QFileInfo(launch_file(workspace, QString())).dir();
  const QDateTime before = QDateTime::currentDateTime().addDays(-files_stay_days);
  for (const QFileInfo& file : folder.entryInfoList({file_prefix + QStringLiteral("*.toml")}, QDir::Files)) {
    if (file.lastModified() < before) QFile::remove(file.filePath());
  }
}

}  // namespace

LaunchQueue::LaunchQueue(EngineProgram& engine, StoreService& store, QString id)
    : QObject(&engine), engine_(engine), store_(store), id_(std::move(id)) {
  connect(&store_, &StoreService::changed, this, &LaunchQueue::look);
  // A run whose process is gone changes nothing in the workspace.
  auto* now_and_then = new QTimer(this);
  connect(now_and_then, &QTimer::timeout, this, &LaunchQueue::look);
  now_and_then->start(look_every_ms);
}

LaunchQueue* LaunchQueue::create(EngineProgram& engine, StoreService& store) {
  auto* queue = new LaunchQueue(engine, store, QString::fromStdString(make_run_id()));
  queue->lock_ = lock_saved(store.path(), queue->id_);
  return queue;
}

void LaunchQueue::adopt(EngineProgram& engine, StoreService& store, std::function<void(LaunchQueue*)> made) {
  store.read<std::vector<SavedText>>(
      &engine, QStringLiteral("queues left"), [](Reader& reader) { return saved_texts(reader.database(), kind); },
      [&engine, &store, made = std::move(made)](const std::vector<SavedText>& left) {
        in_background(
            &engine,
            [workspace = engine.workspace()] {
              remove_old_files(workspace);
              return true;
            },
            [](bool) {});
        for (const SavedText& saved : left) {
          const QString id = QString::fromStdString(saved.id);
          std::unique_ptr<QLockFile> lock = lock_saved(store.path(), id);
          if (!lock) continue;  // another window's
          auto* queue = new LaunchQueue(engine, store, id);
          queue->lock_ = std::move(lock);
          queue->name_ = QString::fromStdString(saved.name);
          made(queue);
          queue->go_on(saved);
        }
      });
}

void LaunchQueue::start(const QString& name, const std::string& text, const std::vector<std::uint64_t>& seeds, const QString& draft_id) {
  name_ = name;
  draft_ = draft_id;
  text_ = text;
  seeds_.assign(seeds.begin(), seeds.end());
  if (seeds_.empty()) seeds_.emplace_back(std::nullopt);
  total_ = static_cast<int>(seeds_.size());
  write_file([this] { next(); });
}

void LaunchQueue::go_on(const SavedText& saved) {
  kept_ = true;
  const auto content = nlohmann::json::parse(saved.content, nullptr, false);
  if (!content.is_object() || !content.contains("seeds") || !content["seeds"].is_array()) return end();
  text_ = content.value("text", "");
  current_ = QString::fromStdString(content.value("after", ""));
  launching_ = QString::fromStdString(content.value("launching", ""));
  draft_ = QString::fromStdString(content.value("draft", ""));
  number_ = content.value("number", 0);
  total_ = content.value("total", 0);
  for (const auto& seed : content["seeds"]) {
    if (seed.is_number_unsigned()) seeds_.emplace_back(seed.get<std::uint64_t>());
  }
  if (seeds_.empty()) return end();
  write_file([this] { launching_.isEmpty() && !current_.isEmpty() ? look() : next(); });
}

QString LaunchQueue::file() const { return launch_file(engine_.workspace(), file_prefix + id_); }

void LaunchQueue::write_file(std::function<void()> then) {
  starting_ = true;
  in_background(
      this, [path = file(), text = text_] { return write_private_file(path, text); },
      [this, then = std::move(then)](const QString& error) {
        starting_ = false;
        if (error.isEmpty()) {
          then();
        } else {
          fail(error);
        }
      });
}

void LaunchQueue::next() {
  if (seeds_.empty() || starting_) return;
  starting_ = true;
  current_.clear();
  if (launching_.isEmpty()) launching_ = QString::fromStdString(make_run_id());
  keep([this] { launch(); });
}

void LaunchQueue::launch() {
  QStringList arguments = {
      QStringLiteral("launch"), file(),     QStringLiteral("--on"),  QStringLiteral("local"), QStringLiteral("--detach"),
      QStringLiteral("--id"),   launching_, QStringLiteral("--json")};
  if (const std::optional<std::uint64_t> seed = seeds_.front())
    arguments << QStringLiteral("--set") << QStringLiteral("seed=%1").arg(*seed);
  engine_.run(this, arguments, [this](const EngineProgram::Answer& answer) {
    starting_ = false;
    launching_.clear();
    current_ = launched_id(answer);
    if (current_.isEmpty())
      return fail(answer.exit_code == 0 ? tr("the engine started a run and did not say which; look at the Runs page") : answer.sentence());
    seeds_.erase(seeds_.begin());
    store_.write(&engine_, [draft = draft_.toStdString(), run = current_.toStdString()](StoreService::Writer& writer) {
      carry_origin(writer.workspace, draft, run);
    });
    Q_EMIT started(current_, ++number_, total_);
    if (seeds_.empty()) return end();
    keep([this] { look(); });
  });
}

void LaunchQueue::look() {
  if (seeds_.empty() || current_.isEmpty() || starting_) return;
  store_.read<QString>(
      this, QStringLiteral("queue"), [id = current_.toStdString()](Reader& reader) { return QString::fromStdString(reader.run(id).state); },
      [this](const QString& state) {
        const bool active = state == QStringLiteral("queued") || state == QStringLiteral("running") ||
                            state == QStringLiteral("stopping") || state == QStringLiteral("unknown");
        if (!active) next();
      },
      [this](const QString&) { next(); });  // the run was deleted
}

void LaunchQueue::keep(std::function<void()> then) {
  if (total_ < 2) return then();  // one run waits for nothing
  kept_ = true;
  nlohmann::json seeds = nlohmann::json::array();
  for (const auto& seed : seeds_) seeds.push_back(*seed);
  const nlohmann::json content = {
      {"text", text_},     {"seeds", seeds},  {"after", current_.toStdString()}, {"launching", launching_.toStdString()},
      {"number", number_}, {"total", total_}, {"draft", draft_.toStdString()}};
  const SavedText saved{.id = id_.toStdString(), .kind = kind, .name = name_.toStdString(), .content = content.dump()};
  // What cannot be kept goes on in this window all the same; the launch itself says what is wrong with the workspace.
  store_.write(
      this, [saved](StoreService::Writer& writer) { SavedTexts(writer.workspace).put(saved); }, then, [then](const QString&) { then(); });
}

void LaunchQueue::fail(const QString& sentence) {
  Q_EMIT failed(sentence);
  end();
}

// Nothing is left to do for the next window.
void LaunchQueue::end() {
  seeds_.clear();
  if (kept_) {
    store_.write(&engine_, [id = id_.toStdString()](StoreService::Writer& writer) { SavedTexts(writer.workspace).remove(id); });
  }
  deleteLater();
}

}  // namespace syncline::ui
