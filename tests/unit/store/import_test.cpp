// SPDX-License-Identifier: Apache-2.0
#include "engine/store/import.h"

#include <cmath>

#include "tests/unit/store/fixture.h"

namespace syncline {
namespace {

class ImportTest : public StoreTest {
 protected:
  // Appends `count` steps to a run, the first one being `from`.
  static void record(const Workspace& made, const std::string& id, int from, int count) {
    RunWriter writer(made, id);
    for (int step = from; step < from + count; ++step) {
      writer.position(axes_at(step));
      writer.scalar("loss", step, step % 50 == 0 ? std::nan("") : step);
      writer.step(sums_at(step, step % 2));
      if (step % 100 == 0) writer.event("tick", std::to_string(step));
    }
    StepTrace trace;
    trace.step = from;
    trace.spans.resize(4);
    writer.trace(trace);
    writer.checkpoint({0, from, 1.8e9, "checkpoints/x", 10, true});
    writer.clock(1, {0.5, 0.1, static_cast<double>(from)});
    writer.document("plan", std::to_string(from));
    writer.close();
  }

  static std::string message_of(const std::filesystem::path& source, const Workspace& into) {
    try {
      import_workspace(source, into);
    } catch (const WorkspaceError& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  // Everything of a run that must be the same in both workspaces.
  static void expect_equal(const Workspace& a, const Workspace& b, const std::string& id) {
    Reader left(a), right(b);
    EXPECT_EQ(left.run(id).last_sequence, right.run(id).last_sequence);
    EXPECT_EQ(left.run(id).experiment, right.run(id).experiment);
    EXPECT_EQ(left.run(id).stored_state, right.run(id).stored_state);
    const auto series_left = left.series(id), series_right = right.series(id);
    ASSERT_EQ(series_left.size(), series_right.size());
    for (std::size_t i = 0; i < series_left.size(); ++i) {
      const auto p = left.points(series_left[i].key), q = right.points(series_right[i].key);
      ASSERT_EQ(p.size(), q.size());
      for (std::size_t n = 0; n < p.size(); ++n) {
        ASSERT_EQ(p[n].sequence, q[n].sequence);
        ASSERT_TRUE(p[n].value == q[n].value || (std::isnan(p[n].value) && std::isnan(q[n].value)));
        ASSERT_EQ(p[n].axes.wall_s, q[n].axes.wall_s);
      }
      for (const char* what : {"count(*)", "sum(count)", "sum(nonfinite)", "total(mean)", "total(max)", "total(last_active_s)"}) {
        const std::string sql = "SELECT " + std::string(what) + " FROM bucket WHERE series = ?";
        Statement x = left.database().prepare(sql), y = right.database().prepare(sql);
        x.bind_all(series_left[i].key), y.bind_all(series_right[i].key);
        x.step(), y.step();
        EXPECT_EQ(x.real(0), y.real(0)) << what;
      }
    }
    ASSERT_EQ(left.ranks(id), right.ranks(id));
    for (const int rank : left.ranks(id)) {
      const auto p = left.steps(id, rank), q = right.steps(id, rank);
      ASSERT_EQ(p.size(), q.size());
      for (std::size_t n = 0; n < p.size(); ++n) ASSERT_EQ(p[n].loss_sum, q[n].loss_sum);
    }
    EXPECT_EQ(left.events(id).size(), right.events(id).size());
    EXPECT_EQ(left.checkpoints(id).size(), right.checkpoints(id).size());
    EXPECT_EQ(left.clocks(id).size(), right.clocks(id).size());
    EXPECT_EQ(left.traces(id).size(), right.traces(id).size());
    EXPECT_EQ(left.document(id, "plan"), right.document(id, "plan"));
  }
};

TEST_F(ImportTest, TwiceIsTheSameAsOnce) {
  const Workspace source = workspace("source.db"), target = workspace("target.db");
  RunRegistry registry(source);
  const std::string id = registry.create(new_run());
  std::ofstream(source.run_folder(id) / "log.txt") << "a line\n";
  record(source, id, 0, 2000);
  ImportResult result = import_workspace(source.path(), target);
  EXPECT_EQ(result.runs_added, 1);
  EXPECT_EQ(result.records, Reader(source).run(id).last_sequence);
  expect_equal(source, target, id);
  EXPECT_EQ(text_of(target.run_folder(id) / "log.txt"), "a line\n");
  result = import_workspace(source.path(), target);
  EXPECT_EQ(result.runs_unchanged, 1);
  EXPECT_EQ(result.records, 0);
  expect_equal(source, target, id);
}

TEST_F(ImportTest, ContinuesWhereItLeftOff) {
  const Workspace source = workspace("source.db"), target = workspace("target.db");
  RunRegistry registry(source);
  const std::string id = registry.create(new_run());
  record(source, id, 0, 777);
  copy_database(source.path(), folder_ / "older.db");
  import_workspace(source.path(), target);
  record(source, id, 777, 1500);
  registry.finish(id, {"finished", "", 0, 0});
  const ImportResult result = import_workspace(source.path(), target);
  EXPECT_EQ(result.runs_extended, 1);
  expect_equal(source, target, id);
  EXPECT_EQ(Reader(target).run(id).state, "finished");
  // An older copy changes nothing, not even the state.
  EXPECT_EQ(import_workspace(folder_ / "older.db", target).runs_unchanged, 1);
  expect_equal(source, target, id);
}

TEST_F(ImportTest, AnEndWithoutNewRecordsArrives) {
  const Workspace source = workspace("source.db"), target = workspace("target.db");
  RunRegistry registry(source);
  const std::string id = registry.create(new_run());
  record(source, id, 0, 10);
  import_workspace(source.path(), target);
  registry.finish(id, {"failed", "rank 1 ended", 4, 0});
  EXPECT_EQ(import_workspace(source.path(), target).runs_extended, 1);
  EXPECT_EQ(Reader(target).run(id).reason, "rank 1 ended");
}

TEST_F(ImportTest, AnnotationsAreNeverTouched) {
  const Workspace source = workspace("source.db"), target = workspace("target.db");
  RunRegistry registry(source);
  const std::string id = registry.create(new_run());
  Annotations(source).set_notes(id, "theirs");
  Annotations(source).add_tag(id, "their-tag");
  record(source, id, 0, 10);
  import_workspace(source.path(), target);
  EXPECT_EQ(Reader(target).run(id).notes, "theirs");  // nothing was here
  EXPECT_EQ(Reader(target).run(id).tags, std::vector<std::string>{"their-tag"});
  Annotations(target).set_notes(id, "mine");
  Annotations(target).remove_tag(id, "their-tag");
  record(source, id, 10, 10);
  import_workspace(source.path(), target);
  EXPECT_EQ(Reader(target).run(id).notes, "mine");
  EXPECT_TRUE(Reader(target).run(id).tags.empty());
}

TEST_F(ImportTest, ForeignAndDamagedFilesGiveOneSentence) {
  const Workspace source = workspace("source.db"), target = workspace("target.db");
  const std::string id = RunRegistry(source).create(new_run());
  record(source, id, 0, 1500);
  copy_database(source.path(), folder_ / "whole.db");
  const std::string whole = text_of(folder_ / "whole.db");

  EXPECT_NE(message_of(folder_ / "absent.db", target).find("there is no such file"), std::string::npos);
  EXPECT_NE(message_of(target.path(), target).find("into itself"), std::string::npos);
  std::ofstream(folder_ / "text.db") << "hello, world, this is no database at all";
  EXPECT_NE(message_of(folder_ / "text.db", target).find("not a Syncline workspace"), std::string::npos);
  std::ofstream(folder_ / "empty.db").close();
  EXPECT_NE(message_of(folder_ / "empty.db", target).find("not a Syncline workspace"), std::string::npos);
  const auto changed = [&](const char* name, const char* sql) {
    std::ofstream(folder_ / name, std::ios::binary) << whole;
    Database(folder_ / name, Database::Mode::write).execute(sql);
    return message_of(folder_ / name, target);
  };
  EXPECT_NE(changed("newer.db", "PRAGMA user_version=7").find("newer version"), std::string::npos);
  EXPECT_NE(
      changed("view.db", "DROP TABLE environment; CREATE VIEW environment AS SELECT 1 AS run, 'x' AS name, 'y' AS value").find("tables"),
      std::string::npos);
  EXPECT_NE(changed("id.db", "UPDATE run SET id = '../../../../../../../../../../tmp/x/'").find("has an id that is none"),
            std::string::npos);
  EXPECT_NE(changed("chunk.db", "UPDATE chunk SET data = x'00112233445566778899'").find("damaged"), std::string::npos);
  for (const std::size_t length : {whole.size() / 2, whole.size() - 4096}) {
    std::ofstream(folder_ / "short.db", std::ios::binary) << whole.substr(0, length);
    EXPECT_NE(message_of(folder_ / "short.db", target).find("damaged"), std::string::npos);
  }
  EXPECT_TRUE(Reader(target).runs().empty());  // nothing of any of these stayed
  EXPECT_EQ(import_workspace(folder_ / "whole.db", target).runs_added, 1);
  expect_equal(source, target, id);
}

}  // namespace
}  // namespace syncline
