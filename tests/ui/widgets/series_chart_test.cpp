// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/series_chart.h"

#include <QAccessible>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QSet>
#include <QTableView>
#include <QToolButton>

#include "tests/ui/widgets/chart_fixture.h"
#include "ui/widgets/chart_plot.h"

namespace syncline::ui {
namespace {

class SeriesChartTest : public ChartTest {
 protected:
  ChartPlot* plot(SeriesChart* made) { return static_cast<ChartPlot*>(plot_of(made)); }
  static QString label(SeriesChart* made, const char* part) {
    const auto* found = made->findChild<QLabel*>(QString(made->objectName() % QString::fromLatin1(part)));
    return found != nullptr && found->isVisibleTo(made) ? found->text() : QString();
  }
};

TEST_F(SeriesChartTest, OneZoomIsOneRequestAndOneRedrawOfCurves) {
  SeriesChart* made = chart();
  made->setCurves({curve({record(falling(20000))}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  for (const Qt::Key key : {Qt::Key_Plus, Qt::Key_Plus, Qt::Key_Minus, Qt::Key_0, Qt::Key_Backspace}) {
    const SeriesChart::Counters before = made->counters();
    QTest::keyClick(plot(made), key);
    ASSERT_TRUE(settled(made));
    EXPECT_EQ(made->counters().requests - before.requests, 1) << key;
    EXPECT_EQ(made->counters().curve_replots - before.curve_replots, 1) << key;
  }
}

// Within a frame first, without antialiasing; and once more when the view rests.
TEST_F(SeriesChartTest, ManyCurvesFollowAZoomAndAreDrawnFineWhenItRests) {
  SeriesChart* made = chart();
  std::vector<CurveSpec> curves;
  for (int i = 0; i < 12; ++i) {
    std::vector<double> values = falling(3000, 0);
    for (double& value : values) value += 0.1 * i;
    curves.push_back(curve({record(values, "run")}, QString::number(i), i));
  }
  made->setCurves(curves);
  show();
  ASSERT_TRUE(settled(made));
  // Antialiased edges have colours between those of curves and background.
  const auto colours = [&] {
    const QImage image = plot(made)->toPixmap(0, 0, 1).toImage();
    QSet<QRgb> found;
    const QRect area = plot(made)->axisRect()->rect().adjusted(20, 20, -20, -20);
    for (int x = area.left(); x < area.right(); ++x) {
      for (int y = area.top(); y < area.bottom(); ++y) found.insert(image.pixel(x, y));
    }
    return found.size();
  };
  QTest::qWait(400);
  const auto fine = colours();
  const int before = made->counters().curve_replots;
  plot(made)->zoomX(0.5, 1500);
  const auto hurried = colours();
  EXPECT_LT(hurried, fine);
  ASSERT_TRUE(QTest::qWaitFor([&] { return made->counters().curve_replots > before + 1; }, 2000));
  EXPECT_GT(colours(), hurried);
}

TEST_F(SeriesChartTest, TheCrosshairDrawsNoCurveAndAsksForNothing) {
  SeriesChart *made = chart(), *linked = chart(QStringLiteral("test.other"));
  const QString id = record(falling(5000));
  made->setCurves({curve({id}, QStringLiteral("a"))});
  linked->setCurves({curve({id}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made) && settled(linked));
  const SeriesChart::Counters before = made->counters(), other = linked->counters();
  for (int x = 100; x < 400; x += 10) QTest::mouseMove(plot(made), QPoint(x, 60));
  QTest::keyClick(plot(made), Qt::Key_Right);
  QTest::qWait(200);
  EXPECT_EQ(made->counters().requests, before.requests);
  EXPECT_EQ(made->counters().curve_replots, before.curve_replots);
  EXPECT_GT(made->counters().overlay_replots, before.overlay_replots + 20);
  EXPECT_EQ(linked->counters().curve_replots, other.curve_replots);
  EXPECT_GT(linked->counters().overlay_replots, other.overlay_replots);
}

TEST_F(SeriesChartTest, AHiddenChartDoesNoWorkAndCatchesUpWithOneRequest) {
  SeriesChart *made = chart(), *hidden = chart(QStringLiteral("test.hidden"));
  const QString id = record(falling(2000));
  hidden->hide();
  made->setCurves({curve({id}, QStringLiteral("a"))});
  hidden->setCurves({curve({id}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  for (int i = 0; i < 3; ++i) {
    group_->refresh();
    QTest::qWait(120);
  }
  EXPECT_EQ(hidden->counters().requests, 0);
  EXPECT_EQ(hidden->counters().vertices, 0);
  hidden->show();
  ASSERT_TRUE(settled(hidden));
  EXPECT_EQ(hidden->counters().requests, 1);
  EXPECT_GT(hidden->counters().vertices, 100);
}

// A curve that is up and down everywhere fills the height: a column that is drawn shorter looks like a slit.
TEST_F(SeriesChartTest, ADenseCurveHasNoSlits) {
  std::vector<double> values;
  std::uint32_t state = 4242;
  for (int i = 0; i < 300000; ++i) {
    state = state * 1664525U + 1013904223U;
    values.push_back(state >> 31);
  }
  SeriesChart* made = chart();
  made->setCurves({curve({record(values)}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  const auto shortest = [&] {
    const QRect area = plot(made)->axisRect()->rect();
    const QImage image = plot(made)->grab().toImage();
    const QColor ink = palette::curve(0, false).colour;
    int least = area.height();
    for (int x = area.left() + area.width() / 20; x < area.right() - area.width() / 20; ++x) {
      int inked = 0;
      for (int y = area.top(); y <= area.bottom(); ++y) inked += image.pixelColor(x, y) == ink ? 1 : 0;
      least = std::min(least, inked);
    }
    return static_cast<double>(least) / area.height();
  };
  constexpr double full = 0.85;  // the y axis leaves 5 % at each end
  EXPECT_GT(shortest(), full);
  for (int i = 0; i < 12; ++i) {
    plot(made)->zoomX(0.87, plot(made)->xAxis->range().lower + 0.3 * plot(made)->xAxis->range().size());
    ASSERT_TRUE(settled(made));
    EXPECT_GT(shortest(), full) << i;
  }
}

TEST_F(SeriesChartTest, VerticesStayFewWhateverTheDataSize) {
  SeriesChart* made = chart();
  made->setCurves({curve({record(falling(300000))}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  EXPECT_LE(made->counters().vertices, 4 * (made->width() + 2));
  EXPECT_TRUE(label(made, ".footer").contains(QStringLiteral("min–max of"))) << label(made, ".footer").toStdString();
}

TEST_F(SeriesChartTest, EverythingWorksWithTheKeyboardAlone) {
  SeriesChart* made = chart();
  made->setCurves({curve({record({5, 4, 3, 2, 1})}, QStringLiteral("a")), curve({record({9, 8, 7, 6, 5})}, QStringLiteral("b"), 1)});
  show();
  ASSERT_TRUE(settled(made));
  ChartPlot* keys = plot(made);
  keys->setFocus();
  QTest::keyClick(keys, Qt::Key_Home);
  EXPECT_EQ(keys->crosshairX(), 0);
  EXPECT_TRUE(keys->readingText().startsWith(QStringLiteral("a: 5")));
  QTest::keyClick(keys, Qt::Key_Right);
  EXPECT_EQ(keys->crosshairX(), 1);
  QTest::keyClick(keys, Qt::Key_A);
  QTest::keyClick(keys, Qt::Key_Right, Qt::ShiftModifier);
  EXPECT_EQ(keys->crosshairX(), 4);
  QTest::keyClick(keys, Qt::Key_B);
  EXPECT_TRUE(label(made, ".delta").contains(QStringLiteral("Δ 3 steps"))) << label(made, ".delta").toStdString();
  EXPECT_TRUE(label(made, ".delta").contains(QStringLiteral("a −3"))) << label(made, ".delta").toStdString();
  QTest::keyClick(keys, Qt::Key_Down);
  EXPECT_TRUE(keys->readingText().startsWith(QStringLiteral("b: 5"))) << keys->readingText().toStdString();
  QTest::keyClick(keys, Qt::Key_C, Qt::ControlModifier);
  EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("5"));
  QTest::keyClick(keys, Qt::Key_Escape);
  EXPECT_TRUE(label(made, ".delta").isEmpty());
  QSignalSpy moments(group_.get(), &ChartGroup::momentChosen);
  QTest::keyClick(keys, Qt::Key_T);
  ASSERT_EQ(moments.size(), 1);
  EXPECT_EQ(moments[0][1].toLongLong(), 4);
  const QCPRange all = keys->xAxis->range();
  QTest::keyClick(keys, Qt::Key_Plus);
  EXPECT_LT(keys->xAxis->range().size(), all.size());
  QTest::keyClick(keys, Qt::Key_Left, Qt::AltModifier);
  EXPECT_TRUE(keys->canUndoZoom());
  QTest::keyClick(keys, Qt::Key_Plus, Qt::ControlModifier);
  EXPECT_LT(keys->yAxis->range().size(), 5);
  QTest::keyClick(keys, Qt::Key_0);
  EXPECT_EQ(keys->xAxis->range().size(), all.size());
  QTest::keyClick(keys, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_TRUE(QTest::qWaitFor([] { return QGuiApplication::clipboard()->text().count(u'\n') == 11; }, 5000));
}

TEST_F(SeriesChartTest, TheLegendHidesShowsOnlyAndFindsWithTheKeyboard) {
  SeriesChart* made = chart();
  std::vector<CurveSpec> curves;
  for (int i = 0; i < 10; ++i) curves.push_back(curve({record({1.0 * i, 2})}, QStringLiteral("curve %1").arg(i), i));
  made->setCurves(curves);
  window_->resize(900, 500);
  show();
  ASSERT_TRUE(settled(made));
  auto* list = made->findChild<QListView*>(QStringLiteral("test.loss.legend"));
  ASSERT_NE(list, nullptr);
  EXPECT_TRUE(list->isVisible());
  const int requests = made->counters().requests;
  list->setFocus();
  list->setCurrentIndex(list->model()->index(3, 0));
  QTest::keyClick(list, Qt::Key_Space);
  EXPECT_TRUE(list->model()->index(3, 0).data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("hidden")));
  EXPECT_TRUE(made->accessibleDescription().contains(QStringLiteral("9 curve")));
  QTest::keyClick(list, Qt::Key_Space, Qt::ShiftModifier);
  EXPECT_TRUE(made->accessibleDescription().contains(QStringLiteral("1 curve")));
  QTest::keyClick(list, Qt::Key_Space, Qt::ShiftModifier);
  EXPECT_TRUE(made->accessibleDescription().contains(QStringLiteral("10 curve")));
  auto* search = made->findChild<QLineEdit*>(QStringLiteral("test.loss.legend.search"));
  ASSERT_TRUE(search->isVisible());
  QTest::keyClicks(search, QStringLiteral("curve 7"));
  EXPECT_EQ(list->model()->rowCount(), 1);
  EXPECT_EQ(made->counters().requests, requests);  // hiding and finding read nothing
}

TEST_F(SeriesChartTest, OfManyCurvesTwentyAreDrawnAndItIsSaid) {
  SeriesChart* made = chart();
  std::vector<CurveSpec> curves;
  const QString id = record({1, 2});
  for (int i = 0; i < 30; ++i) {
    curves.push_back(curve({id}, QStringLiteral("c%1").arg(i), i));
  }
  made->setCurves(curves);
  show();
  ASSERT_TRUE(settled(made));
  EXPECT_TRUE(label(made, ".footer").contains(QStringLiteral("20 of 30 curves shown"))) << label(made, ".footer").toStdString();
}

TEST_F(SeriesChartTest, ANarrowLegendCountsTheCurvesWithoutRoomAndListsThem) {
  SeriesChart* made = chart();
  made->setCompact(true);
  std::vector<CurveSpec> curves;
  for (int i = 0; i < 25; ++i)
    curves.push_back(curve({record({1.0 + i, 2})}, QStringLiteral("a run with a rather long name %1").arg(i), i));
  made->setCurves(curves);
  show();
  ASSERT_TRUE(settled(made));
  auto* more = made->findChild<QToolButton*>(QStringLiteral("test.loss.strip.more"));
  ASSERT_TRUE(more != nullptr && more->isVisible());
  const int wide = more->text().mid(1).section(u' ', 0, 0).toInt();
  EXPECT_EQ(more->text(), QStringLiteral("+%1 more").arg(wide));
  EXPECT_GT(wide, 5);
  EXPECT_TRUE(more->parentWidget()->rect().contains(more->geometry()));
  window_->resize(380, 420);
  EXPECT_GT(more->text().mid(1).section(u' ', 0, 0).toInt(), wide);
  EXPECT_TRUE(more->parentWidget()->rect().contains(more->geometry()));
  Q_EMIT more->menu()->aboutToShow();
  ASSERT_EQ(more->menu()->actions().size(), 25);
  EXPECT_TRUE(more->menu()->actions().last()->text().contains(QStringLiteral("not drawn")));  // 20 are
  const auto drawn = made->counters().curve_replots;
  more->menu()->actions().first()->trigger();
  ASSERT_TRUE(settled(made));
  EXPECT_GT(made->counters().curve_replots, drawn);
  Q_EMIT more->menu()->aboutToShow();
  EXPECT_FALSE(more->menu()->actions().first()->isChecked());
  made->setCurves({curves[1], curves[2]});  // the first one is hidden
  ASSERT_TRUE(settled(made));
  window_->resize(900, 420);
  EXPECT_FALSE(more->isVisible());
}

TEST_F(SeriesChartTest, AThemeSwitchRecoloursWithoutARequest) {
  SeriesChart* made = chart();
  made->setCurves({curve({record(falling(300))}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  const int requests = made->counters().requests;
  const auto background = [&] { return plot(made)->grab().toImage().pixelColor(plot(made)->width() - 4, 4); };
  EXPECT_EQ(background().name(), QStringLiteral("#ffffff"));
  QApplication::setPalette(palette::dark());
  QTest::qWait(100);
  EXPECT_EQ(background().name(), QStringLiteral("#1b1e20"));
  EXPECT_EQ(plot(made)->graph(0)->pen().color(), palette::curve(0, true).colour);
  EXPECT_EQ(made->counters().requests, requests);
}

TEST_F(SeriesChartTest, WithoutDataItSaysWhatWouldBeHere) {
  SeriesChart* made = chart();
  made->setWhenEmpty(QStringLiteral("Waiting for the first step."));
  made->setCurves({curve({QString::fromStdString(RunRegistry(workspace()).create(new_run()))}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  EXPECT_EQ(label(made, ".empty"), QStringLiteral("Waiting for the first step."));
}

TEST_F(SeriesChartTest, NonFiniteZeroAndNegativeValuesAreCountedInTheFooter) {
  SeriesChart* made = chart();
  made->setCurves({curve({record({1, nan, 2, infinity, 0, -1, 3})}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  EXPECT_TRUE(label(made, ".footer").contains(QStringLiteral("2 not finite"))) << label(made, ".footer").toStdString();
  const QCPRange everything = plot(made)->xAxis->range();
  Q_EMIT made->findChild<QLabel*>(QStringLiteral("test.loss.footer"))->linkActivated({});
  EXPECT_LT(plot(made)->xAxis->range().size(), everything.size());  // to the first of them
  plot(made)->fit();
  made->setLogarithmic(true);
  ASSERT_TRUE(settled(made));
  EXPECT_TRUE(label(made, ".footer").contains(QStringLiteral("2 not above zero"))) << label(made, ".footer").toStdString();
}

TEST_F(SeriesChartTest, StepsOfDifferentStrategiesAreNotTakenForTheSame) {
  SeriesChart* made = chart();
  made->setCurves({curve({record({1, 2}, "a", 0, {}, "sync")}, QStringLiteral("a")),
                   curve({record({1, 2}, "b", 0, {}, "easgd")}, QStringLiteral("b"), 1)});
  show();
  ASSERT_TRUE(settled(made));
  auto* note = made->findChild<QLabel*>(QStringLiteral("test.loss.note"));
  ASSERT_TRUE(note->isVisible());
  Q_EMIT note->linkActivated(QStringLiteral("samples"));
  ASSERT_TRUE(settled(made));
  EXPECT_EQ(group_->xAxis(), XAxis::samples);
  EXPECT_FALSE(note->isVisible());
  EXPECT_EQ(plot(made)->xAxis->label(), QStringLiteral("samples"));
}

TEST_F(SeriesChartTest, LinkedChartsShareRangeAndAlignTheirPlots) {
  SeriesChart *made = chart(), *linked = chart(QStringLiteral("test.other"));
  const QString id = record(falling(3000));
  const QString wide = record(std::vector<double>(3000, 123456), "wide");
  made->setCurves({curve({id}, QStringLiteral("a"))});
  linked->setCurves({curve({wide}, QStringLiteral("b"))});
  show();
  ASSERT_TRUE(settled(made) && settled(linked));
  EXPECT_EQ(plot(made)->axisRect()->left(), plot(linked)->axisRect()->left());
  QTest::keyClick(plot(made), Qt::Key_Plus);
  ASSERT_TRUE(settled(made) && settled(linked));
  EXPECT_EQ(plot(made)->xAxis->range(), plot(linked)->xAxis->range());
  // While dragging the chart under the pointer follows each move, the others at most ten times a second and once at the end.
  const int others = linked->counters().curve_replots;
  const QPoint from(300, 80);
  QTest::mousePress(plot(made), Qt::LeftButton, Qt::NoModifier, from);
  for (int i = 1; i <= 30; ++i) QTest::mouseMove(plot(made), from + QPoint(2 * i, 0));
  EXPECT_LE(linked->counters().curve_replots - others, 3);
  QTest::mouseRelease(plot(made), Qt::LeftButton, Qt::NoModifier, from + QPoint(60, 0));
  ASSERT_TRUE(settled(made) && settled(linked));
  EXPECT_EQ(plot(made)->xAxis->range(), plot(linked)->xAxis->range());
  group_->zoomToFit();
  ASSERT_TRUE(settled(made) && settled(linked));
  EXPECT_LE(plot(made)->xAxis->range().lower, 0);
  EXPECT_GE(plot(linked)->xAxis->range().upper, 2999);
}

TEST_F(SeriesChartTest, LiveDataIsFollowedUntilOneLooksAway) {
  SeriesChart* made = chart();
  const QString id = record(falling(1000));
  made->setCurves({curve({id}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  append(id.toStdString(), falling(500), 1000);
  group_->refresh();
  ASSERT_TRUE(QTest::qWaitFor([&] { return plot(made)->xAxis->range().upper >= 1499; }, 5000));
  EXPECT_TRUE(made->following());
  QTest::keyClick(plot(made), Qt::Key_Home);
  QTest::keyClick(plot(made), Qt::Key_Plus);
  QTest::keyClick(plot(made), Qt::Key_Plus);
  ASSERT_TRUE(settled(made));
  EXPECT_FALSE(made->following());
  auto* chip = made->findChild<QToolButton*>(QStringLiteral("test.loss.follow"));
  EXPECT_TRUE(chip->isVisible());
  const QCPRange looked_at = plot(made)->xAxis->range();
  append(id.toStdString(), falling(500), 1500);
  group_->refresh();
  QTest::qWait(300);
  EXPECT_EQ(plot(made)->xAxis->range(), looked_at);
  QTest::keyClick(plot(made), Qt::Key_F);
  ASSERT_TRUE(settled(made));
  EXPECT_TRUE(made->following());
  EXPECT_GE(plot(made)->xAxis->range().upper, 1999);
}

TEST_F(SeriesChartTest, TheTableShowsTheVisibleRangeAndTheExportEverything) {
  SeriesChart* made = chart();
  made->setCurves({curve({record(falling(1000))}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  plot(made)->setView(100, 199, nan, nan);
  ASSERT_TRUE(settled(made));
  made->showTable(true);
  auto* table = made->findChild<QTableView*>(QStringLiteral("test.loss.rows"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return table->model()->rowCount() > 0; }, 5000));
  EXPECT_TRUE(table->isVisible());
  EXPECT_EQ(table->model()->rowCount(), 100);
  QString error = QStringLiteral("waiting");
  const QString path = QString::fromStdString((folder_ / "all.csv").string());
  made->saveData(path, false, [&](const QString& said) { error = said; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return error != QStringLiteral("waiting"); }, 5000));
  EXPECT_TRUE(error.isEmpty()) << error.toStdString();
  EXPECT_EQ(QString::fromStdString(text_of(path.toStdString())).count(u'\n'), 1001);
}

TEST_F(SeriesChartTest, ScreenReadersHearWhatIsShown) {
  SeriesChart* made = chart();
  made->setCurves({curve({record({2.31, 1, 0.2131})}, QStringLiteral("easgd"))});
  show();
  ASSERT_TRUE(settled(made));
  QAccessibleInterface* heard = QAccessible::queryAccessibleInterface(plot(made));
  ASSERT_NE(heard, nullptr);
  EXPECT_EQ(heard->role(), QAccessible::Chart);
  EXPECT_EQ(heard->text(QAccessible::Name), QStringLiteral("Training loss"));
  EXPECT_TRUE(heard->text(QAccessible::Description).contains(QStringLiteral("x step 0 to 2; easgd falls from 2.310 to 0.2131")))
      << heard->text(QAccessible::Description).toStdString();
  QTest::keyClick(plot(made), Qt::Key_End);
  EXPECT_TRUE(heard->text(QAccessible::Value).contains(QStringLiteral("easgd: 0.2131")));
  for (QWidget* child : made->findChildren<QWidget*>()) {
    if (child->focusPolicy() != Qt::NoFocus && child->isVisible() && qobject_cast<QToolButton*>(child) != nullptr) {
      EXPECT_FALSE(child->accessibleName().isEmpty()) << child->objectName().toStdString();
    }
  }
}

TEST_F(SeriesChartTest, TheWheelScrollsThePageUntilThePointerHasRested) {
  SeriesChart* made = chart();
  made->setCurves({curve({record(falling(500))}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  ChartPlot* under = plot(made);
  const QPointF at(200, 100);
  QEnterEvent enter(at, at, under->mapToGlobal(at));
  QApplication::sendEvent(under, &enter);
  const QCPRange all = under->xAxis->range();
  const auto wheel = [&] {
    QWheelEvent event(at, under->mapToGlobal(at), {}, QPoint(0, 120), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(under, &event);
    return event.isAccepted();
  };
  EXPECT_FALSE(wheel());
  EXPECT_EQ(under->xAxis->range(), all);
  QTest::qWait(350);
  EXPECT_TRUE(wheel());
  EXPECT_LT(under->xAxis->range().size(), all.size());
}

TEST_F(SeriesChartTest, ChangedNamesAndColoursReadNothing) {
  SeriesChart* made = chart();
  CurveSpec spec = curve({record(falling(100))}, QStringLiteral("a"));
  made->setCurves({spec});
  show();
  ASSERT_TRUE(settled(made));
  const int requests = made->counters().requests;
  spec.name = QStringLiteral("renamed");
  spec.colour = QColor(1, 2, 3);
  made->setCurves({spec});
  ASSERT_TRUE(settled(made));
  EXPECT_EQ(made->counters().requests, requests);
  EXPECT_EQ(plot(made)->graph(0)->pen().color(), QColor(1, 2, 3));
}

}  // namespace
}  // namespace syncline::ui
