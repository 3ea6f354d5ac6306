package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.Message;
import java.util.List;

/**
 * Serves replicas that are behind (T3, C9): sends them the decisions of executed slots from memory
 * or from the log or, if neither has them, offers a snapshot.
 */
final class PeerHelp {
  private final Context context;
  private final WeakMvc agreement;
  private final SlotExecutor execution;

  PeerHelp(Context context, WeakMvc agreement, SlotExecutor execution) {
    this.context = context;
    this.agreement = agreement;
    this.execution = execution;
  }

  void respond(NodeId from, Message.FetchDecisions fetch) {
    DecisionLog decisionLog = execution.decisionLog();
    Settings.Bounds bounds = context.settings.bounds();
    if (decisionLog.holds(fetch.from())) {
      List<Decided> decided =
          decisionLog.decided(fetch.from(), bounds.fetchedSlots(), bounds.fetchedBytes());
      context.effects.send(from, new Message.Decisions(fetch.from(), decided));
    } else if (fetch.from() > execution.executed().index() || context.configurations.isUnknown()) {
      return;
    } else if (fetch.from() < 0) {
      offerSnapshot(from);
    } else {
      context.effects.emit(
          new Effect.SendFromLog(from, fetch.from(), bounds.fetchedSlots(), bounds.fetchedBytes()));
    }
  }

  /** Offers a snapshot instead of decisions. */
  void offerSnapshot(NodeId to) {
    execution
        .decisionLog()
        .checkpointAt(execution.executed().index())
        .ifPresent(here -> context.effects.send(to, new Message.SnapshotOffer(here)));
  }

  /** Responds to a message about a slot that is executed here. */
  void respondExecuted(NodeId from, Message.OfSlot message) {
    if (message instanceof Message.Decision || message instanceof Message.FetchedBody) {
      return;
    }
    if (message instanceof Message.FetchBody fetch) {
      // A batch that lost this slot may be queued for another one.
      agreement.sendBody(from, fetch.at(), fetch.id());
    }
    long index = message.at().index();
    DecisionLog decisionLog = execution.decisionLog();
    if (!decisionLog.holds(index)) {
      context.effects.send(from, new Message.Status(execution.executed()));
      return;
    }
    Decided decided = decisionLog.decided(index);
    if (message instanceof Message.FetchBody fetch
        && decided.id().equals(fetch.id())
        && decided.batch().isPresent()) {
      context.effects.send(
          from, new Message.FetchedBody(decisionLog.position(index), decided.batch().get()));
      return;
    }
    context.effects.send(from, new Message.Decision(decisionLog.position(index), decided.id()));
  }
}
