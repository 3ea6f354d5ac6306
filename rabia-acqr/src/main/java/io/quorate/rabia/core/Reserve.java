package io.quorate.rabia.core;

import io.quorate.rabia.protocol.LogRecord;

/**
 * O4: before content or a skip of an own slot leaves, the log holds how far own slots may have been
 * used. Reserved in chunks and ahead of need, so that nothing waits for it.
 */
final class Reserve {
  private final Context context;
  private LogRecord.Reservation reservation = new LogRecord.Reservation(-1, 0);
  private Lsn written = Lsn.START;

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
  }

  /** Reserves so that the slot, and half a chunk beyond it, may be used. */
  void cover(long slot) {
    if (slot + chunk() / 2 >= reservation.end()) {
      write(reservation.incarnation(), Math.max(reservation.end(), slot) + chunk());
    }
  }

  /** The record that content and skips wait for. */
  Lsn written() {
    return written;
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
