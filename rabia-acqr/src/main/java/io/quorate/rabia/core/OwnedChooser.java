package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayDeque;
import java.util.List;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Owned slots (rules O1 to O6): a slot is for a batch of its owner or null, so that replicas cannot
 * disagree about the next batch, and any number of slots runs at once.
 */
final class OwnedChooser implements Chooser {
  /** How often a body is fetched before this replica proposes ⊥ in the slot. */
  private static final int FETCHES_MAX = 3;

  private record SkippedSlot(Slot slot, Lsn after) {}

  private final Context context;
  private final WeakMvc agreement;
  private final SlotExecutor execution;
  private final ProposalQueue proposalQueue;
  private final SlotReservation reservation;

  /** Own batches in undecided slots. */
  private final TreeMap<Long, Batch> inFlight = new TreeMap<>();

  private long inFlightBytes;

  /** No own slot from this one on has been used or skipped. */
  private long nextUnused;

  /**
   * Own slots from this one to before {@link #lostEnd} may have been used by an earlier
   * incarnation.
   */
  private long lost;

  private long lostEnd;

  /** The slot up to which the open slots of suspected owners have been handled. */
  private long abstainedThrough;

  /** The skipped slots that no SKIP has been sent for yet, or null. */
  private Message.Skip pendingSkip;

  /**
   * Skipped own slots whose reservation is not durable yet. They are not decided, not even at this
   * replica (P0).
   */
  private final ArrayDeque<SkippedSlot> skippedSlots = new ArrayDeque<>();

  OwnedChooser(
      Context context,
      WeakMvc agreement,
      SlotExecutor execution,
      ProposalQueue proposalQueue,
      SlotReservation reservation) {
    this.context = context;
    this.agreement = agreement;
    this.execution = execution;
    this.proposalQueue = proposalQueue;
    this.reservation = reservation;
  }

  @Override
  public boolean decidesByUnanimity() {
    return true;
  }

  @Override
  public void start(long reservedEnd) {
    lost = execution.delivered() + 1;
    nextUnused = Math.max(lost, context.rules.firstUnused(reservedEnd, execution.delivered()));
    lostEnd = nextUnused;
  }

  @Override
  public void advance() {
    decideSkipped();
    abstainFromLost();
    issue();
    skipBehind();
    abstainForSuspected();
    if (pendingSkip != null) {
      sendPendingSkip();
    }
  }

  /**
   * Proposes ⊥ in the slots that an earlier incarnation may have used. They are decided by ordinary
   * consensus, never by a skip (O4).
   */
  private void abstainFromLost() {
    boolean wanted = !proposalQueue.isEmpty();
    while (lost < lostEnd
        && context.window.accepts(lost)
        && (wanted || lost <= context.window.frontier())) {
      if (owns(lost)) {
        Slot slot = context.window.open(lost, context.now);
        if (!slot.isDecided() && !slot.hasProposed()) {
          if (!agreement.mayParticipateIn(slot)) {
            return;
          }
          agreement.propose(slot, null);
        }
      }
      lost++;
    }
    lost = Math.max(lost, execution.delivered() + 1);
  }

  /**
   * Issues the next batches in the next own slots, while the limits of batches in flight permit
   * (O1).
   */
  private void issue() {
    Settings.Bounds bounds = context.settings.bounds();
    while (!proposalQueue.isEmpty()
        && inFlight.size() < bounds.inFlight()
        && inFlightBytes < bounds.inFlightBytes()) {
      long index = nextOwn();
      if (index < 0 || !agreement.mayParticipateIn(context.window.open(index, context.now))) {
        return;
      }
      Slot slot = context.window.open(index, context.now);
      if (slot.hasAbstention()) {
        // A member has proposed ⊥ in the slot, so that a batch would only lose it.
        skipSlot(slot);
      } else {
        issue(slot, proposalQueue.next());
      }
    }
  }

  private void issue(Slot slot, Batch batch) {
    reservation.ensureReserved(slot.index());
    nextUnused = slot.index() + 1;
    inFlight.put(slot.index(), batch);
    inFlightBytes += batch.size();
    // The content waits only for the reservation, not for the record of the proposal.
    context.effects.send(
        slot.membership().others(),
        new Message.Content(slot.at(), batch),
        reservation.reservationOf(slot.index()));
    agreement.propose(slot, batch);
  }

  /** The first own slot of the window that is free, or -1. */
  private long nextOwn() {
    nextUnused = Math.max(nextUnused, execution.delivered() + 1);
    for (long index = nextUnused; context.window.accepts(index); index++) {
      Slot slot = context.window.get(index);
      boolean free = slot == null || (!slot.isDecided() && !slot.hasProposed());
      if (owns(index) && free) {
        return index;
      }
    }
    return -1;
  }

  private boolean owns(long index) {
    return ownerOf(index).equals(context.self);
  }

  private NodeId ownerOf(long index) {
    return context.configurations.at(index).configuration().owner(index);
  }

  /** Skips the own slots up to the frontier in which no batch was issued (O3). */
  private void skipBehind() {
    long index = nextOwn();
    while (index >= 0 && index <= context.window.frontier()) {
      Slot slot = context.window.open(index, context.now);
      if (!agreement.mayParticipateIn(slot)) {
        return;
      }
      skipSlot(slot);
      index = nextOwn();
    }
  }

  private void skipSlot(Slot slot) {
    reservation.ensureReserved(slot.index());
    nextUnused = slot.index() + 1;
    extendSkip(slot.at());
    skippedSlots.add(new SkippedSlot(slot, reservation.reservationOf(slot.index())));
    decideSkipped();
  }

  private void decideSkipped() {
    while (!skippedSlots.isEmpty() && context.effects.isDurable(skippedSlots.peek().after())) {
      Slot slot = skippedSlots.poll().slot();
      if (context.window.get(slot.index()) == slot && !slot.isDecided()) {
        agreement.decide(slot, BatchId.NONE, Slot.DecisionPath.SKIP);
      }
    }
  }

  private void extendSkip(Position at) {
    if (pendingSkip != null && isContinued(pendingSkip, at)) {
      pendingSkip = new Message.Skip(pendingSkip.from(), at.index());
      return;
    }
    if (pendingSkip != null) {
      sendPendingSkip();
    }
    pendingSkip = new Message.Skip(at, at.index());
  }

  private void sendPendingSkip() {
    Lsn reserved = reservation.reservationOf(pendingSkip.to());
    context.effects.send(context.configurations.others(), pendingSkip, reserved);
    pendingSkip = null;
  }

  /** Whether {@code at} is the first own slot after the end of the skip, in the same epoch. */
  private boolean isContinued(Message.Skip skipped, Position at) {
    int members = context.configurations.at(at.index()).configuration().size();
    return skipped.from().epoch() == at.epoch() && at.index() - skipped.to() == members;
  }

  /**
   * Proposes the batch of the owner (O2). The skip of rule O3 is sent at the end of the step,
   * because it waits for no record of this slot.
   */
  @Override
  public void content(Slot slot, Batch batch) {
    if (!batch.id().origin().equals(ownerOf(slot.index()))) {
      context.counters.conflicts++;
      return;
    }
    if (!context.bodies.put(batch, slot.index(), agreement.isNext(slot))) {
      context.counters.bodiesDropped++;
    } else if (!owns(slot.index()) && agreement.canPropose(slot)) {
      agreement.propose(slot, batch);
    }
  }

  @Override
  public Batch queued(BatchId id) {
    // Own batches are stored among the bodies of their slots.
    return null;
  }

  @Override
  public void request(Batch batch) {
    // With owned slots, a batch arrives with its slot.
  }

  @Override
  public void proposed(Slot slot, NodeId from, BatchId id) {
    boolean byOwner = from.equals(ownerOf(slot.index()));
    if (id.isNone() && byOwner && agreement.canPropose(slot) && !owns(slot.index())) {
      // The owner proposes ⊥ in the slot: no content will arrive.
      agreement.propose(slot, null);
    }
  }

  @Override
  public void received(NodeId from, Message.OfSlot message) {
    boolean isProgress = message instanceof Message.Content || message instanceof Message.Proposal;
    isProgress &= message.at().index() > execution.executed().index();
    if (isProgress && from.equals(ownerOf(message.at().index()))) {
      context.failureDetector.resolved(from, context.now);
    }
  }

  @Override
  public void skipped(NodeId from, Message.Skip skipped) {
    if (skipped.to() > execution.executed().index()) {
      context.failureDetector.resolved(from, context.now);
    }
    long first = Math.max(skipped.from().index(), execution.delivered() + 1);
    for (long index = first; index <= skipped.to() && context.window.accepts(index); index++) {
      if (ownerOf(index).equals(from)) {
        Slot slot = context.window.open(index, context.now);
        if (!slot.isDecided() && slot.at().epoch() == skipped.from().epoch()) {
          agreement.decide(slot, BatchId.NONE, Slot.DecisionPath.SKIP);
        }
      }
    }
  }

  @Override
  public void decided(Slot slot, BatchId id) {
    Batch own = inFlight.remove(slot.index());
    if (own != null) {
      inFlightBytes -= own.size();
      if (!own.id().equals(id)) {
        context.counters.nulledOwn++;
        reissue(own);
      }
    }
  }

  /** Issues an own batch again that lost its slot (O5, D1). */
  private void reissue(Batch own) {
    if (!execution.hasExecuted(own.id()) && !inFlight.containsValue(own)) {
      proposalQueue.requeue(own);
    }
  }

  @Override
  public void restored(Slot slot, Batch batch) {
    if (batch != null && owns(slot.index()) && !slot.isDecided()) {
      inFlight.put(slot.index(), batch);
      inFlightBytes += batch.size();
    }
  }

  @Override
  public void installed() {
    var coveredBySnapshot = inFlight.headMap(execution.delivered(), true);
    List<Batch> batches = List.copyOf(coveredBySnapshot.values());
    coveredBySnapshot.clear();
    for (Batch batch : batches) {
      inFlightBytes -= batch.size();
      if (execution.hasExecuted(batch.id())) {
        context.effects.emit(new Effect.Overtaken(batch.id()));
      } else {
        reissue(batch);
      }
    }
  }

  @Override
  public void resend(Slot slot, List<NodeId> to) {
    Batch own = inFlight.get(slot.index());
    if (own == null) {
      return;
    }
    List<NodeId> lacking =
        to.stream()
            .filter(n -> slot.proposalOf(slot.membership().configuration().indexOf(n)) == null)
            .toList();
    context.effects.send(
        lacking, new Message.Content(slot.at(), own), reservation.reservationOf(slot.index()));
  }

  /** Fetches the bodies of, or proposes ⊥ in, slots that their owners leave open (O5). */
  @Override
  public void tick() {
    for (long index = execution.delivered() + 1; index <= context.window.frontier(); index++) {
      Slot slot = context.window.open(index, context.now);
      if (owns(index) || !agreement.canPropose(slot)) {
        continue;
      }
      NodeId owner = ownerOf(index);
      context.failureDetector.suspectIfOverdue(owner, slot.openedAt, context.now);
      if (isAbandoned(slot, owner)
          || (context.now - slot.openedAt >= context.settings.timing().contentWait()
              && slot.hasAbstention())) {
        fetchOrAbstain(slot, true);
      } else if (context.bodyFetcher.isContentOverdue(slot)) {
        fetchOrAbstain(slot, false);
      }
    }
    abstainedThrough = context.window.frontier();
  }

  /**
   * Whether a slot is open because its owner is suspected. A slot that others have executed is
   * decided, and catch-up resolves it at less cost, unless that takes longer than the longest
   * timeout.
   */
  private boolean isAbandoned(Slot slot, NodeId owner) {
    return context.failureDetector.isSuspected(owner)
        && (slot.index() > context.peers.highest()
            || context.failureDetector.isOverdue(slot.openedAt, context.now));
  }

  /**
   * Fetches or proposes ⊥ for the open slots of a suspected owner as soon as later slots are used.
   */
  private void abstainForSuspected() {
    abstainedThrough = Math.max(abstainedThrough, execution.delivered());
    for (; abstainedThrough < context.window.frontier(); abstainedThrough++) {
      Slot slot = context.window.open(abstainedThrough + 1, context.now);
      if (isAbandoned(slot, ownerOf(slot.index())) && agreement.canPropose(slot)) {
        fetchOrAbstain(slot, true);
      }
    }
  }

  /**
   * Fetches the body of a batch that some member has proposed, because such a batch can still win;
   * proposes ⊥ otherwise, if {@code mayAbstain}. One fetch of a slot is in flight at a time.
   */
  private void fetchOrAbstain(Slot slot, boolean mayAbstain) {
    if (context.bodyFetcher.isOutstanding(slot)) {
      return;
    }
    OptionalInt source = sourceOf(slot, mayAbstain);
    if (source.isPresent() && !(mayAbstain && slot.fetches >= FETCHES_MAX)) {
      int member = source.getAsInt();
      context.bodyFetcher.fetch(slot, slot.membership().node(member), slot.proposalOf(member));
    } else if (mayAbstain) {
      agreement.propose(slot, null);
    }
  }

  /**
   * The member to fetch a body from. The owner's content precedes its proposal on the same link, so
   * that a fetch from the owner gains nothing unless the content is lost.
   */
  private OptionalInt sourceOf(Slot slot, boolean includeOwner) {
    int owner = slot.membership().configuration().indexOf(ownerOf(slot.index()));
    int members = slot.membership().configuration().size();
    for (int i = 0; i < members; i++) {
      int member = (slot.fetches + i) % members;
      if (member != owner && slot.hasBodyAt(member)) {
        return OptionalInt.of(member);
      }
    }
    boolean contentLost =
        includeOwner || context.failureDetector.isOverdue(slot.openedAt, context.now);
    return contentLost && slot.hasBodyAt(owner) ? OptionalInt.of(owner) : OptionalInt.empty();
  }
}
