package io.quorate.client;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds what a client works on, in calls and in bytes, and what waits for its turn, likewise.
 * Turns come in the order in which they were asked for.
 *
 * <p>{@link #tryEnter} may be called by any thread, and so refuses before anything is queued; the
 * rest is for the event loop.
 */
final class Admission {

  /** What asks for a turn. */
  interface Applicant {
    /** How much of the bounds in bytes it takes; the same number at every call. */
    long costBytes();

    /** Its turn has come, after having waited. Must not call the admission back. */
    void admitted();
  }

  private final int callsMax;
  private final long bytesMax;
  private final int enteredCallsMax;
  private final long enteredBytesMax;
  private final AtomicInteger enteredCalls = new AtomicInteger();
  private final AtomicLong enteredBytes = new AtomicLong();
  private final LinkedHashSet<Applicant> waiting = new LinkedHashSet<>();
  private int calls;
  private long bytes;

  Admission(int callsMax, long bytesMax, int waitingCallsMax, long waitingBytesMax) {
    this.callsMax = callsMax;
    this.bytesMax = bytesMax;
    this.enteredCallsMax = callsMax + waitingCallsMax;
    this.enteredBytesMax =
        bytesMax > Long.MAX_VALUE - waitingBytesMax ? Long.MAX_VALUE : bytesMax + waitingBytesMax;
  }

  /**
   * Takes a place among those that work or wait, if there is one. {@link #exit} gives it back.
   *
   * @param costBytes no more than the bound on bytes in flight
   */
  boolean tryEnter(long costBytes) {
    int callsNow = enteredCalls.incrementAndGet();
    long bytesNow = enteredBytes.addAndGet(costBytes);
    if (callsNow <= enteredCallsMax && bytesNow <= enteredBytesMax) {
      return true;
    }
    exit(costBytes);
    return false;
  }

  /** Gives the place of one that entered back. Any thread. */
  void exit(long costBytes) {
    enteredCalls.decrementAndGet();
    enteredBytes.addAndGet(-costBytes);
  }

  /** Asks for a turn for one that entered: whether it is given at once. Otherwise it waits. */
  boolean apply(Applicant applicant) {
    if (waiting.isEmpty() && fits(applicant)) {
      take(applicant);
      return true;
    }
    waiting.add(applicant);
    return false;
  }

  /** Gives the turn back, or the place in the queue, and lets those in who fit now. */
  void leave(Applicant applicant) {
    if (!waiting.remove(applicant)) {
      calls--;
      bytes -= applicant.costBytes();
    }
    exit(applicant.costBytes());
    Iterator<Applicant> queue = waiting.iterator();
    while (queue.hasNext()) {
      Applicant next = queue.next();
      if (!fits(next)) {
        return;
      }
      queue.remove();
      take(next);
      next.admitted();
    }
  }

  int calls() {
    return calls;
  }

  int waitingCalls() {
    return waiting.size();
  }

  private boolean fits(Applicant applicant) {
    return calls < callsMax && bytes + applicant.costBytes() <= bytesMax;
  }

  private void take(Applicant applicant) {
    calls++;
    bytes += applicant.costBytes();
  }
}
