package io.quorate.rabia.core;

import io.quorate.rabia.protocol.LogRecord;

/**
 * O4: before content or a skip of an own slot leaves, the log holds how far own slots may have been
 * used. Reserved in chunks and ahead of need, so that nothing waits for it.
 */
final class Reserve {
  private final Context context;
  private LogRecord.Reservation reservation = new LogRecord.Reservation(-1, 0);
  private Lsn begun = Lsn.START;
  private Lsn written = Lsn.START;

  /** What this run had reserved before the last reservation, and its record. */
  private long earlierEnd;

  private Lsn earlierWritten = Lsn.START;

  Reserve(Context context) {
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

  private void write(long incarnation, long end) {
    reservation = new LogRecord.Reservation(incarnation, end);
    written = context.journal.append(reservation);
  }

  private long chunk() {
    return (long) context.settings.bounds().chunk()
        * context.membership.latest().configuration().size();
  }
}
