package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.core.step.OwnMessage;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/**
 * Runs the open slots by the Weak-MVC rules (C1 to C10): receives messages, persists and sends this
 * replica's own messages, and decides.
 */
final class WeakMvc {
  private final Context context;
  private final SlotExecutor execution;
  private final ProposedWrites proposedWrites;
  private final Rules rules;
  private final ArrayDeque<Slot> held = new ArrayDeque<>();
  private final FastPathWait fastPathWait;
  private Chooser chooser;
  private Retransmission retransmission;

  WeakMvc(Context context, SlotExecutor execution, ProposedWrites proposedWrites) {
    this.context = context;
    this.execution = execution;
    this.proposedWrites = proposedWrites;
    this.rules = context.rules;
    Settings.Timing timing = context.settings.timing();
    this.fastPathWait = new FastPathWait(timing.stateHoldMin(), timing.stateHoldMax());
  }

  /** Completes the construction: the two depend on this object. */
  void use(Chooser chooser, Retransmission retransmission) {
    this.chooser = chooser;
    this.retransmission = retransmission;
  }

  /** Whether this replica may send messages in a slot of the window (S3, T4). */
  boolean mayParticipateIn(Slot slot) {
    return !context.effects.isReplaying()
        && context.configurations.mayParticipate(
            slot.membership(), execution.stateDurable().index());
  }

  /** Whether this replica can propose in the slot now. */
  boolean canPropose(Slot slot) {
    return !slot.isDecided() && !slot.hasProposed() && mayParticipateIn(slot);
  }

  /** Proposes a batch, or ⊥ if {@code batch} is null (C1). Requires {@link #canPropose}. */
  void propose(Slot slot, Batch batch) {
    BatchId id = BatchId.NONE;
    if (batch == null) {
      context.counters.abstentions++;
    } else {
      id = batch.id();
      context.bodies.put(batch, slot.index(), true);
      if (rules.recordsEchoedWrites() || id.origin().equals(context.self)) {
        proposedWrites.proposed(slot.index(), batch);
      }
    }
    context.window.reach(slot.index());
    Lsn lsn =
        context.effects.append(new LogRecord.Proposed(slot.at(), id, Optional.ofNullable(batch)));
    sendOwn(slot, new Message.Proposal(slot.at(), id), lsn);
  }

  private void sendOwn(Slot slot, Message.Recorded message, Lsn lsn) {
    OwnMessage own = new OwnMessage(message, lsn);
    slot.recordOwn(own);
    slot.sentAt = context.now;
    if (message instanceof Message.Proposal) {
      slot.proposedAt = context.now;
    }
    context.effects.send(slot.membership().others(), message, lsn);
    if (rules.countsOwnVolatile()) {
      countOwn(own);
    } else {
      context.effects.countWhenDurable(own);
    }
  }

  /** Counts this replica's own messages whose records are durable now (P0). */
  void countDurable() {
    OwnMessage own = context.effects.nextDurable();
    while (own != null) {
      countOwn(own);
      own = context.effects.nextDurable();
    }
  }

  private void countOwn(OwnMessage own) {
    Slot slot = context.window.get(own.message().at().index());
    if (slot != null && !slot.isDecided()) {
      store(slot, slot.membership().self(), own.message());
      progress(slot);
    }
  }

  /** Restores a message that this replica sent in an earlier run. */
  void restore(Message.Recorded message, Batch batch) {
    long index = message.at().index();
    if (index > context.window.last()) {
      throw new ReplayException(
          "it contains slot " + index + " before the slots that lead to it are executed");
    }
    if (!context.window.accepts(index)) {
      return;
    }
    Slot slot = context.window.open(index, context.now);
    if (slot.membership().self() < 0) {
      throw new ReplayException(
          "it contains a message of this replica in slot " + index + ", of which it is no member");
    }
    context.window.reach(index);
    slot.recordOwn(new OwnMessage(message, Lsn.START));
    if (batch != null) {
      context.bodies.put(batch, index, true);
      if (rules.recordsReplayedWrites()) {
        proposedWrites.proposed(index, batch);
      }
    }
    if (!slot.isDecided()) {
      store(slot, slot.membership().self(), message);
    }
    if (message instanceof Message.Proposal) {
      chooser.restored(slot, batch);
    }
  }

  /** Receives a message of a member about a slot of the window. */
  void receive(NodeId from, Message.OfSlot message) {
    Slot slot = context.window.open(message.at().index(), context.now);
    int sender = slot.membership().configuration().indexOf(from);
    if (message.at().epoch() != slot.at().epoch() || sender < 0) {
      context.counters.foreign++;
      return;
    }
    context.window.reach(slot.index());
    context.bodyFetcher.observe(slot, message);
    if (message instanceof Message.FetchBody fetch) {
      sendBody(from, slot.at(), fetch.id());
    } else if (slot.isDecided()) {
      if (message instanceof Message.Proposal proposal
          && store(slot, sender, proposal) == Phase.Stored.NEW) {
        observeGap(slot);
      }
      receiveDecided(from, slot, message);
    } else {
      process(slot, from, sender, message);
    }
  }

  private void process(Slot slot, NodeId from, int sender, Message.OfSlot message) {
    if (message instanceof Message.Content content) {
      chooser.content(slot, content.batch());
    } else if (message instanceof Message.FetchedBody body) {
      chooser.content(slot, body.batch());
    } else if (message instanceof Message.Decision decision) {
      decide(slot, decision.id(), Slot.DecisionPath.LEARNED);
    } else if (message instanceof Message.Inquiry inquiry) {
      retransmission.resend(slot, inquiry.phase(), List.of(from));
    } else {
      Message.Recorded recorded = (Message.Recorded) message;
      if (store(slot, sender, recorded) == Phase.Stored.NEW) {
        retransmission.resendOlderPhase(slot, from, recorded);
        if (message instanceof Message.Proposal proposal) {
          observeGap(slot);
          chooser.proposed(slot, from, proposal.id());
        }
      }
    }
    progress(slot);
  }

  private Phase.Stored store(Slot slot, int sender, Message.Recorded message) {
    Phase.Stored stored = slot.store(sender, message);
    if (stored == Phase.Stored.CONFLICTING) {
      context.counters.conflicts++;
    }
    return stored;
  }

  /**
   * Stores the body that a message about a decided slot carries, and responds with the decision
   * (C9).
   */
  private void receiveDecided(NodeId from, Slot slot, Message.OfSlot message) {
    if (message instanceof Message.FetchedBody body) {
      keepBody(slot, body.batch());
    } else if (message instanceof Message.Content content) {
      keepBody(slot, content.batch());
    }
    if (!(message instanceof Message.Decision) && !(message instanceof Message.FetchedBody)) {
      context.effects.send(from, new Message.Decision(slot.at(), slot.decision()));
    }
  }

  /** Stores the body of a decided slot. */
  private void keepBody(Slot slot, Batch batch) {
    if (slot.decision().equals(batch.id())
        && !context.bodies.put(batch, slot.index(), isNext(slot))) {
      context.counters.bodiesDropped++;
    }
  }

  /** Sends a body that is stored for a slot or queued for one. */
  void sendBody(NodeId to, Position at, BatchId id) {
    Batch batch = context.bodies.get(id);
    if (batch == null) {
      batch = chooser.queued(id);
    }
    if (batch != null) {
      context.effects.send(to, new Message.FetchedBody(at, batch));
    }
  }

  /**
   * Whether the body of the slot is stored regardless of the limit, because execution cannot
   * proceed without it. While the state machine accepts no slot, no further body is needed.
   */
  boolean isNext(Slot slot) {
    return context.effects.isReplaying() || slot.index() == execution.executed().index() + 1;
  }

  boolean hasCapacityFor(Slot slot) {
    return isNext(slot) || context.bodies.hasCapacity();
  }

  /** Stores a body that a decided slot may wait for. */
  void bodyArrived(Batch batch) {
    for (long index = execution.delivered() + 1; index <= context.window.frontier(); index++) {
      Slot slot = context.window.get(index);
      if (slot != null && slot.isDecided()) {
        keepBody(slot, batch);
      }
    }
  }

  /** Decides the slot if possible, and sends the next message otherwise. */
  void progress(Slot slot) {
    while (!slot.isDecided() && !context.effects.isReplaying()) {
      Slot.Outcome outcome = slot.outcome(chooser.decidesByUnanimity());
      if (outcome != null) {
        decide(slot, outcome.id(), outcome.path());
        return;
      }
      if (!mayParticipateIn(slot) || holdsState(slot)) {
        return;
      }
      Message.Recorded next = slot.nextMessage(context.coin, context.counters);
      if (next == null) {
        return;
      }
      sendOwn(slot, next, context.effects.append(recordOf(next)));
    }
  }

  private LogRecord recordOf(Message.Recorded message) {
    if (message instanceof Message.State state) {
      context.counters.phases++;
      return new LogRecord.StateChosen(state.at(), state.phase(), state.one(), state.candidate());
    }
    Message.Vote vote = (Message.Vote) message;
    return new LogRecord.Voted(vote.at(), vote.phase(), vote.ballot(), vote.candidate());
  }

  /** Whether STATE is held back to wait for the last proposals (O6). */
  private boolean holdsState(Slot slot) {
    if (!chooser.decidesByUnanimity()
        || !slot.couldBecomeUnanimous()
        || missesSuspectedMember(slot)) {
      return false;
    }
    if (slot.quorumAt < 0) {
      slot.quorumAt = context.now;
      if (slot.hasProposed() && slot.resends == 0) {
        fastPathWait.observeRound(context.now - slot.proposedAt);
      }
      slot.heldUntil = context.now + fastPathWait.nanos();
      held.add(slot);
    }
    return context.now < slot.heldUntil;
  }

  /**
   * Measures the delay of the last proposal of a slot, also of one that arrives after STATE was
   * sent.
   */
  private void observeGap(Slot slot) {
    if (slot.quorumAt >= 0 && slot.hasAllProposals()) {
      fastPathWait.observeGap(context.now - slot.quorumAt, slot.hasWaitExpired);
    }
  }

  private boolean missesSuspectedMember(Slot slot) {
    for (int i = 0; i < slot.membership().configuration().size(); i++) {
      if (slot.proposalOf(i) == null
          && context.failureDetector.isSuspected(slot.membership().node(i))) {
        return true;
      }
    }
    return false;
  }

  /** Continues the slots whose STATE has been held back for long enough. */
  void releaseHeld() {
    while (!held.isEmpty() && (held.peek().isDecided() || held.peek().heldUntil <= context.now)) {
      Slot slot = held.poll();
      if (context.window.get(slot.index()) == slot && !slot.isDecided()) {
        slot.hasWaitExpired = true;
        fastPathWait.expire();
        progress(slot);
      }
    }
  }

  /** When the hold of the first held slot expires; {@link Long#MAX_VALUE} if none is held. */
  long heldUntil() {
    return held.isEmpty() ? Long.MAX_VALUE : held.peek().heldUntil;
  }

  void decide(Slot slot, BatchId id, Slot.DecisionPath path) {
    slot.decide(id);
    context.window.reach(slot.index());
    count(path);
    retransmission.observeDecision(slot);
    // The chooser may hold the body for the record. A replay cannot pass the slot without it.
    chooser.decided(slot, id);
    Optional<Batch> body =
        slot.hasBodyInLog() ? Optional.empty() : Optional.ofNullable(context.bodies.get(id));
    slot.isBodyRecorded = body.isPresent();
    context.effects.appendLazily(new LogRecord.SlotDecided(slot.at(), new Decided(id, body)));
  }

  private void count(Slot.DecisionPath path) {
    switch (path) {
      case PROPOSALS -> context.counters.unanimousProposals++;
      case STATES -> context.counters.unanimousStates++;
      case VOTES -> context.counters.votes++;
      case SKIP -> context.counters.skips++;
      case LEARNED -> context.counters.learned++;
    }
  }

  /**
   * Learns a decision from another replica or from the log. The window accepts the slot.
   *
   * @return false if there is no capacity for the body; then the decision is not learned
   */
  boolean learn(long index, Decided decided) {
    Slot slot = context.window.open(index, context.now);
    if (slot.isDecided()) {
      decided.batch().ifPresent(batch -> keepBody(slot, batch));
      return decided.batch().isEmpty() || context.bodies.get(decided.id()) != null;
    }
    if (decided.batch().isPresent()
        && !context.bodies.put(decided.batch().get(), index, isNext(slot))) {
      context.counters.bodiesDropped++;
      return false;
    }
    decide(slot, decided.id(), Slot.DecisionPath.LEARNED);
    return true;
  }

  /** Continues the slots that are undecided at the end of the log. */
  void start() {
    for (long index = execution.delivered() + 1; index <= context.window.frontier(); index++) {
      progress(context.window.open(index, context.now));
    }
  }
}
