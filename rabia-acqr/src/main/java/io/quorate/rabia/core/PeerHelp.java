package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.Message;
import java.util.List;

/**
 * T3 and C9, for others: gives replicas that are behind the decisions of executed slots, from
 * memory, from the log, or, where neither has them, the offer of a snapshot.
 */
final class PeerHelp {
  private final Context context;
  private final Agreement agreement;
  private final Execution execution;

  PeerHelp(Context context, Agreement agreement, Execution execution) {
    this.context = context;
    this.agreement = agreement;
    this.execution = execution;
  }

  void answer(NodeId from, Message.FetchDecisions fetch) {
    Ledger ledger = execution.ledger();
    Settings.Bounds bounds = context.settings.bounds();
    if (ledger.holds(fetch.from())) {
      List<Decided> decided =
          ledger.decided(fetch.from(), bounds.fetchedSlots(), bounds.fetchedBytes());
      context.journal.send(from, new Message.Decisions(fetch.from(), decided));
    } else if (fetch.from() > execution.executed().index() || context.membership.isUnknown()) {
      return;
    } else if (fetch.from() < 0) {
      offerSnapshot(from);
    } else {
      context.journal.emit(
          new Effect.SendFromLog(from, fetch.from(), bounds.fetchedSlots(), bounds.fetchedBytes()));
    }
  }

  /** Neither memory nor log has what a peer needs. */
  void offerSnapshot(NodeId to) {
    execution
        .ledger()
        .checkpointAt(execution.executed().index())
        .ifPresent(here -> context.journal.send(to, new Message.SnapshotOffer(here)));
  }

  /** A message about a slot that is executed here. */
  void answerExecuted(NodeId from, Message.OfSlot message) {
    if (message instanceof Message.Decision || message instanceof Message.FetchedBody) {
      return;
    }
    if (message instanceof Message.FetchBody fetch) {
      // A batch that lost this slot waits for another one.
      agreement.sendBody(from, fetch.at(), fetch.id());
    }
    long index = message.at().index();
    Ledger ledger = execution.ledger();
    if (!ledger.holds(index)) {
      context.journal.send(from, new Message.Status(execution.executed()));
      return;
    }
    Decided decided = ledger.decided(index);
    if (message instanceof Message.FetchBody fetch
        && decided.id().equals(fetch.id())
        && decided.batch().isPresent()) {
      context.journal.send(
          from, new Message.FetchedBody(ledger.position(index), decided.batch().get()));
      return;
    }
    context.journal.send(from, new Message.Decision(ledger.position(index), decided.id()));
  }
}
