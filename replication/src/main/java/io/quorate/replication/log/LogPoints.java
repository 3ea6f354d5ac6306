package io.quorate.replication.log;

import io.quorate.common.Failpoint;

/**
 * Failpoints in the log of a node. The subject is the {@code SegmentStart} of the segment that is
 * written, or the number of the one that is deleted.
 */
public final class LogPoints {
  /** Records are encoded; none of their bytes is in the file. */
  public static final Failpoint BEFORE_WRITE = Failpoint.named("log.before-write");

  /** The operating system has the records; the disk may not have them. */
  public static final Failpoint AFTER_WRITE = Failpoint.named("log.after-write");

  public static final Failpoint BEFORE_SYNC = Failpoint.named("log.before-sync");

  /** Records are durable; the file outside of the directory does not state it. */
  public static final Failpoint AFTER_SYNC = Failpoint.named("log.after-sync");

  /** That is stated, and nobody was told that they are durable. */
  public static final Failpoint BEFORE_COMPLETION = Failpoint.named("log.before-completion");

  /** A segment is full and durable; the next one does not exist. */
  public static final Failpoint BEFORE_ROLL = Failpoint.named("log.before-roll");

  /** The next segment exists; the file outside of the directory does not name it. */
  public static final Failpoint CREATED = Failpoint.named("log.segment-created");

  /** A segment is about to be deleted; that this may be is durable. */
  public static final Failpoint BEFORE_DELETE = Failpoint.named("log.before-delete");

  /** The segment is deleted durably. */
  public static final Failpoint AFTER_DELETE = Failpoint.named("log.after-delete");

  private LogPoints() {}
}
