package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayDeque;
import java.util.List;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Owned slots (PROTOCOLS 2, O1 to O6): a slot is for a batch of its owner or null, so replicas
 * cannot disagree about which batch is next, and any number of slots runs at once.
 */
final class OwnedChooser implements Chooser {
  /** How often a body is asked for before its slot is given up. */
  private static final int FETCHES_MAX = 3;

  private record GivenUp(Slot slot, Lsn after) {}

  private final Context context;
  private final Agreement agreement;
  private final Execution execution;
  private final Submissions submissions;
  private final SlotReservation reservation;

  /** Own batches in undecided slots. */
  private final TreeMap<Long, Batch> inFlight = new TreeMap<>();

  private long inFlightBytes;

  /** No own slot from here on has been used or given up. */
  private long unused;

  /** Own slots from here to before {@link #lostEnd} may have been used by an earlier run. */
  private long lost;

  private long lostEnd;

  /** Up to where slots of suspected owners have been given up. */
  private long covered;

  /** What has been given up and not yet said, or null. */
  private Message.Skip skip;

  /** Own slots given up whose reservation is not durable yet: not decided, even here (P0). */
  private final ArrayDeque<GivenUp> givenUp = new ArrayDeque<>();

  OwnedChooser(
      Context context,
      Agreement agreement,
      Execution execution,
      Submissions submissions,
      SlotReservation reservation) {
    this.context = context;
    this.agreement = agreement;
    this.execution = execution;
    this.submissions = submissions;
    this.reservation = reservation;
  }

  @Override
  public boolean takesShortcuts() {
    return true;
  }

  @Override
  public void start(long reservedEnd) {
    lost = execution.delivered() + 1;
    unused = Math.max(lost, context.rules.firstUnused(reservedEnd, execution.delivered()));
    lostEnd = unused;
  }

  @Override
  public void advance() {
    decideGivenUp();
    abstainFromLost();
    issue();
    skipBehind();
    giveUpSuspected();
    if (skip != null) {
      sendSkip();
    }
  }

  /** O4: what an earlier run may have begun is settled by ordinary consensus, never by a skip. */
  private void abstainFromLost() {
    boolean wanted = !submissions.isEmpty();
    while (lost < lostEnd
        && context.window.accepts(lost)
        && (wanted || lost <= agreement.frontier())) {
      if (owns(lost)) {
        Slot slot = agreement.open(lost);
        if (!slot.isDecided() && !slot.hasProposed()) {
          if (!agreement.maySpeakIn(slot)) {
            return;
          }
          agreement.propose(slot, null);
        }
      }
      lost++;
    }
    lost = Math.max(lost, execution.delivered() + 1);
  }

  /** O1: the next batch into the next own slot, while few enough are under way. */
  private void issue() {
    Settings.Bounds bounds = context.settings.bounds();
    while (!submissions.isEmpty()
        && inFlight.size() < bounds.inFlight()
        && inFlightBytes < bounds.inFlightBytes()) {
      long index = nextOwn();
      if (index < 0 || !agreement.maySpeakIn(agreement.open(index))) {
        return;
      }
      Slot slot = agreement.open(index);
      if (slot.hasAbstention()) {
        // A member has given the slot up: a batch would only lose it.
        giveUp(slot);
      } else {
        issue(slot, submissions.next());
      }
    }
  }

  private void issue(Slot slot, Batch batch) {
    reservation.cover(slot.index());
    unused = slot.index() + 1;
    inFlight.put(slot.index(), batch);
    inFlightBytes += batch.size();
    // The content need not wait for the proposal's record, only for the reservation.
    context.journal.send(
        slot.roster().others(),
        new Message.Content(slot.at(), batch),
        reservation.reservationOf(slot.index()));
    agreement.propose(slot, batch);
  }

  /** The first own slot of the window that is free for use, or -1. */
  private long nextOwn() {
    unused = Math.max(unused, execution.delivered() + 1);
    for (long index = unused; context.window.accepts(index); index++) {
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
    return context.membership.at(index).configuration().owner(index);
  }

  /** O3: with nothing to issue, own slots below those in use are given up. */
  private void skipBehind() {
    long index = nextOwn();
    while (index >= 0 && index <= agreement.frontier()) {
      Slot slot = agreement.open(index);
      if (!agreement.maySpeakIn(slot)) {
        return;
      }
      giveUp(slot);
      index = nextOwn();
    }
  }

  private void giveUp(Slot slot) {
    reservation.cover(slot.index());
    unused = slot.index() + 1;
    extendSkip(slot.at());
    givenUp.add(new GivenUp(slot, reservation.reservationOf(slot.index())));
    decideGivenUp();
  }

  private void decideGivenUp() {
    while (!givenUp.isEmpty() && context.journal.isDurable(givenUp.peek().after())) {
      Slot slot = givenUp.poll().slot();
      if (context.window.get(slot.index()) == slot && !slot.isDecided()) {
        agreement.decide(slot, BatchId.NONE, Slot.Way.SKIP);
      }
    }
  }

  private void extendSkip(Position at) {
    if (skip != null && isContinued(skip, at)) {
      skip = new Message.Skip(skip.from(), at.index());
      return;
    }
    if (skip != null) {
      sendSkip();
    }
    skip = new Message.Skip(at, at.index());
  }

  private void sendSkip() {
    Lsn reserved = reservation.reservationOf(skip.to());
    context.journal.send(context.membership.others(), skip, reserved);
    skip = null;
  }

  /** Whether every own slot between the skip's end and this one is skipped as well. */
  private boolean isContinued(Message.Skip skipped, Position at) {
    int members = context.membership.at(at.index()).configuration().size();
    return skipped.from().epoch() == at.epoch() && at.index() - skipped.to() == members;
  }

  /** O2. The skip of O3 leaves at the end of the step: it waits for no record of this slot. */
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
    // Own batches are among the bodies of their slots.
    return null;
  }

  @Override
  public void request(Batch batch) {
    // A batch comes with its slot here.
  }

  @Override
  public void proposed(Slot slot, NodeId from, BatchId id) {
    boolean byOwner = from.equals(ownerOf(slot.index()));
    if (id.isNone() && byOwner && agreement.canPropose(slot) && !owns(slot.index())) {
      // The owner has lost the slot: no content will come.
      agreement.propose(slot, null);
    }
  }

  @Override
  public void received(NodeId from, Message.OfSlot message) {
    boolean settles = message instanceof Message.Content || message instanceof Message.Proposal;
    settles &= message.at().index() > execution.executed().index();
    if (settles && from.equals(ownerOf(message.at().index()))) {
      context.failureDetector.settles(from, context.now);
    }
  }

  @Override
  public void skipped(NodeId from, Message.Skip skipped) {
    if (skipped.to() > execution.executed().index()) {
      context.failureDetector.settles(from, context.now);
    }
    long first = Math.max(skipped.from().index(), execution.delivered() + 1);
    for (long index = first; index <= skipped.to() && context.window.accepts(index); index++) {
      if (ownerOf(index).equals(from)) {
        Slot slot = agreement.open(index);
        if (!slot.isDecided() && slot.at().epoch() == skipped.from().epoch()) {
          agreement.decide(slot, BatchId.NONE, Slot.Way.SKIP);
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
        again(own);
      }
    }
  }

  /** O5: the owner issues again what lost its slot (D1). */
  private void again(Batch own) {
    if (!execution.hasExecuted(own.id()) && !inFlight.containsValue(own)) {
      submissions.again(own);
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
    var jumped = inFlight.headMap(execution.delivered(), true);
    List<Batch> batches = List.copyOf(jumped.values());
    jumped.clear();
    for (Batch batch : batches) {
      inFlightBytes -= batch.size();
      if (execution.hasExecuted(batch.id())) {
        context.journal.emit(new Effect.Overtaken(batch.id()));
      } else {
        again(batch);
      }
    }
  }

  @Override
  public void repeat(Slot slot, List<NodeId> to) {
    Batch own = inFlight.get(slot.index());
    if (own == null) {
      return;
    }
    List<NodeId> without =
        to.stream()
            .filter(n -> slot.proposalOf(slot.roster().configuration().indexOf(n)) == null)
            .toList();
    context.journal.send(
        without, new Message.Content(slot.at(), own), reservation.reservationOf(slot.index()));
  }

  /** O5. */
  @Override
  public void tick() {
    for (long index = execution.delivered() + 1; index <= agreement.frontier(); index++) {
      Slot slot = agreement.open(index);
      if (owns(index) || !agreement.canPropose(slot)) {
        continue;
      }
      NodeId owner = ownerOf(index);
      context.failureDetector.expect(owner, slot.openedAt, context.now);
      if (isGivenUp(slot, owner)
          || (context.now - slot.openedAt >= context.settings.timing().contentWait()
              && slot.hasAbstention())) {
        fetchOrAbstain(slot, true);
      } else if (context.bodyFetcher.isContentOverdue(slot)) {
        fetchOrAbstain(slot, false);
      }
    }
    covered = agreement.frontier();
  }

  /**
   * Whether a slot is open because its owner does not settle it. What others have executed is
   * decided, and catching up brings it at less cost, unless that takes very long.
   */
  private boolean isGivenUp(Slot slot, NodeId owner) {
    return context.failureDetector.isSuspected(owner)
        && (slot.index() > context.peers.highest()
            || context.failureDetector.isOverdue(slot.openedAt, context.now));
  }

  /** What a suspected owner leaves open is given up as soon as slots beyond it are used. */
  private void giveUpSuspected() {
    covered = Math.max(covered, execution.delivered());
    for (; covered < agreement.frontier(); covered++) {
      Slot slot = agreement.open(covered + 1);
      if (isGivenUp(slot, ownerOf(slot.index())) && agreement.canPropose(slot)) {
        fetchOrAbstain(slot, true);
      }
    }
  }

  /**
   * A batch that some member has proposed can still win: better to get it than to give it up. One
   * fetch of a slot is outstanding at a time.
   */
  private void fetchOrAbstain(Slot slot, boolean mayAbstain) {
    if (context.bodyFetcher.isOutstanding(slot)) {
      return;
    }
    OptionalInt source = sourceOf(slot, mayAbstain);
    if (source.isPresent() && !(mayAbstain && slot.fetches >= FETCHES_MAX)) {
      int member = source.getAsInt();
      context.bodyFetcher.fetch(slot, slot.roster().node(member), slot.proposalOf(member));
    } else if (mayAbstain) {
      agreement.propose(slot, null);
    }
  }

  /**
   * Who is to send a body. The owner's content precedes its proposal on the same link, so that a
   * fetch from it gains nothing unless the content is lost.
   */
  private OptionalInt sourceOf(Slot slot, boolean ownerToo) {
    int owner = slot.roster().configuration().indexOf(ownerOf(slot.index()));
    int members = slot.roster().configuration().size();
    for (int i = 0; i < members; i++) {
      int member = (slot.fetches + i) % members;
      if (member != owner && slot.hasBodyAt(member)) {
        return OptionalInt.of(member);
      }
    }
    boolean lost = ownerToo || context.failureDetector.isOverdue(slot.openedAt, context.now);
    return lost && slot.hasBodyAt(owner) ? OptionalInt.of(owner) : OptionalInt.empty();
  }
}
