// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/icon_shapes.h"

#include <algorithm>
#include <iterator>

#include "ui/widgets/icons.h"

namespace syncline::ui {

namespace {

struct Shape {
  const char* name;
  const char* svg;
};

// Drawn for this project. Sorted by name, for the eye.
constexpr Shape shapes[] = {
    {"application-exit", "<path d='M6.5 2.5H3.5v11h3M7 8h6.5M10.5 5l3 3-3 3'/>"},
    {"applications-science", "<path d='M6 1.8h4M6.7 2v4.2L2.8 12.6a1 1 0 0 0 .9 1.6h8.6a1 1 0 0 0 .9-1.6L9.3 6.2V2M4.9 9.8h6.2'/>"},
    {"configure", "<path d='M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6'/><circle cx='10' cy='4.5' r='1.8'/><circle cx='6' cy='11.5' r='1.8'/>"},
    {"dialog-error", "<circle cx='8' cy='8' r='6'/><path d='M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4'/>"},
    {"dialog-information", "<circle cx='8' cy='8' r='6'/><path d='M8 7.4v3.6'/><circle cx='8' cy='5' r='.5' fill='INK'/>"},
    {"dialog-ok", "<path d='M2.8 8.6l3.4 3.4 7-7.6'/>"},
    {"dialog-warning", "<path d='M8 2.2l6.2 11.2H1.8zM8 6.4v3.4'/><circle cx='8' cy='11.6' r='.4' fill='INK'/>"},
    {"document-edit", "<path d='M3 13l.6-2.8L10.8 3 13 5.2l-7.2 7.2zM9.3 4.5l2.2 2.2'/>"},
    {"document-export", "<path d='M8.5 2.5h-5v11h9v-3M8 7.5h6M11.8 5l2.4 2.5-2.4 2.5'/>"},
    {"document-import", "<path d='M12.5 6V2.5h-9v11h9V10M14.2 8H7.5M9.8 5.6L7.4 8l2.4 2.4'/>"},
    {"document-new", "<path d='M9 1.8H3.5v12.4h9V5.2zM9 1.8v3.4h3.5M8 7.4v4.2M5.9 9.5h4.2'/>"},
    {"document-open", "<path d='M1.8 12.8V3.2h4.4l1.4 1.8h5.2v2M1.8 12.8L4 7h10.4l-2.2 5.8z'/>"},
    {"document-open-recent", "<circle cx='8' cy='8' r='6'/><path d='M8 4.4V8l2.4 1.6'/>"},
    {"document-properties", "<path d='M3.5 1.8h9v12.4h-9zM5.8 5h4.4M5.8 8h4.4M5.8 11h2.6'/>"},
    {"document-save", "<path d='M8 1.8v7.4M4.9 6.3L8 9.4l3.1-3.1M2.4 10.8v3h11.2v-3'/>"},
    {"edit-clear", "<path d='M6 3h8v10H6L1.8 8zM8.2 6l4 4M12.2 6l-4 4'/>"},
    {"edit-copy", "<path d='M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3'/>"},
    {"edit-cut", "<circle cx='4' cy='12' r='1.8'/><circle cx='12' cy='12' r='1.8'/><path d='M5 10.5L11 2M11 10.5L5 2'/>"},
    {"edit-delete", "<path d='M2.8 4h10.4M6 4V2.3h4V4M4.2 4l.6 9.7h6.4l.6-9.7M6.8 6.6v4.6M9.2 6.6v4.6'/>"},
    {"edit-duplicate", "<path d='M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3M9.5 7.5v4M7.5 9.5h4'/>"},
    {"edit-find", "<circle cx='6.8' cy='6.8' r='4.3'/><path d='M10 10l4 4'/>"},
    {"edit-paste", "<path d='M5.5 3H3.5v10.8h9V3h-2M5.5 2h5v2.4h-5z'/>"},
    {"edit-redo", "<path d='M13.5 6.5H6a3.4 3.4 0 0 0 0 6.8h2.5M10.6 3.5l3 3-3 3'/>"},
    {"edit-rename", "<path d='M8.5 2.5h3M8.5 13.5h3M10 2.5v11M7.5 5H2v6h5.5M12.5 5H14v6h-1.5'/>"},
    {"edit-select-all", "<path d='M2.5 2.5h11v11h-11z' stroke-dasharray='2 1.7'/><path d='M5.5 5.5h5v5h-5z'/>"},
    {"edit-undo", "<path d='M2.5 6.5H10a3.4 3.4 0 0 1 0 6.8H7.5M5.4 3.5l-3 3 3 3'/>"},
    {"emblem-favorite", "<path d='M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z'/>"},
    {"folder", "<path d='M1.8 12.8V3.2h4.4l1.4 1.8h6.6v7.8z'/>"},
    {"folder-open", "<path d='M1.8 12.8V3.2h4.4l1.4 1.8h5.2v2M1.8 12.8L4 7h10.4l-2.2 5.8z'/>"},
    {"go-down", "<path d='M3 5.6l5 5 5-5'/>"},
    {"go-next", "<path d='M5.6 3l5 5-5 5'/>"},
    {"go-previous", "<path d='M10.4 3l-5 5 5 5'/>"},
    {"go-up", "<path d='M3 10.4l5-5 5 5'/>"},
    {"help-about", "<circle cx='8' cy='8' r='6'/><path d='M8 7.4v3.6'/><circle cx='8' cy='5' r='.5' fill='INK'/>"},
    {"help-contextual",
     "<circle cx='8' cy='8' r='6'/><path d='M6.2 6.2a1.8 1.8 0 1 1 2.6 1.7c-.6.3-.8.6-.8 1.2'/>"
     "<circle cx='8' cy='11.2' r='.4' fill='INK'/>"},
    {"input-keyboard", "<path d='M1.5 4h13v8h-13zM4 6.5h.1M6.6 6.5h.1M9.3 6.5h.1M12 6.5h.1M5 9.6h6'/>"},
    {"list-add", "<path d='M8 3v10M3 8h10'/>"},
    {"list-remove", "<path d='M3 8h10'/>"},
    {"media-playback-pause", "<path d='M4.5 3h2v10h-2zM9.5 3h2v10h-2z' fill='INK'/>"},
    {"media-playback-start", "<path d='M4.5 2.8v10.4L13 8z' fill='INK'/>"},
    {"media-playback-stop", "<path d='M3.8 3.8h8.4v8.4H3.8z' fill='INK'/>"},
    {"network-wired", "<path d='M6 2h4v3.5H6zM2 10.5h4V14H2zM10 10.5h4V14h-4zM8 5.5V8M4 10.5V8h8v2.5'/>"},
    {"non-starred", "<path d='M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z'/>"},
    {"object-locked", "<path d='M3.5 7.2h9v6.3h-9zM5.3 7.2V5a2.7 2.7 0 0 1 5.4 0v2.2'/>"},
    {"object-unlocked", "<path d='M3.5 7.2h9v6.3h-9zM5.3 7.2V4.4a2.7 2.7 0 0 1 5.2-1'/>"},
    {"office-chart-area", "<path d='M2.5 2v11.5H14M4.5 11.4V8l3-3.2 2.6 2L13.4 4v7.4z'/>"},
    {"office-chart-bar", "<path d='M2.5 2v11.5H14M5 11.2V8M8.2 11.2V5M11.4 11.2V6.8'/>"},
    {"office-chart-line", "<path d='M2.5 2v11.5H14M4.5 10.5l2.8-4 2.4 2.2L13.4 4'/>"},
    {"preferences-desktop-keyboard", "<path d='M1.5 4h13v8h-13zM4 6.5h.1M6.6 6.5h.1M9.3 6.5h.1M12 6.5h.1M5 9.6h6'/>"},
    {"preferences-desktop-theme", "<circle cx='8' cy='8' r='6'/><path fill='INK' d='M8 2a6 6 0 0 1 0 12z'/>"},
    {"preferences-plugin", "<path d='M5.5 1.8v3M10.5 1.8v3M3.6 4.8h8.8v2.8a4.4 4.4 0 0 1-8.8 0zM8 12v2.4'/>"},
    {"preferences-system",
     "<path d='M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6'/><circle cx='10' cy='4.5' r='1.8'/>"
     "<circle cx='6' cy='11.5' r='1.8'/>"},
    {"process-stop", "<circle cx='8' cy='8' r='6'/><path d='M3.9 12.1l8.2-8.2'/>"},
    {"starred", "<path fill='INK' d='M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z'/>"},
    {"tag", "<path d='M2 2.5h5.6L14 8.9 8.9 14 2 7.6z'/><circle cx='5' cy='5.4' r='.9'/>"},
    {"tools-report-bug",
     "<path d='M5 6.5h6v4a3 3 0 0 1-6 0zM5.8 6.4a2.2 2.2 0 0 1 4.4 0M2 5.5l3 1.8M14 5.5l-3 1.8M1.8 9.5H5M14.2 9.5H11"
     "M2.4 13.4l2.9-1.8M13.6 13.4l-2.9-1.8'/>"},
    {"user-trash", "<path d='M2.8 4h10.4M6 4V2.3h4V4M4.2 4l.6 9.7h6.4l.6-9.7M6.8 6.6v4.6M9.2 6.6v4.6'/>"},
    {"view-filter", "<path d='M2 3h12L9.6 8.4v4.4l-3.2 1.4V8.4z'/>"},
    {"view-fullscreen", "<path d='M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10'/>"},
    {"view-list-details", "<path d='M2.2 3.5h1.6M2.2 8h1.6M2.2 12.5h1.6M6 3.5h8M6 8h8M6 12.5h8'/>"},
    {"view-list-tree", "<path d='M2.5 3h4M5 7.9h4M5 12.8h4M2.9 3.2v9.6H5M2.9 7.9H5M11 7.9h2.5M11 12.8h2.5'/>"},
    {"view-refresh", "<path d='M13.4 6.4A5.6 5.6 0 1 0 13.6 9M13.6 2.6v3.9H9.7'/>"},
    {"view-split-left-right", "<path d='M2 2.8h12v10.4H2zM8 2.8v10.4M4 9.8V7.4M5.9 9.8V5.6M10.2 9.8V6.6M12.1 9.8V8.2'/>"},
    {"view-table", "<path d='M2 3h12v10H2zM2 6.3h12M2 9.6h12M6.5 3v10'/>"},
    {"window-close", "<path d='M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4'/>"},
    {"zoom-fit-best", "<circle cx='6.8' cy='6.8' r='4.3'/><path d='M10 10l4 4M5 5.6h3.6v2.4H5z'/>"},
    {"zoom-in", "<circle cx='6.8' cy='6.8' r='4.3'/><path d='M10 10l4 4M4.9 6.8h3.8M6.8 4.9v3.8'/>"},
    {"zoom-out", "<circle cx='6.8' cy='6.8' r='4.3'/><path d='M10 10l4 4M4.9 6.8h3.8'/>"},
};

}  // namespace

const char* bundled_shape(const QString& name) {
  const auto found =
      std::find_if(std::begin(shapes), std::end(shapes), [&](const Shape& shape) { return name == QLatin1String(shape.name); });
  return found == std::end(shapes) ? nullptr : found->svg;
}

QStringList bundled_icon_names() {
  QStringList names;
  for (const Shape& shape : shapes) names << QLatin1String(shape.name);
  return names;
}

}  // namespace syncline::ui
