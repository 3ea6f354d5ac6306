package io.quorate.client;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Admission control of one client: bounds the number and bytes of the calls in flight and of the
 * calls that wait for admission. Calls are admitted in the order in which they requested it.
 *
 * <p>{@link #tryEnter} and {@link #exit} may be called by any thread, so that a call is rejected
 * before it is queued; the other methods are used by the event loop only.
 */
final class FlowController {

  /** A call that requests admission. */
  interface Candidate {
    /** The number of bytes that count against the bounds; the same at every invocation. */
    long costBytes();

    /**
     * Called when the candidate is admitted after it has waited. Must not call the flow controller.
     */
    void admitted();
  }

  private final int callsMax;
  private final long bytesMax;
  private final int enteredCallsMax;
  private final long enteredBytesMax;
  private final AtomicInteger enteredCalls = new AtomicInteger();
  private final AtomicLong enteredBytes = new AtomicLong();
  private final LinkedHashSet<Candidate> waiting = new LinkedHashSet<>();
  private int calls;
  private long bytes;

  FlowController(int callsMax, long bytesMax, int waitingCallsMax, long waitingBytesMax) {
    this.callsMax = callsMax;
    this.bytesMax = bytesMax;
    this.enteredCallsMax = callsMax + waitingCallsMax;
    this.enteredBytesMax =
        bytesMax > Long.MAX_VALUE - waitingBytesMax ? Long.MAX_VALUE : bytesMax + waitingBytesMax;
  }

  /**
   * Reserves capacity for a call in flight or waiting, if there is any; {@link #exit} releases it.
   *
   * @param costBytes at most the bound on bytes in flight
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

  /** Releases the capacity that {@link #tryEnter} reserved. May be called by any thread. */
  void exit(long costBytes) {
    enteredCalls.decrementAndGet();
    enteredBytes.addAndGet(-costBytes);
  }

  /**
   * Requests admission for a candidate that has entered. Returns whether it is admitted
   * immediately; otherwise it waits.
   */
  boolean admit(Candidate candidate) {
    if (waiting.isEmpty() && fits(candidate)) {
      take(candidate);
      return true;
    }
    waiting.add(candidate);
    return false;
  }

  /** Removes a candidate, admitted or waiting, and admits the waiting ones that fit now. */
  void release(Candidate candidate) {
    if (!waiting.remove(candidate)) {
      calls--;
      bytes -= candidate.costBytes();
    }
    exit(candidate.costBytes());
    Iterator<Candidate> queue = waiting.iterator();
    while (queue.hasNext()) {
      Candidate next = queue.next();
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

  private boolean fits(Candidate candidate) {
    return calls < callsMax && bytes + candidate.costBytes() <= bytesMax;
  }

  private void take(Candidate candidate) {
    calls++;
    bytes += candidate.costBytes();
  }
}
