package io.quorate.client;

import io.quorate.common.Budget;
import java.util.Iterator;
import java.util.LinkedHashSet;

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

  private final Budget inFlight;

  /** The calls in flight and those that wait. */
  private final Budget entered;

  private final LinkedHashSet<Candidate> waiting = new LinkedHashSet<>();

  FlowController(int callsMax, long bytesMax, int waitingCallsMax, long waitingBytesMax) {
    this.inFlight = new Budget(callsMax, bytesMax);
    this.entered =
        new Budget(
            callsMax + waitingCallsMax,
            bytesMax > Long.MAX_VALUE - waitingBytesMax
                ? Long.MAX_VALUE
                : bytesMax + waitingBytesMax);
  }

  /**
   * Reserves capacity for a call in flight or waiting, if there is any; {@link #exit} releases it.
   *
   * @param costBytes at most the bound on bytes in flight
   */
  boolean tryEnter(long costBytes) {
    return entered.tryAcquire(costBytes);
  }

  /** Releases the capacity that {@link #tryEnter} reserved. May be called by any thread. */
  void exit(long costBytes) {
    entered.release(costBytes);
  }

  /**
   * Requests admission for a candidate that has entered. Returns whether it is admitted
   * immediately; otherwise it waits.
   */
  boolean admit(Candidate candidate) {
    if (waiting.isEmpty() && inFlight.tryAcquire(candidate.costBytes())) {
      return true;
    }
    waiting.add(candidate);
    return false;
  }

  /** Removes a candidate, admitted or waiting, and admits the waiting ones that fit now. */
  void release(Candidate candidate) {
    if (!waiting.remove(candidate)) {
      inFlight.release(candidate.costBytes());
    }
    exit(candidate.costBytes());
    Iterator<Candidate> queue = waiting.iterator();
    while (queue.hasNext()) {
      Candidate next = queue.next();
      if (!inFlight.tryAcquire(next.costBytes())) {
        return;
      }
      queue.remove();
      next.admitted();
    }
  }

  int calls() {
    return inFlight.requests();
  }

  int waitingCalls() {
    return waiting.size();
  }
}
