package io.quorate.client.internal.call;

import io.quorate.client.Admission;
import io.quorate.client.ClientOptions;
import io.quorate.common.Budget;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Admission control of one client: bounds the number and bytes of the calls in flight and of the
 * calls that wait for admission. Calls are admitted in the order in which they requested it, except
 * that reads have a reserve of their own beyond both bounds, so that they pass a load of writes.
 *
 * <p>{@link #tryEnter}, {@link #enterWithin} and {@link #exit} may be called by any thread, so that
 * a call is rejected before it is queued; the other methods are used by the event loop only.
 */
final class FlowController {
  /** The part of the bounds that reads have in addition; rounded down. */
  static final int RESERVE_DIVISOR = 8;

  /** By how much more calls may wait with {@link Admission#WAIT}. */
  private static final int PATIENT_CALLS_FACTOR = 8;

  /**
   * What a call needs.
   *
   * @param waitingBytes those that it holds while it waits, at most {@code bytes}: of a scan its
   *     request alone
   * @param bytes those that it may hold while it is in flight, at most the bound on them
   */
  record Demand(long waitingBytes, long bytes, boolean read) {
    Demand(long bytes, boolean read) {
      this(bytes, bytes, read);
    }
  }

  /** A call that requests admission. */
  interface Candidate {
    /** With which the call has entered; the same at every invocation. */
    Ticket ticket();

    /**
     * Called when the candidate is admitted after it has waited. Must not call the flow controller.
     */
    void admitted();
  }

  /** The place of one call, from its entry on. */
  static final class Ticket {
    private final Demand demand;
    private final Budget entered;

    /** 0 of a call that has entered beyond the bounds. */
    private final int enteredCalls;

    // Null before the call is in flight.
    private Budget inFlight;

    private Ticket(Demand demand, Budget entered, int enteredCalls) {
      this.demand = demand;
      this.entered = entered;
      this.enteredCalls = enteredCalls;
    }

    private long enteredBytes() {
      return inFlight == null ? demand.waitingBytes() : demand.bytes();
    }
  }

  private final Budget inFlight;
  private final Budget readsInFlight;

  /** The calls in flight and those that wait. */
  private final Budget entered;

  private final Budget readsEntered;

  private final LinkedHashSet<Candidate> waiting = new LinkedHashSet<>();

  /** Those of the waiting calls that are reads. */
  private final LinkedHashSet<Candidate> waitingReads = new LinkedHashSet<>();

  /** Threads that wait for room to enter, in their order. */
  private final Queue<Thread> blocked = new ConcurrentLinkedQueue<>();

  FlowController(int callsMax, long bytesMax, int waitingCallsMax, long waitingBytesMax) {
    this.inFlight = new Budget(callsMax, bytesMax);
    this.readsInFlight = reserve(callsMax, bytesMax);
    int enteredMax = callsMax + waitingCallsMax;
    long enteredBytesMax =
        bytesMax > Long.MAX_VALUE - waitingBytesMax ? Long.MAX_VALUE : bytesMax + waitingBytesMax;
    this.entered = new Budget(enteredMax, enteredBytesMax);
    this.readsEntered = reserve(enteredMax, enteredBytesMax);
  }

  static FlowController of(ClientOptions options) {
    return new FlowController(
        options.inFlightRequestsMax(),
        options.inFlightBytesMax(),
        waitingCallsMax(options),
        options.waitingBytesMax());
  }

  static int waitingCallsMax(ClientOptions options) {
    return options.waitingRequestsMax()
        * (options.admission() == Admission.WAIT ? PATIENT_CALLS_FACTOR : 1);
  }

  private static Budget reserve(int callsMax, long bytesMax) {
    return new Budget(callsMax / RESERVE_DIVISOR, bytesMax / RESERVE_DIVISOR);
  }

  /**
   * Reserves capacity for a call in flight or waiting, if there is any; {@link #exit} releases it.
   */
  Optional<Ticket> tryEnter(Demand demand) {
    if (entered.tryAcquire(demand.waitingBytes())) {
      return Optional.of(new Ticket(demand, entered, 1));
    }
    return demand.read() && readsEntered.tryAcquire(demand.waitingBytes())
        ? Optional.of(new Ticket(demand, readsEntered, 1))
        : Optional.empty();
  }

  /**
   * As {@link #tryEnter}, for a call that goes on: with a write for which others may wait, or with
   * a further page for a caller that is blocked. It enters beyond the bounds too, and its bytes
   * count, so that no other call does until there is room.
   */
  Ticket enterAgain(Demand demand) {
    entered.grow(demand.waitingBytes());
    return new Ticket(demand, entered, 0);
  }

  /**
   * As {@link #tryEnter}, but waits for capacity. Blocks; not for the event loop.
   *
   * @return empty if there was none in this time
   */
  Optional<Ticket> enterWithin(Demand demand, long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    Thread current = Thread.currentThread();
    try {
      while (true) {
        blocked.add(current);
        Optional<Ticket> ticket = tryEnter(demand);
        long left = end - System.nanoTime();
        if (ticket.isPresent() || left <= 0) {
          return ticket;
        }
        LockSupport.parkNanos(this, left);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        blocked.remove(current);
      }
    } finally {
      blocked.remove(current);
      // Perhaps this thread was woken for what it does not need.
      wakeNext();
    }
  }

  private void wakeNext() {
    Thread next = blocked.poll();
    if (next != null) {
      LockSupport.unpark(next);
    }
  }

  /** Releases the capacity that {@link #tryEnter} reserved. May be called by any thread. */
  void exit(Ticket ticket) {
    ticket.entered.release(ticket.enteredCalls, ticket.enteredBytes());
    wakeNext();
  }

  /**
   * Requests admission for a candidate that has entered. Returns whether it is admitted
   * immediately; otherwise it waits.
   */
  boolean admit(Candidate candidate) {
    Ticket ticket = candidate.ticket();
    if ((waiting.isEmpty() && tryAdmit(ticket, inFlight))
        || (ticket.demand.read() && waitingReads.isEmpty() && tryAdmit(ticket, readsInFlight))) {
      return true;
    }
    waiting.add(candidate);
    if (ticket.demand.read()) {
      waitingReads.add(candidate);
    }
    return false;
  }

  private static boolean tryAdmit(Ticket ticket, Budget budget) {
    Demand demand = ticket.demand;
    if (!budget.tryAcquire(demand.bytes())) {
      return false;
    }
    ticket.inFlight = budget;
    // What is in flight leaves no room to those that enter later, whatever it needed to wait.
    ticket.entered.grow(demand.bytes() - demand.waitingBytes());
    return true;
  }

  /** Removes a candidate, admitted or waiting, and admits the waiting ones that fit now. */
  void release(Candidate candidate) {
    Ticket ticket = candidate.ticket();
    if (waiting.remove(candidate)) {
      waitingReads.remove(candidate);
    } else {
      ticket.inFlight.release(ticket.demand.bytes());
    }
    exit(ticket);
    admitFirst(waitingReads, readsInFlight);
    admitFirst(waiting, inFlight);
  }

  private void admitFirst(LinkedHashSet<Candidate> queue, Budget budget) {
    while (!queue.isEmpty()) {
      Candidate next = queue.iterator().next();
      if (!tryAdmit(next.ticket(), budget)) {
        return;
      }
      waiting.remove(next);
      waitingReads.remove(next);
      next.admitted();
    }
  }

  /** Those in flight and those that wait. */
  int enteredCalls() {
    return entered.requests() + readsEntered.requests();
  }

  int calls() {
    return inFlight.requests() + readsInFlight.requests();
  }

  int waitingCalls() {
    return waiting.size();
  }
}
