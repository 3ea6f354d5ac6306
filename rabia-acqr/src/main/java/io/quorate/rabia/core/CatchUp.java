package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * T3: brings this replica up to the others when it is behind. It fetches decisions from one peer as
 * long as that one has them, from the next one otherwise, and a snapshot only when every peer that
 * is ahead has offered one instead.
 */
final class CatchUp {
  private static final long NOTHING = Long.MIN_VALUE;

  private final Context context;
  private final Agreement agreement;
  private final Execution execution;

  /** Up to which slot a peer cannot help: it has no decisions any more, or does not respond. */
  private final Map<NodeId, Long> unable = new HashMap<>();

  private long deliveredAtCheck = Long.MIN_VALUE;
  private long nextCheckAt;
  private long fetchedAt;
  private long fetchTimeout;
  private boolean outstanding;
  private boolean behind;
  private boolean level;
  private boolean waitsForDurability;
  private NodeId requested;
  private long requestedFrom = NOTHING;

  /** Which of the peers that can help is the next one to; the same one as long as it can. */
  private int turn;

  CatchUp(Context context, Agreement agreement, Execution execution) {
    this.context = context;
    this.agreement = agreement;
    this.execution = execution;
  }

  /** When {@link #tick} has something to do; {@link Long#MAX_VALUE} while this replica is level. */
  long dueAt() {
    if (!behind && level && !waitsForDurability) {
      return Long.MAX_VALUE;
    }
    return outstanding ? Math.min(nextCheckAt, fetchedAt + fetchTimeout) : nextCheckAt;
  }

  /** Fetches at once, if only to find out whether it is behind. */
  void start() {
    behind = true;
    nextCheckAt = context.now;
  }

  /** A member speaks in a slot beyond the window (T4). */
  void speaksAhead(NodeId from, long index) {
    context.peers.reported(from, index - context.settings.alpha());
    behind = true;
  }

  /** A replica that executed nothing for a status interval, while others did, is behind. */
  void tick() {
    if (context.now - nextCheckAt < 0) {
      return;
    }
    nextCheckAt = context.now + context.settings.timing().status();
    // In good times others are always a few slots ahead for a moment.
    behind |=
        execution.delivered() == deliveredAtCheck
            && context.peers.highest() > execution.delivered();
    deliveredAtCheck = execution.delivered();
    if (waitsForDurability) {
      context.journal.emit(new Effect.Flush(execution.executed()));
    }
  }

  /** S3: a new member may speak once all before its configuration is durable here. */
  private boolean waitsForDurability() {
    if (context.membership.isUnknown()) {
      return false;
    }
    Roster roster = context.membership.at(execution.executed().index() + 1);
    return roster.includesSelf()
        && !context.membership.maySpeak(roster, execution.stateDurable().index());
  }

  /** Others have executed slots that are not delivered here: a moment ago that was not so. */
  private void watchLevel() {
    boolean levelNow = context.peers.highest() <= execution.delivered();
    boolean waitsNow = waitsForDurability();
    if ((level && !levelNow) || (!waitsForDurability && waitsNow)) {
      nextCheckAt = context.now + context.settings.timing().status();
      deliveredAtCheck = execution.delivered();
    }
    level = levelNow;
    waitsForDurability = waitsNow;
  }

  /** Fetches what is missing, one request at a time; at the end of every step. */
  void advance() {
    watchLevel();
    fetchMissingBody();
    if (!behind) {
      return;
    }
    if (outstanding) {
      if (context.now - fetchedAt < fetchTimeout) {
        return;
      }
      outstanding = false;
      unable.put(requested, execution.delivered() + 1);
    }
    if (context.membership.isUnknown()) {
      fetch(context.membership.others(), -1);
      return;
    }
    long missing = execution.delivered() + 1;
    List<NodeId> ahead =
        context.membership.others().stream()
            .filter(peer -> context.peers.executed(peer) >= missing)
            .toList();
    if (ahead.isEmpty()) {
      behind = false;
      outstanding = false;
    } else if (context.window.accepts(missing)) {
      fetch(ahead, missing);
    }
  }

  private void fetch(List<NodeId> candidates, long from) {
    if (candidates.isEmpty()) {
      return;
    }
    List<NodeId> able = new ArrayList<>(candidates);
    able.removeIf(peer -> unable.getOrDefault(peer, Long.MIN_VALUE) >= from);
    if (able.isEmpty()) {
      // A snapshot may be on its way; if it does not come, every peer is tried again.
      unable.clear();
      able = candidates;
      turn++;
    }
    if (!able.contains(requested)) {
      requested = able.get(Math.floorMod(turn, able.size()));
    }
    await(context.settings.timing().retransmission());
    requestedFrom = from;
    context.journal.send(requested, new Message.FetchDecisions(from));
  }

  private void await(long timeout) {
    outstanding = true;
    fetchedAt = context.now;
    fetchTimeout = timeout;
  }

  void decisions(Message.Decisions received) {
    if (received.from() == requestedFrom) {
      // A message that comes twice must not begin a second sequence of fetches.
      outstanding = false;
      requestedFrom = NOTHING;
    }
    long index = received.from();
    for (Decided decided : received.decided()) {
      if (context.window.accepts(index) && !agreement.learn(index, decided)) {
        // The state machine has to execute what is here before there is room for more.
        await(context.settings.timing().retransmission());
        return;
      }
      index++;
    }
  }

  /**
   * A peer has no decisions to go on from, only its state.
   *
   * @return whether the state here holds all of it, so that the checkpoint alone is enough
   */
  boolean isEnough(NodeId from, Checkpoint offered) {
    context.peers.reported(from, offered.at().index());
    long missing = execution.delivered() + 1;
    if (offered.at().index() < missing) {
      return false;
    }
    if (execution.stateDurable().covers(offered.at())) {
      return true;
    }
    unable.put(from, missing);
    boolean othersHaveDecisions =
        context.membership.others().stream()
            .anyMatch(
                peer ->
                    context.peers.executed(peer) >= missing
                        && unable.getOrDefault(peer, Long.MIN_VALUE) < missing);
    if (othersHaveDecisions) {
      outstanding = false;
    } else {
      await(context.settings.timing().status());
      context.journal.emit(new Effect.FetchSnapshot(from, offered.at()));
    }
    return false;
  }

  /** C8: a batch has won whose body is not here. */
  private void fetchMissingBody() {
    Slot slot = execution.slotWithoutBody();
    if (slot == null
        || !agreement.hasRoomFor(slot)
        || !context.bodyFetcher.isContentOverdue(slot)
        || context.bodyFetcher.isOutstanding(slot)) {
      return;
    }
    int proposer = slot.proposerOf(slot.decision(), slot.fetches / 2);
    List<NodeId> others = slot.roster().others();
    if (others.isEmpty()) {
      return;
    }
    // Also whoever has not proposed it here may have it by now.
    NodeId from =
        proposer >= 0 && slot.fetches % 3 != 2
            ? slot.roster().node(proposer)
            : others.get(slot.fetches / 3 % others.size());
    context.bodyFetcher.fetch(slot, from, slot.decision());
  }
}
