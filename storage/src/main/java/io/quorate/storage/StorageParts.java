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
 * @param sessionWindow answers kept for one client at most, {@link
 *     io.quorate.operation.RequestTag#WINDOW} but in tests; a request beyond them is refused until
 *     the client raises its floor
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
    Path staging,
    int sessionWindow) {}
