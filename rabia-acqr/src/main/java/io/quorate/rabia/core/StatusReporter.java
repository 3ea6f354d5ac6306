package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.rabia.protocol.Message;
import java.util.HashMap;
import java.util.Map;

/**
 * Reports how far this replica is, so that the others notice who is behind (T3). Reports follow
 * each other at the status interval while the group executes, and ever less often while it does
 * not; a group in which every member is known to have executed the same slots sends none.
 */
final class StatusReporter {
  private static final int DOUBLINGS_MAX = 4;

  /** How many status intervals lie between two answers to the same peer. */
  private static final int ANSWER_INTERVALS = 10;

  private final Context context;
  private final Execution execution;
  private final Map<NodeId, Long> answeredAt = new HashMap<>();
  private long reported = Long.MIN_VALUE;
  private long reportedAt;
  private long dueAt;
  private int doublings;

  StatusReporter(Context context, Execution execution) {
    this.context = context;
    this.execution = execution;
  }

  /** Reports at once. */
  void start() {
    dueAt = context.now;
    tick();
  }

  /** When the next report is due; {@link Long#MAX_VALUE} while none is. */
  long dueAt() {
    return dueAt;
  }

  /** Reports if a report is due. */
  void tick() {
    if (context.now - dueAt >= 0) {
      send();
    }
  }

  private void send() {
    long executed = execution.executed().index();
    doublings = executed == reported ? Math.min(DOUBLINGS_MAX, doublings + 1) : 0;
    reported = executed;
    reportedAt = context.now;
    context.journal.send(
        context.membership.others(), new Message.Status(execution.executed()), Lsn.START);
    schedule();
  }

  /** At the end of every step: news are reported within the status interval. */
  void settle() {
    if (execution.executed().index() != reported) {
      doublings = 0;
      schedule();
    }
  }

  /** A peer has reported. */
  void received(NodeId peer, long executedThere) {
    context.peers.reported(peer, executedThere);
    long executed = execution.executed().index();
    if (!context.membership.others().contains(peer)) {
      if (executedThere < executed) {
        // A replica that is to become a member finds out where the group is.
        context.journal.send(peer, new Message.Status(execution.executed()));
      }
      return;
    }
    if (executedThere < executed) {
      doublings = 0;
    } else if (executedThere == executed && reported == executed) {
      answer(peer);
    }
    schedule();
  }

  /** What was sent to the peer before may be lost. */
  void connected(NodeId peer) {
    context.journal.send(peer, new Message.Status(execution.executed()));
  }

  /** A peer may not know what the last report to it said: it was lost, or the peer is new. */
  private void answer(NodeId peer) {
    long interval = ANSWER_INTERVALS * context.settings.timing().status();
    long last = Math.max(reportedAt, answeredAt.getOrDefault(peer, context.now - interval));
    if (context.now - last >= interval) {
      answeredAt.put(peer, context.now);
      context.journal.send(peer, new Message.Status(execution.executed()));
    }
  }

  private void schedule() {
    dueAt =
        isQuiet() ? Long.MAX_VALUE : reportedAt + (context.settings.timing().status() << doublings);
  }

  /** Whether a report would tell no member anything new. */
  private boolean isQuiet() {
    long executed = execution.executed().index();
    return reported == executed
        && execution.delivered() == executed
        && context.membership.others().stream()
            .allMatch(peer -> context.peers.executed(peer) == executed);
  }
}
