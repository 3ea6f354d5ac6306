package io.quorate.replication.log;

import java.util.function.IntSupplier;

/**
 * What all groups of a log share.
 *
 * @param groups the number of groups
 */
record LogContext(
    SharedLogSettings settings,
    SharedLogCounters counters,
    LiveSegments segments,
    SharedLogWriter writer,
    SegmentPurger purger,
    IntSupplier groups) {}
