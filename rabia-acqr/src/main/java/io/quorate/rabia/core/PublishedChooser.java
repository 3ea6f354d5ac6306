package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Message;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
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

  private final Context context;
  private final Agreement agreement;
  private final Execution execution;
  private final Submissions submissions;
  private final Reserve reserve;
  private final TreeSet<Batch> queue = new TreeSet<>(ORDER);

  /** Own batches in the queue. */
  private final Set<BatchId> own = new HashSet<>();

  private long queuedBytes;
  private long repeatedAt;

  PublishedChooser(
      Context context,
      Agreement agreement,
      Execution execution,
      Submissions submissions,
      Reserve reserve) {
    this.context = context;
    this.agreement = agreement;
    this.execution = execution;
    this.submissions = submissions;
    this.reserve = reserve;
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
          context.membership.others(), new Message.Request(batch), reserve.begun());
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
      agreement.propose(slot, queue.first(), Optional.empty());
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
      queuedBytes += batch.size();
    }
  }

  private void dequeue(Batch batch) {
    if (queue.remove(batch)) {
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
    }
  }

  @Override
  public void content(Slot slot, Batch batch) {
    enqueue(batch);
    if (slot == current() && agreement.canPropose(slot)) {
      agreement.propose(slot, batch, Optional.empty());
    }
  }

  @Override
  public void proposed(Slot slot, NodeId from, BatchId id) {
    // Joining waits a little, for the batch may be on its way: tick().
  }

  @Override
  public void skipped(NodeId from, Message.Skip skipped) {
    // Nobody owns a slot here.
  }

  @Override
  public void decided(Slot slot, BatchId id) {
    for (Batch batch : queue) {
      if (batch.id().equals(id)) {
        context.bodies.put(batch, slot.index(), true);
        dequeue(batch);
        return;
      }
    }
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
    if (context.now - repeatedAt >= timing.retransmission()) {
      repeatedAt = context.now;
      queue.stream()
          .filter(b -> own.contains(b.id()))
          .filter(b -> context.now - b.timestampNanos() >= timing.retransmission())
          .limit(context.settings.bounds().resentSlots())
          .forEach(
              b ->
                  context.journal.send(
                      context.membership.others(), new Message.Request(b), reserve.begun()));
    }
  }

  private void join(Slot slot) {
    int proposer = slot.proposerOf(null, slot.fetches);
    if (proposer < 0 || slot.fetches >= FETCHES_MAX) {
      agreement.propose(slot, null, Optional.empty());
    } else if (slot.fetches == 0
        || context.now - slot.fetchedAt >= context.settings.timing().contentWait()) {
      slot.fetches++;
      slot.fetchedAt = context.now;
      context.journal.send(
          slot.roster().node(proposer),
          new Message.FetchBody(slot.at(), slot.proposalOf(proposer)));
    }
  }
}
