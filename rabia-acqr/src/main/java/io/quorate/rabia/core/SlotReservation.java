package io.quorate.rabia.core;

import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.LogRecord;

/**
 * Reserves own slots (O4): before content or a skip of an own slot is sent, the log holds the bound
 * up to which own slots may have been used. Slots are reserved in chunks and ahead of need, so that
 * no message waits for the record.
 *
 * <p>The size of a chunk follows the rate at which slots are used: a chunk lasts for about a
 * second, so that skips are sent immediately even where an fsync takes hundreds of milliseconds.
 * The number of slots that a restarted owner has to resolve by consensus grows with the chunk, and
 * resolving them takes no longer than their use did.
 */
final class SlotReservation {
  private static final long SHORT_NANOS = 1_000_000_000L;
  private static final long LONG_NANOS = 4_000_000_000L;
  private static final int DOUBLINGS_MAX = 5;

  private final Context context;
  private LogRecord.Reservation reservation = new LogRecord.Reservation(-1, 0);
  private Lsn incarnationLsn = Lsn.START;
  private Lsn lastLsn = Lsn.START;
  private long writtenAt;
  private int doublings;

  /** The end of this incarnation's previous reservation, whose record is {@link #earlierLsn}. */
  private long earlierEnd;

  private Lsn earlierLsn = Lsn.START;

  SlotReservation(Context context) {
    this.context = context;
  }

  /** Restores a reservation from the log; the last one counts. */
  void restore(LogRecord.Reservation found) {
    reservation = found;
  }

  /** The current reservation. */
  LogRecord.Reservation current() {
    return reservation;
  }

  /** Begins a new incarnation. */
  void begin() {
    begin(reservation.incarnation() + 1);
  }

  /**
   * Begins a new incarnation. What is sent from now on waits for its record, also in slots that are
   * reserved already.
   */
  void begin(long incarnation) {
    write(incarnation, reservation.end() + chunk());
    incarnationLsn = lastLsn;
    earlierEnd = 0;
  }

  /** Ensures that the slot, and half a chunk beyond it, are reserved. */
  void ensureReserved(long slot) {
    if (slot + chunk() / 2 >= reservation.end()) {
      adapt();
      earlierEnd = reservation.end();
      earlierLsn = lastLsn;
      write(reservation.incarnation(), Math.max(reservation.end(), slot) + chunk());
    }
  }

  /** The record that content or a skip of this slot waits for. */
  Lsn reservationOf(long slot) {
    return slot < earlierEnd ? earlierLsn : lastLsn;
  }

  /** The first record of this incarnation, which all its batches wait for. */
  Lsn incarnationLsn() {
    return incarnationLsn;
  }

  private void adapt() {
    long age = context.now - writtenAt;
    if (age < SHORT_NANOS) {
      doublings = Math.min(DOUBLINGS_MAX, doublings + 1);
    } else if (age > LONG_NANOS) {
      doublings = Math.max(0, doublings - 1);
    }
  }

  private void write(long incarnation, long end) {
    reservation = new LogRecord.Reservation(incarnation, end);
    lastLsn = context.effects.append(reservation);
    writtenAt = context.now;
  }

  /** The size of a chunk, in slots of all owners. */
  private long chunk() {
    long own = (long) context.settings.bounds().chunk() << doublings;
    return own * context.configurations.latest().configuration().size();
  }
}
