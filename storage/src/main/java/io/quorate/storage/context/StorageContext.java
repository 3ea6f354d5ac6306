package io.quorate.storage.context;

import io.quorate.consensus.MetricsSink;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.MetaRows;
import java.nio.file.Path;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Objects that the regions of one storage share.
 *
 * @param appliers the threads that apply. Each region has at most one task there, so that the
 *     number of regions bounds their queue.
 * @param ranges the ranges of the regions on this node
 * @param listener notified of children that begin
 * @param staging directory of snapshots that are being installed
 * @param sessionWindow maximum number of results stored for one client, {@link
 *     io.quorate.protocol.operation.RequestId#WINDOW} except in tests; a request beyond it is
 *     refused until the client raises its floor
 */
public record StorageContext(
    Database database,
    MetaRows meta,
    CloseGuard closeGuard,
    ScheduledExecutorService appliers,
    Flusher flusher,
    FailureReport failures,
    StorageOptions options,
    MetricsSink telemetry,
    LocalRanges ranges,
    StorageListener listener,
    Path staging,
    int sessionWindow) {}
