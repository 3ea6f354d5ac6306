package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.members.LocalMembership;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Brings this replica up to date when it is behind (T3). It fetches decisions from one peer while
 * that peer has them with their bodies, then from the next peer, and a snapshot only when every
 * peer that is ahead has offered a snapshot instead, or has repeatedly not responded in time.
 */
final class CatchUp {
  private static final long NOTHING = Long.MIN_VALUE;

  /** Requests the offer of a snapshot instead of decisions. */
  private static final long SNAPSHOT = -1;

  /** After this many timeouts in a row a peer counts as one that cannot serve. */
  private static final int TIMEOUTS_MAX = 3;

  /** A snapshot that a peer has offered instead of decisions. */
  private record Offer(NodeId from, Position at) {}

  private final Context context;
  private final WeakMvc agreement;
  private final SlotExecutor execution;

  /**
   * The slot up to which a peer cannot serve decisions: it no longer has them or a body, or did not
   * respond in time, repeatedly.
   */
  private final Map<NodeId, Long> cannotServe = new HashMap<>();

  /** The requests in a row to which a peer did not respond in time. */
  private final Map<NodeId, Integer> timeouts = new HashMap<>();

  /** The latest offer, until it is taken. */
  private Optional<Offer> offer = Optional.empty();

  /** The last slot whose decision a peer sent without the body that is missing here. */
  private long withoutBody = NOTHING;

  private long deliveredAtCheck = Long.MIN_VALUE;
  private long nextCheckAt;
  private long fetchedAt;
  private long fetchTimeout;
  private boolean outstanding;

  /** Whether the wait is for a response of {@link #requestedPeer}, and not for this replica. */
  private boolean awaitsResponse;

  private boolean behind;
  private boolean caughtUp;
  private boolean waitsForDurability;
  private NodeId requestedPeer;
  private long requestedSlot = NOTHING;

  /**
   * Index of the peer to request from, among those that can serve. The requested peer stays the
   * same while it can serve and responds in time.
   */
  private int peerIndex;

  /**
   * Index of the peer to request a snapshot from where bodies are missing: each in turn. {@link
   * #peerIndex} could meet a peer that is down every time, since decisions are requested between.
   */
  private int snapshotPeerIndex;

  CatchUp(Context context, WeakMvc agreement, SlotExecutor execution) {
    this.context = context;
    this.agreement = agreement;
    this.execution = execution;
  }

  /** When {@link #tick} has work to do; {@link Long#MAX_VALUE} while this replica is caught up. */
  long dueAt() {
    if (!behind && caughtUp && !waitsForDurability) {
      return Long.MAX_VALUE;
    }
    return outstanding ? Math.min(nextCheckAt, fetchedAt + fetchTimeout) : nextCheckAt;
  }

  /** Fetches immediately, to find out whether this replica is behind. */
  void start() {
    behind = true;
    nextCheckAt = context.now;
  }

  /** Processes a message of a member about a slot beyond the window (T4). */
  void receivedBeyondWindow(NodeId from, long index) {
    context.peers.reported(from, index - context.settings.alpha());
    behind = true;
  }

  /**
   * Checks the progress once per status interval. This replica is behind if it has delivered
   * nothing since the last check while others have executed more slots.
   */
  void tick() {
    if (context.now - nextCheckAt < 0) {
      return;
    }
    nextCheckAt = context.now + context.settings.timing().status();
    // In normal operation others are always a few slots ahead for a moment.
    behind |=
        execution.delivered() == deliveredAtCheck
            && context.peers.highest() > execution.delivered();
    deliveredAtCheck = execution.delivered();
    if (waitsForDurability) {
      context.effects.emit(new Effect.Flush(execution.executed()));
    }
  }

  /**
   * Whether this replica is a new member that has to wait: it may participate once all slots before
   * its configuration are durable here (S3).
   */
  private boolean waitsForDurability() {
    if (context.configurations.isUnknown()) {
      return false;
    }
    LocalMembership membership = context.configurations.at(execution.executed().index() + 1);
    return membership.includesSelf()
        && !context.configurations.mayParticipate(membership, execution.stateDurable().index());
  }

  /**
   * Restarts the check interval when others begin to be ahead of this replica, or when it begins to
   * wait for durability.
   */
  private void updateCaughtUp() {
    boolean caughtUpNow = context.peers.highest() <= execution.delivered();
    boolean waitsNow = waitsForDurability();
    if ((caughtUp && !caughtUpNow) || (!waitsForDurability && waitsNow)) {
      nextCheckAt = context.now + context.settings.timing().status();
      deliveredAtCheck = execution.delivered();
    }
    caughtUp = caughtUpNow;
    waitsForDurability = waitsNow;
  }

  /**
   * Fetches missing decisions and bodies, with one request for decisions in flight at a time.
   * Called at the end of every step.
   */
  void advance() {
    updateCaughtUp();
    fetchMissingBody();
    if (!behind) {
      return;
    }
    if (outstanding) {
      if (context.now - fetchedAt < fetchTimeout) {
        return;
      }
      outstanding = false;
      if (awaitsResponse) {
        timedOut();
      }
    }
    if (context.configurations.isUnknown()) {
      fetch(context.configurations.others(), SNAPSHOT);
      return;
    }
    long missing = execution.delivered() + 1;
    List<NodeId> ahead =
        context.configurations.others().stream()
            .filter(peer -> context.peers.executed(peer) >= missing)
            .toList();
    if (ahead.isEmpty()) {
      behind = false;
      outstanding = false;
    } else if (context.window.accepts(missing)) {
      fetch(ahead, missing);
    }
  }

  /**
   * Continues with the next peer. A single timeout does not mean that the peer has no decisions: it
   * may be slow, and a snapshot would cost far more.
   */
  private void timedOut() {
    if (timeouts.merge(requestedPeer, 1, Integer::sum) >= TIMEOUTS_MAX) {
      cannotServe.put(requestedPeer, execution.delivered() + 1);
    }
    requestedPeer = null;
    peerIndex++;
  }

  private void fetch(List<NodeId> candidates, long from) {
    if (candidates.isEmpty()) {
      return;
    }
    List<NodeId> serving = new ArrayList<>(candidates);
    serving.removeIf(peer -> cannotServe.getOrDefault(peer, Long.MIN_VALUE) >= from);
    if (serving.isEmpty()) {
      // A snapshot may be in transfer; if it does not arrive, every peer is tried again.
      cannotServe.clear();
      if (offer.isPresent() && offer.get().at().index() >= from) {
        fetchSnapshot(offer.get());
        return;
      }
      serving = candidates;
      peerIndex++;
      if (withoutBody == from) {
        int peer = Math.floorMod(snapshotPeerIndex++, serving.size());
        request(serving.get(peer), SNAPSHOT);
        return;
      }
    }
    boolean isSamePeer = requestedPeer != null && serving.contains(requestedPeer);
    request(isSamePeer ? requestedPeer : next(serving), from);
  }

  private NodeId next(List<NodeId> serving) {
    return serving.get(Math.floorMod(peerIndex, serving.size()));
  }

  private void request(NodeId peer, long from) {
    requestedPeer = peer;
    await(
        context.settings.timing().retransmission()
            << Math.min(timeouts.getOrDefault(peer, 0), TIMEOUTS_MAX));
    awaitsResponse = true;
    requestedSlot = from;
    context.effects.send(peer, new Message.FetchDecisions(from));
  }

  private void fetchSnapshot(Offer from) {
    offer = Optional.empty();
    await(context.settings.timing().status());
    context.effects.emit(new Effect.FetchSnapshot(from.from(), from.at()));
  }

  private void await(long timeout) {
    outstanding = true;
    awaitsResponse = false;
    fetchedAt = context.now;
    fetchTimeout = timeout;
  }

  void decisions(Message.Decisions received) {
    if (context.configurations.isUnknown()) {
      // The response to a former replica of this node. The epochs of its slots are unknown here.
      context.counters.foreign++;
      return;
    }
    if (received.from() == requestedSlot) {
      // A duplicate message must not begin a second sequence of fetches.
      outstanding = false;
      requestedSlot = NOTHING;
      awaitsResponse = false;
      timeouts.remove(requestedPeer);
      if (lacksBody(received)) {
        cannotServe.put(requestedPeer, received.from());
        withoutBody = received.from();
      }
    }
    long index = received.from();
    for (Decided decided : received.decided()) {
      if (context.window.accepts(index) && !agreement.learn(index, decided)) {
        // The state machine has to execute stored bodies before there is capacity for more.
        await(context.settings.timing().retransmission());
        return;
      }
      index++;
    }
  }

  /**
   * Whether the next slot cannot be executed by this response: the body of its batch is neither in
   * it nor here. The log of a peer begins with the decisions of slots whose bodies were in records
   * before them, and have been truncated.
   */
  private boolean lacksBody(Message.Decisions received) {
    if (received.from() != execution.delivered() + 1 || received.decided().isEmpty()) {
      return false;
    }
    Decided first = received.decided().get(0);
    return first.batch().isEmpty()
        && !first.id().isNone()
        && !execution.hasExecuted(first.id())
        && context.bodies.get(first.id()) == null;
  }

  /**
   * Processes a snapshot offer: the peer no longer has the requested decisions.
   *
   * @return whether the local state covers the offer, so that the checkpoint alone is sufficient
   */
  boolean isCheckpointSufficient(NodeId from, Checkpoint offered) {
    context.peers.reported(from, offered.at().index());
    long missing = execution.delivered() + 1;
    if (offered.at().index() < missing) {
      return false;
    }
    if (execution.stateDurable().covers(offered.at())) {
      return true;
    }
    cannotServe.put(from, missing);
    timeouts.remove(from);
    Offer latest = new Offer(from, offered.at());
    boolean othersHaveDecisions =
        context.configurations.others().stream()
            .anyMatch(
                peer ->
                    context.peers.executed(peer) >= missing
                        && cannotServe.getOrDefault(peer, Long.MIN_VALUE) < missing);
    if (othersHaveDecisions) {
      offer = Optional.of(latest);
      outstanding = false;
    } else {
      fetchSnapshot(latest);
    }
    return false;
  }

  /** Fetches the body of a winning batch that is missing here (C8). */
  private void fetchMissingBody() {
    Slot slot = execution.slotWithoutBody();
    if (slot == null
        || !agreement.hasCapacityFor(slot)
        || !context.bodyFetcher.isContentOverdue(slot)
        || context.bodyFetcher.isOutstanding(slot)) {
      return;
    }
    int proposer = slot.proposerOf(slot.decision(), slot.fetches / 2);
    List<NodeId> others = slot.membership().others();
    if (others.isEmpty()) {
      return;
    }
    // A member that has not proposed the batch may have received it by now.
    NodeId from =
        proposer >= 0 && slot.fetches % 3 != 2
            ? slot.membership().node(proposer)
            : others.get(slot.fetches / 3 % others.size());
    context.bodyFetcher.fetch(slot, from, slot.decision());
  }
}
