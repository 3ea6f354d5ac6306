package io.quorate.ratis.coded;

import io.quorate.common.Budget;
import io.quorate.common.Failures;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyReference;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.ProposeResult;
import io.quorate.ratis.coded.BodyRound.Action;
import io.quorate.ratis.coded.BodyRound.Form;
import io.quorate.ratis.erasure.CodeShape;
import io.quorate.ratis.erasure.CodedValue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's part: makes each body durable at enough servers, and then proposes its header (ADR
 * 0029, rules 1 and 2). Any thread; nothing blocks.
 */
final class BodyProposer {
  private static final Logger LOG = LoggerFactory.getLogger(BodyProposer.class);
  private static final Duration RETRY_AFTER = Duration.ofMillis(20);

  private final GroupId group;
  private final BodyNode node;
  private final CodedSettings settings;
  private final List<NodeId> members;
  private final BodyQuorums quorums;
  private final CodeShape shape;
  private final LocalBodies local;
  private final BodyPeers peers;
  private final Replica replica;
  private final BodyMetrics metrics;
  private final Budget inFlight;

  /**
   * Guards the rounds and the numbers. Headers are passed to the replica under it, so that they
   * reach the log in the order of their floors.
   */
  private final Object lock = new Object();

  private final Set<CodedRound> rounds = new HashSet<>();

  /**
   * Followers that were late with a body, until they store one in time: they may respond to Raft
   * and have a slow disk. No later body waits for them.
   */
  private final Set<NodeId> late = new HashSet<>();

  private BodyNumbers numbers = new BodyNumbers(Long.MIN_VALUE);
  private volatile boolean closed;

  /**
   * @param members all servers of the group, in the order of the fragments
   */
  BodyProposer(
      GroupId group,
      BodyNode node,
      List<NodeId> members,
      LocalBodies local,
      BodyPeers peers,
      Replica replica,
      BodyMetrics metrics) {
    this.group = group;
    this.node = node;
    this.settings = node.settings();
    this.members = List.copyOf(members);
    this.quorums = settings.quorums(members.size());
    this.shape = new CodeShape(quorums.dataFragments(), members.size() - quorums.dataFragments());
    this.local = local;
    this.peers = peers;
    this.replica = replica;
    this.metrics = metrics;
    this.inFlight = node.budgets().outgoing();
  }

  CompletableFuture<ProposeResult> propose(
      ByteBuffer body, Function<BodyReference, Command> command) {
    Standing standing = replica.standing().get();
    if (!standing.leads()) {
      return CompletableFuture.failedFuture(standing.refusal(node.self()));
    }
    ByteBuffer content = body.slice();
    int bytes = content.remaining();
    long held = bytes + (long) shape.parityFragments() * shape.fragmentBytes(bytes);
    if (!inFlight.tryAcquireAnySizeAlone(held)) {
      return CompletableFuture.failedFuture(overloaded());
    }
    CodedRound round;
    synchronized (lock) {
      if (closed || standing.term() < numbers.epoch()) {
        inFlight.release(held);
        return CompletableFuture.failedFuture(
            closed
                ? closing()
                : new ConsensusException.Unavailable("This replica has begun a new term."));
      }
      if (standing.term() > numbers.epoch()) {
        numbers = new BodyNumbers(standing.term());
      }
      round =
          new CodedRound(
              new BodyId(group, numbers.epoch(), numbers.assign()),
              numbers,
              bytes,
              held,
              System.nanoTime() + settings.timeout().toNanos() + settings.transferNanos(bytes),
              command);
      rounds.add(round);
    }
    try {
      node.workers().execute(() -> begin(round, content));
    } catch (RejectedExecutionException e) {
      giveUp(round, overloaded());
    }
    // Not a dependent stage, which would wrap the exception it fails with.
    return round.outcome();
  }

  /** Encodes the body and sends it. On a worker. */
  private void begin(CodedRound round, ByteBuffer body) {
    if (isOver(round)) {
      return;
    }
    try {
      CodedValue value = node.coder().encode(body, shape);
      ByteBuffer layout = new BodyLayout(value.header(), members).encode();
      List<NodeId> responsive = prompt();
      BodyRound decisions = new BodyRound(quorums, node.self(), followers(responsive));
      List<Action> actions;
      synchronized (lock) {
        if (round.isOver()) {
          return;
        }
        round.begin(
            decisions,
            body,
            value,
            layout,
            new FallbackTimer(
                settings.fallbackAfter(),
                settings.stallTime(members.size()),
                shape.fragmentBytes(round.bytes()),
                System.nanoTime()),
            peers.acknowledged());
        // Without a fallback every follower counts as responsive: fragments only.
        actions =
            settings.fallback()
                ? round.start(responsive, settings.extraCopies())
                : round.start(members, 0);
      }
      CodedPoints.ENCODED.passed(step(round, node.self()));
      perform(round, actions);
      local
          .store(round.id(), Form.COMPLETE, 0, List.of(body.duplicate()))
          .whenComplete((form, failure) -> ownCopyEnded(round, failure));
    } catch (RuntimeException e) {
      LOG.error("A body was not replicated body={}", round.id(), e);
      giveUp(round, new ConsensusException.Unavailable("The body was not replicated: " + e));
    }
  }

  private CodedPoints.Step step(CodedRound round, NodeId peer) {
    return new CodedPoints.Step(node.self(), peer, round.id());
  }

  private boolean isOver(CodedRound round) {
    synchronized (lock) {
      return round.isOver();
    }
  }

  private void ownCopyEnded(CodedRound round, Throwable failure) {
    if (failure == null) {
      CodedPoints.OWN_COPY_DURABLE.passed(step(round, node.self()));
      durable(round, node.self(), Form.COMPLETE);
    } else {
      giveUp(
          round,
          new ConsensusException.Unavailable(
              "The leader did not store the body: " + Failures.unwrap(failure).getMessage()));
    }
  }

  /** The followers that have responded lately and are not late, those that responded last first. */
  private List<NodeId> prompt() {
    List<NodeId> responsive = new ArrayList<>(replica.responsive().get());
    synchronized (lock) {
      responsive.removeAll(late);
    }
    return responsive;
  }

  /** The other members, those that responded last first. */
  private List<NodeId> followers(List<NodeId> responsive) {
    List<NodeId> order = new ArrayList<>(responsive);
    order.retainAll(members);
    members.stream().filter(member -> !order.contains(member)).forEach(order::add);
    order.remove(node.self());
    return order;
  }

  private void perform(CodedRound round, List<Action> actions) {
    for (Action action : actions) {
      if (action instanceof Action.SendFragment fragment) {
        send(round, round.fragment(fragment.to(), members.indexOf(fragment.to())));
      } else if (action instanceof Action.SendComplete complete) {
        send(round, round.complete(complete.to()));
      } else {
        proposeHeader(round);
      }
    }
  }

  private void send(CodedRound round, CodedRound.Content content) {
    BodyTransfer transfer =
        new BodyTransfer(
            peers,
            node.workers(),
            settings.chunkBytes(),
            content.to(),
            round.id(),
            content.body(),
            content.checksum(),
            () -> !closed && round.isWanted());
    synchronized (lock) {
      if (!round.add(content.to(), transfer, content.body().form())) {
        return;
      }
    }
    transfer
        .start()
        .whenComplete(
            (form, failure) -> {
              if (failure == null) {
                CodedPoints.ACKNOWLEDGED.passed(step(round, content.to()));
                durable(round, content.to(), form);
              } else {
                LOG.debug("A follower did not store a body body={}", round.id(), failure);
              }
              drop(round);
            });
  }

  private void durable(CodedRound round, NodeId server, Form form) {
    List<Action> actions;
    long now = System.nanoTime();
    synchronized (lock) {
      if (round.isInTime(server, now, peers.acknowledged(server))) {
        late.remove(server);
      }
      actions = round.durable(server, form, now);
    }
    perform(round, actions);
  }

  private void proposeHeader(CodedRound round) {
    CompletableFuture<ProposeResult> proposed;
    CodedPoints.BEFORE_HEADER.passed(step(round, node.self()));
    synchronized (lock) {
      if (round.isOver()) {
        return;
      }
      rounds.remove(round);
      try {
        proposed = replica.propose().apply(round.propose());
      } catch (RuntimeException e) {
        proposed = CompletableFuture.failedFuture(e);
      }
      metrics.proposed(round.hasSentComplete());
    }
    CodedPoints.HEADER_PROPOSED.passed(step(round, node.self()));
    proposed.whenComplete(
        (result, failure) -> {
          if (failure == null) {
            round.outcome().complete(result);
          } else {
            round.outcome().completeExceptionally(Failures.unwrap(failure));
          }
          drop(round);
        });
  }

  private void giveUp(CodedRound round, ConsensusException reason) {
    synchronized (lock) {
      if (round.isOver()) {
        return;
      }
      round.giveUp();
      rounds.remove(round);
    }
    round.outcome().completeExceptionally(reason);
    drop(round);
  }

  /**
   * The bytes of a round are in use until its outcome is known and all its transfers have ended.
   */
  private void drop(CodedRound round) {
    boolean isLast;
    synchronized (lock) {
      isLast = round.isLastUse();
    }
    if (isLast) {
      inFlight.release(round.heldBytes());
    }
  }

  /** To be called many times a second. Does not block. */
  void tick(long nowNanos) {
    List<CodedRound> inProgress;
    synchronized (lock) {
      inProgress = List.copyOf(rounds);
    }
    if (inProgress.isEmpty()) {
      return;
    }
    Standing standing = replica.standing().get();
    for (CodedRound round : inProgress) {
      if (standing.term() > round.id().epoch()) {
        giveUp(round, standing.refusal(node.self()));
      } else if (round.isOverdue(nowNanos)) {
        giveUp(round, late());
      } else if (settings.fallback()) {
        fallBackIfDue(round, nowNanos);
      }
    }
  }

  private void fallBackIfDue(CodedRound round, long nowNanos) {
    List<Action> actions;
    synchronized (lock) {
      Set<NodeId> lateNow = round.late(nowNanos, peers::acknowledged);
      if (lateNow.isEmpty()) {
        return;
      }
      late.addAll(lateNow);
      List<NodeId> responsive = prompt();
      if (!round.hasFallenBack()) {
        metrics.fallback();
      }
      actions = round.fallBack(responsive, nowNanos);
    }
    try {
      // Each first chunk is copied, which would occupy the timer.
      node.workers()
          .execute(
              () -> {
                CodedPoints.FALLBACK_DUE.passed(step(round, node.self()));
                perform(round, actions);
              });
    } catch (RejectedExecutionException e) {
      LOG.debug("Complete copies of a body are sent after the next fallback body={}", round.id());
    }
  }

  /** Fails the rounds in progress; transfers end with their present chunk. */
  void close() {
    List<CodedRound> inProgress;
    synchronized (lock) {
      closed = true;
      inProgress = List.copyOf(rounds);
    }
    inProgress.forEach(round -> giveUp(round, closing()));
  }

  private static ConsensusException closing() {
    return new ConsensusException.Unavailable("This replica is closing.");
  }

  private ConsensusException late() {
    return new ConsensusException.Unavailable(
        "The body was not durable at enough replicas within "
            + settings.timeout().toMillis()
            + "ms (raft.coded.timeout) and the time of its transfer (raft.coded.transfer-rate-min).");
  }

  private static ConsensusException overloaded() {
    return new ConsensusException.Overloaded(
        "Too many bodies are in flight (raft.coded.bodies-in-flight-max,"
            + " raft.coded.bodies-in-flight-size-max).",
        RETRY_AFTER);
  }
}
