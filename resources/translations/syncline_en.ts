<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>syncline::ui::Announcements</name>
    <message numerus="yes">
        <source>%n run(s) have ended</source>
        <translation>
            <numerusform>%n run has ended</numerusform>
            <numerusform>%n runs have ended</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) failed or were lost</source>
        <translation>
            <numerusform>%n run failed or was lost</numerusform>
            <numerusform>%n runs failed or were lost</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>syncline::ui::DetailsStrip</name>
    <message numerus="yes">
        <source>%n more selected</source>
        <translation>
            <numerusform>%n more selected</numerusform>
            <numerusform>%n more selected</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>syncline::ui::DraftsPage</name>
    <message numerus="yes">
        <source>Deleted %n draft(s).</source>
        <translation>
            <numerusform>Deleted %n draft.</numerusform>
            <numerusform>Deleted %n drafts.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>syncline::ui::MainWindow</name>
    <message numerus="yes">
        <source>The workspace is busy: %n change(s) wait. Training goes on.</source>
        <translation>
            <numerusform>The workspace is busy: %n change waits. Training goes on.</numerusform>
            <numerusform>The workspace is busy: %n changes wait. Training goes on.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Syncline ended unexpectedly; %n page(s) were opened again. Runs were not affected.</source>
        <translation>
            <numerusform>Syncline ended unexpectedly; %n page was opened again. Runs were not affected.</numerusform>
            <numerusform>Syncline ended unexpectedly; %n pages were opened again. Runs were not affected.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>syncline::ui::RunsActions</name>
    <message numerus="yes">
        <source>Moved %n run(s) to trash.</source>
        <translation>
            <numerusform>Moved %n run to trash.</numerusform>
            <numerusform>Moved %n runs to trash.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Took %n run(s) out of the archive.</source>
        <translation>
            <numerusform>Took %n run out of the archive.</numerusform>
            <numerusform>Took %n runs out of the archive.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Archived %n run(s).</source>
        <translation>
            <numerusform>Archived %n run.</numerusform>
            <numerusform>Archived %n runs.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Asked %n run(s) for a checkpoint at the next step.</source>
        <translation>
            <numerusform>Asked %n run for a checkpoint at the next step.</numerusform>
            <numerusform>Asked %n runs for a checkpoint at the next step.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Asked for exit records, processes on this computer and heartbeats of %n run(s). %1</source>
        <translation>
            <numerusform>Asked for exit records, processes on this computer and heartbeats of %n run. %1</numerusform>
            <numerusform>Asked for exit records, processes on this computer and heartbeats of %n runs. %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>syncline::ui::RunsModel</name>
    <message numerus="yes">
        <source>%1   %n run(s)</source>
        <translation>
            <numerusform>%1   %n run</numerusform>
            <numerusform>%1   %n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>syncline::ui::RunsPage</name>
    <message numerus="yes">
        <source>No run is in this list. %n run(s) are hidden by it.</source>
        <translation>
            <numerusform>No run is in this list. %n run is hidden by it.</numerusform>
            <numerusform>No run is in this list. %n runs are hidden by it.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>No run is in this list; the trash has %n run(s).</source>
        <translation>
            <numerusform>No run is in this list; the trash has %n run.</numerusform>
            <numerusform>No run is in this list; the trash has %n runs.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) will be deleted for good at a later start, after %1 days in the trash: %2.</source>
        <translation>
            <numerusform>%n run will be deleted for good at a later start, after %1 days in the trash: %2.</numerusform>
            <numerusform>%n runs will be deleted for good at a later start, after %1 days in the trash: %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Deleted %n run(s) that had been in the trash for more than %1 days.</source>
        <translation>
            <numerusform>Deleted %n run that had been in the trash for more than %1 days.</numerusform>
            <numerusform>Deleted %n runs that had been in the trash for more than %1 days.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>syncline::ui::SeriesChart</name>
    <message numerus="yes">
        <source>%1, %n curve(s), x %2 %3 to %4</source>
        <translation>
            <numerusform>%1, %n curve, x %2 %3 to %4</numerusform>
            <numerusform>%1, %n curves, x %2 %3 to %4</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>syncline::ui::SplitChart</name>
    <message numerus="yes">
        <source>%1, %n bar(s)</source>
        <translation>
            <numerusform>%1, %n bar</numerusform>
            <numerusform>%1, %n bars</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>syncline::ui::StatusFields</name>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n problem</numerusform>
            <numerusform>%n problems</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n background job(s)</source>
        <translation>
            <numerusform>%n background job</numerusform>
            <numerusform>%n background jobs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>syncline::ui::TrashDialog</name>
    <message numerus="yes">
        <source>Delete %n run(s) with everything recorded of them, checkpoints included?</source>
        <translation>
            <numerusform>Delete %n run with everything recorded of it, checkpoints included?</numerusform>
            <numerusform>Delete %n runs with everything recorded of them, checkpoints included?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>After %n day(s) here runs are named in a message and then deleted for good.</source>
        <translation>
            <numerusform>After %n day here runs are named in a message and then deleted for good.</numerusform>
            <numerusform>After %n days here runs are named in a message and then deleted for good.</numerusform>
        </translation>
    </message>
</context>
</TS>
