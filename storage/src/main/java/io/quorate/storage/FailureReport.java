package io.quorate.storage;

import io.quorate.consensus.GroupId;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which regions, and whether flushes, fail now; tells the listener of changes. Any thread. */
final class FailureReport {
  private static final Logger LOG = LoggerFactory.getLogger(FailureReport.class);

  private final StorageListener listener;
  private final Map<Optional<GroupId>, StorageFailure> present = new ConcurrentHashMap<>();

  FailureReport(StorageListener listener) {
    this.listener = listener;
  }

  /**
   * @param region whose commands could not be applied; empty if a flush failed
   */
  void failed(Optional<GroupId> region, Throwable cause) {
    StorageFailure failure =
        new StorageFailure(region, kind(cause), String.valueOf(cause.getMessage()));
    StorageFailure before = present.put(region, failure);
    if (before == null || before.kind() != failure.kind()) {
      LOG.error(
          "{} cannot be written to disk; what is committed waits and is tried again",
          region.map(id -> "Region " + id).orElse("What was applied"),
          cause);
      listener.failed(failure);
    }
  }

  void succeeded(Optional<GroupId> region) {
    // The usual case, met with every batch, is an empty map.
    if (!present.isEmpty() && present.remove(region) != null) {
      LOG.info(
          "{} can be written to disk again",
          region.map(id -> "Region " + id).orElse("What was applied"));
      listener.recovered(region);
    }
  }

  List<StorageFailure> present() {
    return List.copyOf(present.values());
  }

  private static StorageFailure.Kind kind(Throwable cause) {
    if (cause instanceof DatabaseException failure) {
      return failure.kind();
    }
    return cause instanceof IOException
        ? StorageFailure.Kind.CORRUPTION
        : StorageFailure.Kind.INTERNAL;
  }
}
