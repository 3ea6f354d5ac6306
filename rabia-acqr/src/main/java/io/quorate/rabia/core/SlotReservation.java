package io.quorate.rabia.core;

import io.quorate.rabia.protocol.LogRecord;

/**
 * O4: before content or a skip of an own slot leaves, the log holds how far own slots may have been
 * used. Reserved in chunks and ahead of need, so that nothing waits for it.
 *
 * <p>A chunk follows the rate at which slots are used: it lasts for about a second, so that skips
 * leave at once even where an fsync takes hundreds of milliseconds. What a restarted owner has to
 * settle by consensus grows with it, and takes no longer than the slots took to be used.
 */
final class SlotReservation {
  private static final long SHORT_NANOS = 1_000_000_000L;
  private static final long LONG_NANOS = 4_000_000_000L;
  private static final int DOUBLINGS_MAX = 5;

  private final Context context;
  private LogRecord.Reservation reservation = new LogRecord.Reservation(-1, 0);
  private Lsn begun = Lsn.START;
  private Lsn written = Lsn.START;
  private long writtenAt;
  private int doublings;

  /** What this run had reserved before the last reservation, and its record. */
  private long earlierEnd;

  private Lsn earlierWritten = Lsn.START;

  SlotReservation(Context context) {
    this.context = context;
  }

  /** A reservation found in the log; the last one counts. */
  void restore(LogRecord.Reservation found) {
    reservation = found;
  }

  /** The reservation as it stands. */
  LogRecord.Reservation current() {
    return reservation;
  }

  /** Begins a new incarnation. */
  void begin() {
    write(reservation.incarnation() + 1, reservation.end() + chunk());
    begun = written;
  }

  /** Reserves so that the slot, and half a chunk beyond it, may be used. */
  void cover(long slot) {
    if (slot + chunk() / 2 >= reservation.end()) {
      adapt();
      earlierEnd = reservation.end();
      earlierWritten = written;
      write(reservation.incarnation(), Math.max(reservation.end(), slot) + chunk());
    }
  }

  /** The record that content or a skip of this slot waits for. */
  Lsn reservationOf(long slot) {
    return slot < earlierEnd ? earlierWritten : written;
  }

  /** The record that anything of this incarnation waits for. */
  Lsn begun() {
    return begun;
  }

  private void adapt() {
    long lasted = context.now - writtenAt;
    if (lasted < SHORT_NANOS) {
      doublings = Math.min(DOUBLINGS_MAX, doublings + 1);
    } else if (lasted > LONG_NANOS) {
      doublings = Math.max(0, doublings - 1);
    }
  }

  private void write(long incarnation, long end) {
    reservation = new LogRecord.Reservation(incarnation, end);
    written = context.journal.append(reservation);
    writtenAt = context.now;
  }

  /** In slots of all owners. */
  private long chunk() {
    long own = (long) context.settings.bounds().chunk() << doublings;
    return own * context.membership.latest().configuration().size();
  }
}
