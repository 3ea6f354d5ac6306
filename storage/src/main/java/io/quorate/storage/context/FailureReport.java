package io.quorate.storage.context;

import io.quorate.model.GroupId;
import io.quorate.storage.options.StorageFailure;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.rocks.DatabaseException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks which regions, and whether flushes and bodies, currently fail; reports changes to the
 * listener. Any thread.
 */
public final class FailureReport {
  private static final Logger LOG = LoggerFactory.getLogger(FailureReport.class);

  private final StorageListener listener;
  private final Map<Optional<GroupId>, StorageFailure> current = new ConcurrentHashMap<>();

  /** Does not end before the next start. */
  private volatile Optional<StorageFailure> bodies = Optional.empty();

  /** Does not end before the next start either: the files stay as they are. */
  private final AtomicReference<StorageFailure> damage = new AtomicReference<>();

  public FailureReport(StorageListener listener) {
    this.listener = listener;
  }

  /**
   * @param region the region whose commands could not be applied; empty if a flush failed
   */
  public void failed(Optional<GroupId> region, Throwable cause) {
    StorageFailure failure =
        new StorageFailure(region, kind(cause), String.valueOf(cause.getMessage()));
    StorageFailure before = current.put(region, failure);
    if (before == null || before.kind() != failure.kind()) {
      LOG.error(
          "{} cannot be written to disk; committed commands are kept and retried",
          region.map(id -> "Region " + id).orElse("The applied state"),
          cause);
      listener.failed(failure);
      if (isDamage(cause)) {
        listener.damaged(failure);
      }
    }
  }

  private static boolean isDamage(Throwable cause) {
    return cause instanceof DatabaseException failure
        && failure.kind() == StorageFailure.Kind.CORRUPTION;
  }

  /** Reports that no body is written any more, because an fsync failed. */
  public void bodiesFailed(IOException cause) {
    StorageFailure failure =
        new StorageFailure(
            Optional.empty(),
            StorageFailure.Kind.IO,
            "Bodies of large values are not written until this node is restarted: "
                + cause.getMessage());
    bodies = Optional.of(failure);
    listener.failed(failure);
    listener.bodiesFailed(cause);
  }

  /**
   * Reports that rows could not be read. Damaged files are a failure that does not end; nothing
   * else is one.
   */
  public void unreadable(GroupId region, IOException cause) {
    if (isDamage(cause)) {
      String what =
          "Rows of region " + region + " cannot be read: files of the database are damaged";
      if (damaged(Optional.of(region), what, cause)) {
        LOG.error("{}", what, cause);
      }
    }
  }

  /** Reports that a file of the database is damaged, which no reader may have met yet. */
  public void damaged(Path file, DatabaseException cause) {
    LOG.error("The file {} of the database is damaged reason={}", file, cause.getMessage());
    damaged(Optional.empty(), "Files of the database are damaged", cause);
  }

  /** Whether it is the first damage. */
  private boolean damaged(Optional<GroupId> region, String what, IOException cause) {
    StorageFailure failure =
        new StorageFailure(
            region, StorageFailure.Kind.CORRUPTION, what + ": " + cause.getMessage());
    boolean isFirst = damage.compareAndSet(null, failure);
    if (isFirst) {
      listener.failed(failure);
      listener.damaged(failure);
    }
    return isFirst;
  }

  /** Ends the failure of a region, or of flushes if empty; nothing if there is none. */
  public void succeeded(Optional<GroupId> region) {
    // Called for every batch; the map is empty in the normal case.
    if (!current.isEmpty() && current.remove(region) != null) {
      LOG.info(
          "{} can be written to disk again",
          region.map(id -> "Region " + id).orElse("The applied state"));
      listener.recovered(region);
    }
  }

  /** The failures that have not ended. */
  public List<StorageFailure> current() {
    return Stream.of(current.values().stream(), bodies.stream(), Stream.ofNullable(damage.get()))
        .flatMap(failures -> failures)
        .toList();
  }

  private static StorageFailure.Kind kind(Throwable cause) {
    if (cause instanceof DatabaseException failure) {
      return failure.kind();
    }
    return cause instanceof IOException || cause instanceof UncheckedIOException
        ? StorageFailure.Kind.CORRUPTION
        : StorageFailure.Kind.INTERNAL;
  }
}
