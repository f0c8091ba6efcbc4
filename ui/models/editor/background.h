// SPDX-License-Identifier: GPL-3.0-or-later
// Short work off the GUI thread (checking a text, reading a folder's headers, writing a small file). Values in, values out; what takes
// long enough to be shown and cancelled belongs to BackgroundJobs.
#pragma once

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <memory>
#include <type_traits>
#include <utility>

namespace syncline::ui {

// `work` runs on a thread of the pool and must not throw; `done` gets its value on the GUI thread unless `context` is gone by then.
template <typename Work, typename Done>
void in_background(QObject* context, Work work, Done done) {
  QThreadPool::globalInstance()->start([guard = QPointer<QObject>(context), work = std::move(work), done = std::move(done)]() mutable {
    auto value = std::make_shared<std::decay_t<decltype(work())>>(work());
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [guard, value, done = std::move(done)] {
          if (guard) done(*value);
        },
        Qt::QueuedConnection);
  });
}

}  // namespace syncline::ui
