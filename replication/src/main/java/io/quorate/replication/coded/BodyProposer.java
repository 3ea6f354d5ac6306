package io.quorate.replication.coded;

import io.quorate.common.Budget;
import io.quorate.common.Failures;
import io.quorate.common.LogLimit;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyReference;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.round.BodyRound;
import io.quorate.replication.coded.round.BodyRound.Action;
import io.quorate.replication.coded.round.BodyRound.Form;
import io.quorate.replication.erasure.CodeShape;
import io.quorate.replication.erasure.CodedValue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private static final LogLimit FAILING = new LogLimit();
  private static final Duration RETRY_AFTER = Duration.ofMillis(20);

  private final GroupId group;
  private final BodyNode node;
  private final CodedSettings settings;
  private final LocalBodies local;
  private final BodyPeers peers;
  private final Replica replica;
  private final BodyMetrics metrics;
  private final Budget inFlight;

  /**
   * Guards the rounds, the numbers and the choice of servers. Headers are passed to the replica
   * under it, so that they reach the log in the order of their floors.
   */
  private final Object lock = new Object();

  private final Set<CodedRound> rounds = new HashSet<>();
  private final BodyServers servers;

  private BodyNumbers numbers = new BodyNumbers(Long.MIN_VALUE);
  private volatile boolean closed;

  BodyProposer(
      GroupId group,
      BodyNode node,
      LocalBodies local,
      BodyPeers peers,
      Replica replica,
      BodyMetrics metrics) {
    this.group = group;
    this.node = node;
    this.settings = node.settings();
    this.local = local;
    this.peers = peers;
    this.replica = replica;
    this.metrics = metrics;
    this.inFlight = node.budgets().outgoing();
    this.servers = new BodyServers(node.self());
  }

  CompletableFuture<ProposeResult> propose(
      ByteBuffer body, Function<BodyReference, Command> command) {
    Standing standing = replica.standing().get();
    if (!standing.leads()) {
      return CompletableFuture.failedFuture(standing.refusal(node.self()));
    }
    ByteBuffer content = body.slice();
    CodeShape shape = shape(replica.members().get().present().size());
    int bytes = content.remaining();
    long held = bytes + (long) shape.parityFragments() * shape.fragmentBytes(bytes);
    if (!inFlight.tryAcquireAnySizeAlone(held)) {
      return CompletableFuture.failedFuture(overloaded());
    }
    CodedRound round;
    synchronized (lock) {
      if (closed || standing.term() < numbers.epoch()) {
        inFlight.release(held);
        return CompletableFuture.failedFuture(closed ? closing() : newTerm());
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

  private CodeShape shape(int servers) {
    int dataFragments = settings.quorums(servers).dataFragments();
    return new CodeShape(dataFragments, servers - dataFragments);
  }

  /** Encodes the body and sends it. On a worker. */
  private void begin(CodedRound round, ByteBuffer body) {
    if (isOver(round)) {
      return;
    }
    try {
      List<NodeId> coded = replica.members().get().present();
      CodedValue value = node.coder().encode(body, shape(coded.size()));
      List<Action> actions;
      synchronized (lock) {
        if (round.isOver()) {
          return;
        }
        BodyServers.Choice chosen =
            servers.choose(
                round.id().epoch(), coded, replica.members().get(), replica.responsive().get());
        BodyRound decisions =
            new BodyRound(
                node.self(),
                chosen.followers(),
                value.header().shape().dataFragments(),
                chosen.electorates());
        round.begin(
            decisions,
            body,
            value,
            new BodyLayout(value.header(), coded),
            new FallbackTimer(
                settings.copies().after(),
                settings.stallTime(chosen.all().size()),
                value.header().shape().fragmentBytes(round.bytes()),
                System.nanoTime()),
            peers.acknowledged());
        // Without a fallback every follower counts as responsive: fragments only.
        actions =
            settings.copies().enabled()
                ? round.start(chosen.prompt(), settings.copies().extra())
                : round.start(List.copyOf(chosen.all()), 0);
      }
      CodedPoints.ENCODED.passed(step(round, node.self()));
      perform(round, actions);
      local
          .store(round.id(), Form.COMPLETE, 0, List.of(body.duplicate()))
          .whenComplete((form, failure) -> ownCopyEnded(round, failure));
    } catch (RuntimeException e) {
      FAILING.log(
          n -> LOG.error("A body was not replicated body={}{}", round.id(), LogLimit.text(n), e));
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

  private void perform(CodedRound round, List<Action> actions) {
    for (Action action : actions) {
      if (action instanceof Action.SendFragment fragment) {
        send(round, round.fragment(fragment.to()));
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
            peers::store,
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
        servers.inTime(server);
      }
      actions = round.durable(server, form, now);
    }
    perform(round, actions);
  }

  private void proposeHeader(CodedRound round) {
    CompletableFuture<ProposeResult> proposed;
    CodedPoints.BEFORE_HEADER.passed(step(round, node.self()));
    synchronized (lock) {
      if (!round.isDue()) {
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
      } else if (settings.copies().enabled()) {
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
      servers.late(lateNow);
      if (!round.hasFallenBack()) {
        metrics.fallback();
      }
      actions = round.fallBack(servers.prompt(replica.responsive().get()), nowNanos);
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

  /**
   * Begins to prepare a change of members: bodies that are proposed from now on can be restored by
   * every majority of these members as well, see {@link io.quorate.consensus.BodyReplication}.
   *
   * @return the term of the preparation
   */
  long prepare(List<NodeId> members) {
    Standing standing = replica.standing().get();
    if (!standing.leads()) {
      throw standing.refusal(node.self());
    }
    GroupMembers now = replica.members().get();
    Map<CodedRound, List<Action>> actions = new LinkedHashMap<>();
    synchronized (lock) {
      if (closed || standing.term() < numbers.epoch()) {
        throw closed ? closing() : newTerm();
      }
      List<NodeId> next = servers.prepare(standing.term(), members, now);
      rounds.forEach(round -> actions.put(round, round.require(next)));
    }
    actions.forEach(this::perform);
    return standing.term();
  }

  /** Records that the bodies of a preparation are copied. */
  void prepared(long term, List<NodeId> members) {
    synchronized (lock) {
      servers.prepared(term, members);
    }
  }

  /**
   * Records a request to Raft for a change of members, which {@link #changeEnded} follows.
   *
   * @throws ConsensusException.Unavailable if the change is not prepared
   */
  void changeRequested(List<NodeId> members) {
    Standing standing = replica.standing().get();
    GroupMembers now = replica.members().get();
    synchronized (lock) {
      servers.changeRequested(standing.term(), members, now);
    }
  }

  void changeEnded() {
    GroupMembers now = replica.members().get();
    synchronized (lock) {
      servers.changeEnded(now);
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

  private static ConsensusException newTerm() {
    return new ConsensusException.Unavailable("This replica has begun a new term.");
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
