package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
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
 * The paper's chooser (PROTOCOLS D2, D3): batches go to every replica's queue, ordered by time, and
 * each replica proposes its head in one slot at a time, without shortcuts.
 */
final class PublishedChooser implements Chooser {
  private static final int FETCHES_MAX = 3;
  private static final Comparator<Batch> ORDER =
      Comparator.comparingLong(Batch::timestampNanos)
          .thenComparing(batch -> batch.id().origin())
          .thenComparingLong(batch -> batch.id().incarnation())
          .thenComparingLong(batch -> batch.id().sequence());

  /**
   * A batch that is not here.
   *
   * @param at where it was proposed
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
  private final Agreement agreement;
  private final Execution execution;
  private final Submissions submissions;
  private final SlotReservation reservation;
  private final TreeSet<Batch> queue = new TreeSet<>(ORDER);
  private final Map<BatchId, Batch> queuedById = new HashMap<>();

  /** Own batches in the queue. */
  private final Set<BatchId> own = new HashSet<>();

  /** Batches that others have proposed and this replica does not know. */
  private final Map<BatchId, Missing> missing = new LinkedHashMap<>();

  private long queuedBytes;
  private long repeatedAt;

  PublishedChooser(
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
    return false;
  }

  @Override
  public void start(long reservedEnd) {
    // No slot is anybody's own.
  }

  @Override
  public void advance() {
    while (!submissions.isEmpty() && own.size() < context.settings.bounds().inFlight()) {
      if (!context.membership.latest().includesSelf()) {
        return;
      }
      Batch batch = submissions.next();
      own.add(batch.id());
      enqueue(batch);
      context.journal.send(
          context.membership.others(), new Message.Request(batch), reservation.begun());
    }
    proposeHead();
  }

  /** One slot at a time: the first that is not decided. */
  private void proposeHead() {
    long index = execution.delivered() + 1;
    if (queue.isEmpty() || !context.window.accepts(index)) {
      return;
    }
    Slot slot = agreement.open(index);
    if (agreement.canPropose(slot)) {
      agreement.propose(slot, queue.first());
    }
  }

  /** The next slot, if anything is known about it; else null. */
  private Slot current() {
    long index = execution.delivered() + 1;
    return index <= agreement.frontier() && context.window.accepts(index)
        ? agreement.open(index)
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
      // Its slot may be decided already.
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
   * A batch that only some replicas queue keeps all heads apart, and every slot null, for as long
   * as its origin does not repeat it: whoever lacks it fetches it.
   */
  @Override
  public void proposed(Slot slot, NodeId from, BatchId id) {
    if (!id.isNone() && !queuedById.containsKey(id) && !execution.hasExecuted(id)) {
      missing.putIfAbsent(id, new Missing(slot.at(), from, context.now));
    }
  }

  @Override
  public void received(NodeId from, Message.OfSlot message) {
    // A fetched batch is queued whatever has become of the slot that it was proposed in.
    if (message instanceof Message.FetchedBody body) {
      request(body.batch());
    }
  }

  @Override
  public void skipped(NodeId from, Message.Skip skipped) {
    // Nobody owns a slot here.
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
          context.journal.emit(new Effect.Overtaken(batch.id()));
        }
        dequeue(batch);
      }
    }
  }

  @Override
  public void repeat(Slot slot, List<NodeId> to) {
    // Bodies are fetched by those who lack them.
  }

  /** D3: with nothing of its own a replica joins a slot it has heard of; T1 for own batches. */
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
    if (context.now - repeatedAt >= timing.retransmission()) {
      repeatedAt = context.now;
      queue.stream()
          .filter(b -> own.contains(b.id()))
          .filter(b -> context.now - b.timestampNanos() >= timing.retransmission())
          .limit(context.settings.bounds().resentSlots())
          .forEach(
              b ->
                  context.journal.send(
                      context.membership.others(), new Message.Request(b), reservation.begun()));
    }
  }

  /** Batches on their way get a moment to arrive, and a fetch the same time to be answered. */
  private void fetchMissing() {
    long wait = context.settings.timing().contentWait();
    missing.keySet().removeIf(id -> queuedById.containsKey(id) || execution.hasExecuted(id));
    for (Map.Entry<BatchId, Missing> entry : missing.entrySet()) {
      Missing batch = entry.getValue();
      if (context.now - batch.since() >= wait << batch.fetches()) {
        context.journal.send(batch.proposer(), new Message.FetchBody(batch.at(), entry.getKey()));
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
      context.bodyFetcher.fetch(slot, slot.roster().node(proposer), slot.proposalOf(proposer));
    }
  }
}
