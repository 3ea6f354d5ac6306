package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** T3: brings a replica that is behind up to the others, and helps others that are. */
final class CatchUp {
  private final Context context;
  private final Agreement agreement;
  private final Execution execution;

  /** Up to where others have executed, at least. */
  private final Map<NodeId, Long> executedBy = new HashMap<>();

  private long nextStatusAt;
  private long deliveredAtStatus = Long.MIN_VALUE;
  private long fetchedAt = Long.MIN_VALUE / 2;
  private boolean outstanding;
  private boolean behind;

  /** Whom to ask for decisions next; not shared, or two who take turns could avoid somebody. */
  private int turn;

  CatchUp(Context context, Agreement agreement, Execution execution) {
    this.context = context;
    this.agreement = agreement;
    this.execution = execution;
  }

  long nextStatusAt() {
    return nextStatusAt;
  }

  /** Says at once where this replica is, and asks if it knows nothing. */
  void start() {
    nextStatusAt = context.now;
    behind = true;
    tick();
  }

  void status(NodeId from, Message.Status status) {
    executedBy.merge(from, status.executed().index(), Math::max);
    if (!context.membership.others().contains(from)) {
      // A replica that is to become a member asks where the group is.
      context.journal.send(from, new Message.Status(execution.executed()));
    }
  }

  /** A member speaks in a slot beyond the window (T4). */
  void speaksAhead(NodeId from, long index) {
    executedBy.merge(from, index - context.settings.alpha(), Math::max);
    behind = true;
  }

  void tick() {
    if (context.now < nextStatusAt) {
      return;
    }
    nextStatusAt = context.now + context.settings.timing().status();
    context.journal.send(
        context.membership.others(), new Message.Status(execution.executed()), Lsn.START);
    // In good times others are always a few slots ahead for a moment.
    behind |= execution.delivered() == deliveredAtStatus;
    deliveredAtStatus = execution.delivered();
    if (!context.membership.isUnknown()) {
      Roster roster = context.membership.at(execution.executed().index() + 1);
      if (roster.includesSelf()
          && !context.membership.maySpeak(roster, execution.stateDurable().index())) {
        context.journal.emit(new Effect.Flush(execution.executed()));
      }
    }
  }

  /** Fetches what is missing, one request at a time; at the end of every step. */
  void advance() {
    fetchMissingBody();
    boolean waits =
        outstanding && context.now - fetchedAt < context.settings.timing().retransmission();
    if (!behind || waits) {
      return;
    }
    if (context.membership.isUnknown()) {
      fetch(context.membership.others(), -1);
      return;
    }
    long missing = execution.delivered() + 1;
    List<NodeId> ahead = new ArrayList<>();
    for (NodeId other : context.membership.others()) {
      if (executedBy.getOrDefault(other, -1L) >= missing) {
        ahead.add(other);
      }
    }
    if (ahead.isEmpty()) {
      behind = false;
    } else if (context.window.accepts(missing)) {
      fetch(ahead, missing);
    }
  }

  private void fetch(List<NodeId> candidates, long from) {
    if (candidates.isEmpty()) {
      return;
    }
    outstanding = true;
    fetchedAt = context.now;
    NodeId chosen = candidates.get(Math.floorMod(turn++, candidates.size()));
    context.journal.send(chosen, new Message.FetchDecisions(from));
  }

  /** C8: a batch has won whose body is not here. */
  private void fetchMissingBody() {
    Slot slot = execution.slotWithoutBody();
    if (slot == null
        || (slot.fetches > 0
            && context.now - slot.fetchedAt < context.settings.timing().retransmission())) {
      return;
    }
    int proposer = slot.proposerOf(slot.decision(), slot.fetches / 2);
    List<NodeId> others = slot.roster().others();
    if (others.isEmpty()) {
      return;
    }
    slot.fetches++;
    slot.fetchedAt = context.now;
    NodeId from =
        proposer >= 0 && slot.fetches % 3 != 0
            ? slot.roster().node(proposer)
            : others.get(slot.fetches / 3 % others.size());
    context.journal.send(from, new Message.FetchBody(slot.at(), slot.decision()));
  }

  void decisions(Message.Decisions told) {
    outstanding = false;
    long index = told.from();
    for (Decided decided : told.decided()) {
      if (context.window.accepts(index)) {
        agreement.learn(index, decided);
      }
      index++;
    }
  }

  /**
   * Another replica can only help with its whole state.
   *
   * @return whether the state here holds all of it, so that the checkpoint alone is enough
   */
  boolean isEnough(NodeId from, Checkpoint offered) {
    executedBy.merge(from, offered.at().index(), Math::max);
    if (offered.at().index() <= execution.delivered()) {
      return false;
    }
    if (execution.stateDurable().covers(offered.at())) {
      return true;
    }
    context.journal.emit(new Effect.FetchSnapshot(from, offered.at()));
    return false;
  }

  void answer(NodeId from, Message.FetchDecisions fetch) {
    Ledger ledger = execution.ledger();
    if (ledger.holds(fetch.from())) {
      Settings.Bounds bounds = context.settings.bounds();
      List<Decided> decided =
          ledger.decided(fetch.from(), bounds.fetchedSlots(), bounds.fetchedBytes());
      context.journal.send(from, new Message.Decisions(fetch.from(), decided));
    } else if (fetch.from() <= execution.executed().index() && !context.membership.isUnknown()) {
      long executed = execution.executed().index();
      ledger
          .checkpointAt(executed)
          .ifPresent(here -> context.journal.send(from, new Message.SnapshotOffer(here)));
    }
  }

  /** C9, for a slot that is executed. */
  void answerExecuted(NodeId from, Message.OfSlot message) {
    if (message instanceof Message.Decision || message instanceof Message.FetchedBody) {
      return;
    }
    long index = message.at().index();
    Ledger ledger = execution.ledger();
    if (!ledger.holds(index)) {
      context.journal.send(from, new Message.Status(execution.executed()));
      return;
    }
    Decided decided = ledger.decided(index);
    if (message instanceof Message.FetchBody fetch) {
      if (decided.id().equals(fetch.id()) && decided.batch().isPresent()) {
        context.journal.send(
            from, new Message.FetchedBody(ledger.position(index), decided.batch().get()));
        return;
      }
    }
    BatchId id = decided.id();
    context.journal.send(from, new Message.Decision(ledger.position(index), id));
  }
}
