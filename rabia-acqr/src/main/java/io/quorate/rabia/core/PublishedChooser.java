package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Message;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The chooser of the paper (rules D2, D3): batches go to the queue of every replica, ordered by
 * time. Each replica proposes the head of its queue, one slot at a time, and no slot is decided by
 * unanimity (C7).
 */
final class PublishedChooser implements Chooser {
  private static final int FETCHES_MAX = 3;
  private static final Comparator<Batch> ORDER =
      Comparator.comparingLong(Batch::timestampNanos)
          .thenComparing(batch -> batch.id().origin())
          .thenComparingLong(batch -> batch.id().incarnation())
          .thenComparingLong(batch -> batch.id().sequence());

  /**
   * A batch that is not stored at this replica.
   *
   * @param at the position at which it was proposed
   * @param since when it was missed, or fetched last
   */
  private record Missing(Position at, NodeId proposer, long since, int fetches) {
    Missing(Position at, NodeId proposer, long since) {
      this(at, proposer, since, 0);
    }

    Missing fetchedAgain(long now) {
      return new Missing(at, proposer, now, fetches + 1);
    }
  }

  private final Context context;
  private final WeakMvc agreement;
  private final SlotExecutor execution;
  private final ProposalQueue proposalQueue;
  private final SlotReservation reservation;
  private final TreeSet<Batch> queue = new TreeSet<>(ORDER);
  private final Map<BatchId, Batch> queuedById = new HashMap<>();

  /** Own batches in the queue. */
  private final Set<BatchId> own = new HashSet<>();

  /** Batches that others have proposed and that are missing here. */
  private final Map<BatchId, Missing> missing = new LinkedHashMap<>();

  private long queuedBytes;
  private long resentAt;

  PublishedChooser(
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
    return false;
  }

  @Override
  public void start(long reservedEnd) {
    // Slots have no owners.
  }

  @Override
  public void advance() {
    while (!proposalQueue.isEmpty() && own.size() < context.settings.bounds().inFlight()) {
      if (!context.configurations.latest().includesSelf()) {
        return;
      }
      Batch batch = proposalQueue.next();
      own.add(batch.id());
      enqueue(batch);
      context.effects.send(
          context.configurations.others(),
          new Message.Request(batch),
          reservation.incarnationLsn());
    }
    proposeHead();
  }

  /** Proposes the head of the queue in the first undecided slot. One slot runs at a time. */
  private void proposeHead() {
    long index = execution.delivered() + 1;
    dropExecuted();
    if (queue.isEmpty() || !context.window.accepts(index)) {
      return;
    }
    Slot slot = context.window.open(index, context.now);
    if (agreement.canPropose(slot)) {
      agreement.propose(slot, queue.first());
    }
  }

  /**
   * Removes executed batches from the head. A batch that arrives between the decision for it and
   * its execution is queued, because it may be needed, and no decision removes it later. If two
   * replicas proposed such batches, every slot would be decided null.
   */
  private void dropExecuted() {
    while (!queue.isEmpty() && execution.hasExecuted(queue.first().id())) {
      dequeue(queue.first());
    }
  }

  /** The first slot that is not delivered, if it is in use; null otherwise. */
  private Slot current() {
    long index = execution.delivered() + 1;
    return index <= context.window.frontier() && context.window.accepts(index)
        ? context.window.open(index, context.now)
        : null;
  }

  private void enqueue(Batch batch) {
    if (!execution.hasExecuted(batch.id()) && queue.add(batch)) {
      queuedById.put(batch.id(), batch);
      queuedBytes += batch.size();
    }
  }

  private void dequeue(Batch batch) {
    if (queue.remove(batch)) {
      queuedById.remove(batch.id());
      queuedBytes -= batch.size();
    }
    own.remove(batch.id());
  }

  @Override
  public void request(Batch batch) {
    if (queuedBytes + batch.size() > context.settings.bounds().bodyBytes()) {
      context.counters.bodiesDropped++;
    } else {
      enqueue(batch);
      // The slot that it won may be decided already.
      agreement.bodyArrived(batch);
    }
  }

  @Override
  public Batch queued(BatchId id) {
    return queuedById.get(id);
  }

  @Override
  public void content(Slot slot, Batch batch) {
    enqueue(batch);
    if (slot == current() && agreement.canPropose(slot)) {
      agreement.propose(slot, batch);
    }
  }

  /**
   * Records a proposed batch that is missing here, so that it is fetched. As long as a batch is
   * queued at only some replicas and its origin does not resend it, the heads of the queues differ,
   * and every slot is decided null.
   */
  @Override
  public void proposed(Slot slot, NodeId from, BatchId id) {
    if (!id.isNone() && !queuedById.containsKey(id) && !execution.hasExecuted(id)) {
      missing.putIfAbsent(id, new Missing(slot.at(), from, context.now));
    }
  }

  @Override
  public void received(NodeId from, Message.OfSlot message) {
    // A fetched batch is queued regardless of the outcome of the slot in which it was proposed.
    if (message instanceof Message.FetchedBody body) {
      request(body.batch());
    }
  }

  @Override
  public void skipped(NodeId from, Message.Skip skipped) {
    // Slots have no owners.
  }

  @Override
  public void decided(Slot slot, BatchId id) {
    Batch batch = queuedById.get(id);
    if (batch != null) {
      context.bodies.put(batch, slot.index(), true);
      dequeue(batch);
    }
    missing.remove(id);
  }

  @Override
  public void restored(Slot slot, Batch batch) {
    if (batch != null && !slot.isDecided()) {
      enqueue(batch);
    }
  }

  @Override
  public void installed() {
    for (Batch batch : List.copyOf(queue)) {
      if (execution.hasExecuted(batch.id())) {
        if (own.contains(batch.id())) {
          context.effects.emit(new Effect.Overtaken(batch.id()));
        }
        dequeue(batch);
      }
    }
  }

  @Override
  public void resend(Slot slot, List<NodeId> to) {
    // Each replica fetches the bodies that it lacks.
  }

  /**
   * Joins a slot in use if this replica has no batch of its own to propose (D3), and resends own
   * batches (T1).
   */
  @Override
  public void tick() {
    Settings.Timing timing = context.settings.timing();
    Slot slot = current();
    if (slot != null
        && agreement.canPropose(slot)
        && context.now - slot.openedAt >= timing.contentWait()) {
      join(slot);
    }
    fetchMissing();
    if (context.now - resentAt >= timing.retransmission()) {
      resentAt = context.now;
      queue.stream()
          .filter(b -> own.contains(b.id()))
          .filter(b -> context.now - b.timestampNanos() >= timing.retransmission())
          .limit(context.settings.bounds().resentSlots())
          .forEach(
              b ->
                  context.effects.send(
                      context.configurations.others(),
                      new Message.Request(b),
                      reservation.incarnationLsn()));
    }
  }

  /**
   * Fetches missing batches. The first fetch waits until the batch may have arrived without it; the
   * wait doubles with every fetch.
   */
  private void fetchMissing() {
    long wait = context.settings.timing().contentWait();
    missing.keySet().removeIf(id -> queuedById.containsKey(id) || execution.hasExecuted(id));
    for (Map.Entry<BatchId, Missing> entry : missing.entrySet()) {
      Missing batch = entry.getValue();
      if (context.now - batch.since() >= wait << batch.fetches()) {
        context.effects.send(batch.proposer(), new Message.FetchBody(batch.at(), entry.getKey()));
        entry.setValue(batch.fetchedAgain(context.now));
      }
    }
    missing.values().removeIf(batch -> batch.fetches() > FETCHES_MAX);
  }

  private void join(Slot slot) {
    int proposer = slot.proposerOf(null, slot.fetches);
    if (context.bodyFetcher.isOutstanding(slot)) {
      return;
    }
    if (proposer < 0 || slot.fetches >= FETCHES_MAX) {
      agreement.propose(slot, null);
    } else {
      context.bodyFetcher.fetch(slot, slot.membership().node(proposer), slot.proposalOf(proposer));
    }
  }
}
