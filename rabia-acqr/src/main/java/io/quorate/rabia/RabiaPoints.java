package io.quorate.rabia;

import io.quorate.failpoint.Failpoint;

/** Where tests make a replica fail; the subject is the {@code LogIdentity} of its log. */
public final class RabiaPoints {
  /** A group of records is encoded, and nothing of it is in the file. */
  public static final Failpoint BEFORE_WRITE = Failpoint.named("rabia.log.before-write");

  /** The operating system has it, the disk may not. */
  public static final Failpoint AFTER_WRITE = Failpoint.named("rabia.log.after-write");

  public static final Failpoint BEFORE_SYNC = Failpoint.named("rabia.log.before-sync");

  /** Records are durable, and nobody knows. */
  public static final Failpoint AFTER_SYNC = Failpoint.named("rabia.log.after-sync");

  /** A segment is full and durable, and the next one does not exist. */
  public static final Failpoint BEFORE_ROLL = Failpoint.named("rabia.log.before-roll");

  /** The next segment exists, and holds no record. */
  public static final Failpoint AFTER_ROLL = Failpoint.named("rabia.log.after-roll");

  /** A segment is not needed any more; reached for each one. */
  public static final Failpoint BEFORE_DELETE = Failpoint.named("rabia.log.before-delete");

  /** It is gone, perhaps not durably. */
  public static final Failpoint AFTER_DELETE = Failpoint.named("rabia.log.after-delete");

  private RabiaPoints() {}
}
