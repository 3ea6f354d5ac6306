package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/**
 * Runs the open slots: takes messages in, writes down and says what follows, decides (PROTOCOLS
 * 1.3, 1.4).
 */
final class Agreement {
  private final Context context;
  private final Execution execution;
  private final ReadShares shares;
  private final Rules rules;
  private final ArrayDeque<Slot> held = new ArrayDeque<>();
  private final FastPathWait fastPathWait;

  /** How long decisions take from this replica's proposal on (T1). */
  private final DelayEstimate decisionDelay;

  private Chooser chooser;
  private long frontier;

  Agreement(Context context, Execution execution, ReadShares shares) {
    this.context = context;
    this.execution = execution;
    this.shares = shares;
    this.rules = context.rules;
    Settings.Timing timing = context.settings.timing();
    this.fastPathWait = new FastPathWait(timing.stateHoldMin(), timing.stateHoldMax());
    this.decisionDelay =
        new DelayEstimate(
            timing.retransmission(), timing.retransmission() << Slot.REPEAT_DOUBLINGS_MAX);
    this.frontier = execution.delivered();
  }

  void setChooser(Chooser chooser) {
    this.chooser = chooser;
  }

  /** The highest slot known to be in use; every slot up to it is to be decided. */
  long frontier() {
    return Math.max(frontier, execution.delivered());
  }

  void reach(long index) {
    frontier = Math.max(frontier, Math.min(index, context.window.last()));
  }

  /** The slot, opened if it was not. The window accepts it. */
  Slot open(long index) {
    Slot slot = context.window.get(index);
    if (slot == null) {
      Roster roster = context.membership.at(index);
      Position at = new Position(roster.configuration().epoch(), index);
      slot = new Slot(at, roster, rules, context.now);
      context.window.put(slot);
    }
    return slot;
  }

  /** S3 and T4, for a slot of the window. */
  boolean maySpeakIn(Slot slot) {
    return !context.journal.isReplaying()
        && context.membership.maySpeak(slot.roster(), execution.stateDurable().index());
  }

  /** Whether this replica could propose in the slot now. */
  boolean canPropose(Slot slot) {
    return !slot.isDecided() && !slot.hasProposed() && maySpeakIn(slot);
  }

  /** C1: proposes a batch, or ⊥ if it is null. {@link #canPropose} is true. */
  void propose(Slot slot, Batch batch) {
    BatchId id = BatchId.NONE;
    if (batch == null) {
      context.counters.abstentions++;
    } else {
      id = batch.id();
      context.bodies.put(batch, slot.index(), true);
      if (rules.notesEchoes() || id.origin().equals(context.self)) {
        shares.proposed(slot.index(), batch);
      }
    }
    reach(slot.index());
    Lsn lsn =
        context.journal.append(new LogRecord.Proposed(slot.at(), id, Optional.ofNullable(batch)));
    say(slot, new Message.Proposal(slot.at(), id), lsn);
  }

  private void say(Slot slot, Message.OfSlot message, Lsn lsn) {
    OwnMessage own = new OwnMessage(message, lsn);
    slot.said(own);
    slot.saidAt = context.now;
    if (message instanceof Message.Proposal) {
      slot.proposedAt = context.now;
    }
    context.journal.send(slot.roster().others(), message, lsn);
    if (rules.countsOwnVolatile()) {
      hear(own);
    } else {
      context.journal.hearLater(own);
    }
  }

  /** Counts what this replica itself has said, now that it is durable (P0). */
  void hearDurable() {
    OwnMessage own = context.journal.nextHeard();
    while (own != null) {
      hear(own);
      own = context.journal.nextHeard();
    }
  }

  private void hear(OwnMessage own) {
    Slot slot = context.window.get(own.message().at().index());
    if (slot != null && !slot.isDecided()) {
      store(slot, slot.roster().self(), own.message());
      progress(slot);
    }
  }

  /** What this replica said in an earlier run. */
  void restore(Message.OfSlot message, Batch batch) {
    long index = message.at().index();
    if (index > context.window.last()) {
      throw new IllegalStateException(
          "The log speaks of slot " + index + " before the slots that lead there are executed");
    }
    if (!context.window.accepts(index)) {
      return;
    }
    Slot slot = open(index);
    reach(index);
    slot.said(new OwnMessage(message, Lsn.START));
    if (batch != null) {
      context.bodies.put(batch, index, true);
      if (rules.notesReplayed()) {
        shares.proposed(index, batch);
      }
    }
    if (!slot.isDecided()) {
      store(slot, slot.roster().self(), message);
    }
    if (message instanceof Message.Proposal) {
      chooser.restored(slot, batch);
    }
  }

  /** A message of a member about a slot of the window. */
  void receive(NodeId from, Message.OfSlot message) {
    Slot slot = open(message.at().index());
    int sender = slot.roster().configuration().indexOf(from);
    if (message.at().epoch() != slot.at().epoch() || sender < 0) {
      context.counters.foreign++;
      return;
    }
    reach(slot.index());
    context.bodyFetcher.observe(slot, message);
    if (message instanceof Message.FetchBody fetch) {
      sendBody(from, slot.at(), fetch.id());
    } else if (slot.isDecided()) {
      if (message instanceof Message.Proposal && store(slot, sender, message) == Phase.Stored.NEW) {
        observeGap(slot);
      }
      answerDecided(from, slot, message);
    } else {
      take(slot, from, sender, message);
    }
  }

  private void take(Slot slot, NodeId from, int sender, Message.OfSlot message) {
    if (message instanceof Message.Content content) {
      chooser.content(slot, content.batch());
    } else if (message instanceof Message.FetchedBody body) {
      chooser.content(slot, body.batch());
    } else if (message instanceof Message.Decision decision) {
      decide(slot, decision.id(), Slot.Way.LEARNED);
    } else if (message instanceof Message.Inquiry inquiry) {
      repeat(slot, inquiry.phase(), List.of(from));
    } else {
      Phase.Stored stored = store(slot, sender, message);
      if (stored == Phase.Stored.NEW) {
        answerOlderPhase(slot, from, message);
        if (message instanceof Message.Proposal proposal) {
          observeGap(slot);
          chooser.proposed(slot, from, proposal.id());
        }
      }
    }
    progress(slot);
  }

  private Phase.Stored store(Slot slot, int sender, Message.OfSlot message) {
    Phase.Stored stored;
    if (message instanceof Message.Proposal proposal) {
      stored = slot.storeProposal(sender, proposal.id());
    } else if (message instanceof Message.State state) {
      stored = slot.storeState(sender, state);
    } else {
      stored = slot.storeVote(sender, (Message.Vote) message);
    }
    if (stored == Phase.Stored.CONFLICTING) {
      context.counters.conflicts++;
    }
    return stored;
  }

  /** C9. */
  private void answerDecided(NodeId from, Slot slot, Message.OfSlot message) {
    if (message instanceof Message.FetchedBody body) {
      keepBody(slot, body.batch());
    } else if (message instanceof Message.Content content) {
      keepBody(slot, content.batch());
    }
    if (!(message instanceof Message.Decision) && !(message instanceof Message.FetchedBody)) {
      context.journal.send(from, new Message.Decision(slot.at(), slot.decision()));
    }
  }

  /** The body of a decided slot. */
  private void keepBody(Slot slot, Batch batch) {
    if (slot.decision().equals(batch.id())
        && !context.bodies.put(batch, slot.index(), isNext(slot))) {
      context.counters.bodiesDropped++;
    }
  }

  /** A body that is held for a slot or waits for one. */
  void sendBody(NodeId to, Position at, BatchId id) {
    Batch batch = context.bodies.get(id);
    if (batch == null) {
      batch = chooser.queued(id);
    }
    if (batch != null) {
      context.journal.send(to, new Message.FetchedBody(at, batch));
    }
  }

  /**
   * Whether the slot's body is taken however many bodies are held: nothing would go on without. A
   * state machine that takes nothing needs no further body.
   */
  boolean isNext(Slot slot) {
    return context.journal.isReplaying() || slot.index() == execution.executed().index() + 1;
  }

  boolean hasRoomFor(Slot slot) {
    return isNext(slot) || context.bodies.hasRoom();
  }

  /** A body has come that a decided slot may wait for. */
  void bodyArrived(Batch batch) {
    for (long index = execution.delivered() + 1; index <= frontier(); index++) {
      Slot slot = context.window.get(index);
      if (slot != null && slot.isDecided()) {
        keepBody(slot, batch);
      }
    }
  }

  /** T2: whoever is in an older phase gets what was said in it. */
  private void answerOlderPhase(Slot slot, NodeId from, Message.OfSlot message) {
    int phase = 0;
    if (message instanceof Message.State state) {
      phase = state.phase();
    } else if (message instanceof Message.Vote vote) {
      phase = vote.phase();
    }
    if (phase > 0 && phase < slot.ownPhase()) {
      repeatPhase(slot, phase, List.of(from));
    }
  }

  /** Says again what was said about a slot, from a phase on (T1). */
  void repeat(Slot slot, int fromPhase, List<NodeId> to) {
    chooser.repeat(slot, to);
    if (slot.hasProposed()) {
      repeat(slot.ownProposal, to);
    }
    for (int phase = Math.max(1, fromPhase); phase <= slot.ownPhase(); phase++) {
      repeatPhase(slot, phase, to);
    }
  }

  private void repeatPhase(Slot slot, int phase, List<NodeId> to) {
    Phase said = slot.phase(phase);
    for (OwnMessage own : new OwnMessage[] {said.ownState, said.ownVote}) {
      if (own != null) {
        repeat(own, to);
      }
    }
  }

  /** A message that waits for its record leaves with it, and need not wait twice. */
  private void repeat(OwnMessage own, List<NodeId> to) {
    if (context.journal.isDurable(own.after())) {
      context.journal.send(to, own.message(), own.after());
    }
  }

  /** Decides the slot if it can be, or says the next thing about it. */
  void progress(Slot slot) {
    while (!slot.isDecided() && !context.journal.isReplaying()) {
      Slot.Verdict verdict = slot.verdict(chooser.takesShortcuts());
      if (verdict != null) {
        decide(slot, verdict.id(), verdict.way());
        return;
      }
      if (!maySpeakIn(slot) || holdsBack(slot)) {
        return;
      }
      Message.OfSlot next = slot.next(context.coin, context.counters);
      if (next == null) {
        return;
      }
      say(slot, next, context.journal.append(recordOf(next)));
    }
  }

  private LogRecord recordOf(Message.OfSlot message) {
    if (message instanceof Message.State state) {
      context.counters.phases++;
      return new LogRecord.StateChosen(state.at(), state.phase(), state.one(), state.candidate());
    }
    Message.Vote vote = (Message.Vote) message;
    return new LogRecord.Voted(vote.at(), vote.phase(), vote.ballot(), vote.candidate());
  }

  /** O6: whether STATE waits a little for the last proposals. */
  private boolean holdsBack(Slot slot) {
    if (!chooser.takesShortcuts() || !slot.couldBecomeUnanimous() || missesSuspected(slot)) {
      return false;
    }
    if (slot.quorumAt < 0) {
      slot.quorumAt = context.now;
      if (slot.hasProposed() && slot.repeats == 0) {
        fastPathWait.observeRound(context.now - slot.proposedAt);
      }
      slot.heldUntil = context.now + fastPathWait.nanos();
      held.add(slot);
    }
    return context.now < slot.heldUntil;
  }

  /** Learns from the last proposal of a slot, also from one that comes after STATE was sent. */
  private void observeGap(Slot slot) {
    if (slot.quorumAt >= 0 && slot.hasAllProposals()) {
      fastPathWait.observeGap(context.now - slot.quorumAt, slot.hasWaitExpired);
    }
  }

  private boolean missesSuspected(Slot slot) {
    for (int i = 0; i < slot.roster().configuration().size(); i++) {
      if (slot.proposalOf(i) == null
          && context.failureDetector.isSuspected(slot.roster().node(i))) {
        return true;
      }
    }
    return false;
  }

  /** Goes on with slots whose STATE has been held back for long enough. */
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

  /** When the first held slot is due; {@link Long#MAX_VALUE} if none is held. */
  long heldUntil() {
    return held.isEmpty() ? Long.MAX_VALUE : held.peek().heldUntil;
  }

  void decide(Slot slot, BatchId id, Slot.Way way) {
    slot.decide(id);
    reach(slot.index());
    count(way);
    observeDecision(slot);
    // The chooser may hold the body, which the record needs: a replay goes no further without.
    chooser.decided(slot, id);
    Optional<Batch> body =
        slot.hasBodyInLog() ? Optional.empty() : Optional.ofNullable(context.bodies.get(id));
    slot.isBodyRecorded = body.isPresent();
    context.journal.appendLazily(new LogRecord.SlotDecided(slot.at(), new Decided(id, body)));
  }

  private void observeDecision(Slot slot) {
    if (slot.hasProposed() && !context.journal.isReplaying()) {
      decisionDelay.observe(context.now - slot.proposedAt);
    }
  }

  private void count(Slot.Way way) {
    switch (way) {
      case PROPOSALS -> context.counters.unanimousProposals++;
      case STATES -> context.counters.unanimousStates++;
      case VOTES -> context.counters.votes++;
      case SKIP -> context.counters.skips++;
      case LEARNED -> context.counters.learned++;
    }
  }

  /**
   * A decision from another replica or from the log. The window accepts the slot.
   *
   * @return false if there is no room for its body; then nothing is learned
   */
  boolean learn(long index, Decided decided) {
    Slot slot = open(index);
    if (slot.isDecided()) {
      decided.batch().ifPresent(batch -> keepBody(slot, batch));
      return decided.batch().isEmpty() || context.bodies.get(decided.id()) != null;
    }
    if (decided.batch().isPresent()
        && !context.bodies.put(decided.batch().get(), index, isNext(slot))) {
      context.counters.bodiesDropped++;
      return false;
    }
    decide(slot, decided.id(), Slot.Way.LEARNED);
    return true;
  }

  /** T1: repeats what was said about the lowest undecided slots, and asks about them. */
  void repeatOverdue() {
    int repeated = 0;
    long frontier = frontier();
    for (long index = execution.delivered() + 1;
        index <= frontier && repeated < context.settings.bounds().resentSlots();
        index++) {
      Slot slot = open(index);
      if (!slot.isDecided()
          && context.now - slot.saidAt >= slot.repeatAfter(decisionDelay.timeout())) {
        slot.saidAt = context.now;
        slot.repeats++;
        repeated++;
        context.counters.repeated++;
        repeatAndAsk(slot, slot.roster().others());
      }
    }
  }

  /** T1: the same at once for a replica whose connection was lost. */
  void repeatTo(NodeId peer) {
    long last =
        Math.min(frontier(), execution.delivered() + context.settings.bounds().resentSlots());
    for (long index = execution.delivered() + 1; index <= last; index++) {
      Slot slot = open(index);
      if (!slot.isDecided() && slot.roster().others().contains(peer)) {
        repeatAndAsk(slot, List.of(peer));
      }
    }
  }

  private void repeatAndAsk(Slot slot, List<NodeId> to) {
    repeat(slot, slot.ownPhase(), to);
    context.journal.send(
        to, new Message.Inquiry(slot.at(), Math.max(1, slot.ownPhase())), Lsn.START);
  }

  /** Goes on with everything that the log left open. */
  void start() {
    for (long index = execution.delivered() + 1; index <= frontier(); index++) {
      progress(open(index));
    }
  }
}
