package io.quorate.storage;

import io.quorate.consensus.Telemetry;
import java.nio.file.Path;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What the regions of one storage share.
 *
 * @param appliers the threads that apply. Each region has at most one task there, so that the
 *     number of regions bounds their queue.
 * @param staging where snapshots are kept while they are installed
 */
record StorageParts(
    Database database,
    MetaRows meta,
    UseGate gate,
    ScheduledExecutorService appliers,
    Flusher flusher,
    FailureReport failures,
    StorageOptions options,
    Telemetry telemetry,
    Path staging) {}
