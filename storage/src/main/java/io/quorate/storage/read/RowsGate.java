package io.quorate.storage.read;

import io.quorate.model.GroupId;
import io.quorate.storage.context.CloseGuard;
import io.quorate.storage.context.FailureReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.locks.StampedLock;

/**
 * Admits readers of a region's rows while these are not replaced. Any thread; readers do not block.
 */
public final class RowsGate {
  /** Why the rows of a region that is not open, or is removed, cannot be read. */
  public static final String NOT_OPEN = "The region is not open.";

  private final CloseGuard closeGuard;
  private final FailureReport failures;
  private final GroupId group;

  /** Shared by reads, which never wait for it; exclusive while an install replaces the rows. */
  private final StampedLock rowsLock = new StampedLock();

  /** Why reads are refused; empty if they are not. Becomes empty under {@link #rowsLock} only. */
  private volatile Optional<String> unreadable = Optional.of(NOT_OPEN);

  /** How often the rows were replaced, or began to be; changes under {@link #rowsLock} only. */
  private volatile long replacements;

  public RowsGate(CloseGuard closeGuard, FailureReport failures, GroupId group) {
    this.closeGuard = closeGuard;
    this.failures = failures;
    this.group = group;
  }

  /** Reads the rows, which are not replaced meanwhile. */
  public interface Reading<T> {
    T read() throws IOException;
  }

  /** Replaces the rows. */
  public interface Replacement {
    /** Returns why the rows cannot be read afterwards; empty if they can. */
    Optional<String> run() throws IOException;
  }

  /**
   * Reads the rows on the calling thread.
   *
   * @throws UncheckedIOException if the read fails, the region is not open, or a snapshot is being
   *     installed
   * @throws IllegalStateException if the storage is closed
   */
  public <T> T reading(Reading<T> reading) {
    closeGuard.enter();
    try {
      return readLocked(reading);
    } catch (IOException e) {
      failures.unreadable(group, e);
      throw new UncheckedIOException(e);
    } finally {
      closeGuard.leave();
    }
  }

  /** Does not wait for an install: that would block a thread that serves other regions as well. */
  private <T> T readLocked(Reading<T> reading) throws IOException {
    requireReadable();
    long stamp = rowsLock.tryReadLock();
    if (stamp == 0) {
      throw new IOException(betweenStatesMessage());
    }
    try {
      requireReadable();
      return reading.read();
    } finally {
      rowsLock.unlockRead(stamp);
    }
  }

  private void requireReadable() throws IOException {
    Optional<String> reason = unreadable;
    if (reason.isPresent()) {
      throw new IOException(reason.get());
    }
  }

  /** Refuses reads that begin from now on, until the rows are replaced. Any thread. */
  public void refuse(String reason) {
    unreadable = Optional.of(reason);
  }

  /** Replaces the rows when no reader is left; a failure leaves them unreadable. Blocks. */
  public void replace(Replacement replacement) throws IOException {
    // First, so that no new read holds up the write lock.
    unreadable = Optional.of(betweenStatesMessage());
    long stamp = rowsLock.writeLock();
    try {
      replacements++;
      unreadable = replacement.run();
    } finally {
      rowsLock.unlockWrite(stamp);
    }
  }

  /** How often the rows were replaced; the same during a reading. */
  public long replacements() {
    return replacements;
  }

  private String betweenStatesMessage() {
    return "Region " + group + " is between two states; it is read once a snapshot is installed.";
  }
}
