package io.quorate.ratis;

import io.quorate.common.Failures;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.model.NodeId;
import io.quorate.ratis.read.Followers;
import io.quorate.replication.coded.BodyService;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;
import org.apache.ratis.protocol.exceptions.SetConfigurationException;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes the members of a group by joint consensus (Ongaro and Ousterhout, USENIX ATC 2014,
 * section 6), as Ratis implements it: the new member receives the log first, without a vote; then
 * majorities of both the former and the new members decide, until the new configuration is
 * committed.
 *
 * <p>A member is replaced by two such changes. A leader never removes itself: Ratis would close its
 * replica a second later, without a transfer. It transfers the leadership to a member that stays,
 * which receives the next request.
 */
final class RatisMembership implements Membership {
  private static final Logger LOG = LoggerFactory.getLogger(RatisMembership.class);

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final RaftServer server;
  private final RaftServer.Division division;
  private final Leadership leadership;
  private final Followers followers;
  private final Duration maxSilence;
  private final ReplicaTransport transport;
  private final Optional<BodyService> bodies;
  private final Executor executor;
  private final ClientId self = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();

  /**
   * The term of the change in progress, which may have two steps; 0 if there is none. Another one
   * in its term waits for it: between its steps, Ratis would accept that one and the second step
   * after it.
   */
  private final AtomicLong termOfChange = new AtomicLong();

  /**
   * @param followers as this replica sees them while it leads
   * @param maxSilence a member that has been silent for longer is removed before another one is
   *     added in its place; also the timeout of the transfer by which a leader prepares its removal
   * @param transport of this replica, to which a new member is connected before it is one: it may
   *     fetch a snapshot from the leader
   * @param bodies admits changes for which bodies are copied
   * @param executor executes what may wait for Ratis' locks
   */
  RatisMembership(
      RaftServer server,
      RaftServer.Division division,
      Leadership leadership,
      Followers followers,
      Duration maxSilence,
      ReplicaTransport transport,
      Optional<BodyService> bodies,
      Executor executor) {
    this.server = server;
    this.division = division;
    this.leadership = leadership;
    this.followers = followers;
    this.maxSilence = maxSilence;
    this.transport = transport;
    this.bodies = bodies;
    this.executor = executor;
  }

  @Override
  public CompletionStage<Void> change(List<Member> members, long epoch, long number) {
    if (!division.getInfo().isLeader()) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Redirect(
              Optional.ofNullable(division.getInfo().getLeaderId()).map(RaftIds::node)));
    }
    if (division.getInfo().getCurrentTerm() != epoch) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable(
              "Nothing was changed: there was an election meanwhile."));
    }
    RaftConfiguration configuration = division.getRaftConf();
    List<RaftPeer> current = List.copyOf(configuration.getCurrentPeers());
    List<NodeId> present = nodes(current);
    List<NodeId> wanted = members.stream().map(Member::node).toList();
    if (!Membership.isOneChange(present, wanted)) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Invalid(
              "A change adds one member, removes one, or replaces one; the members are "
                  + present
                  + "."));
    }
    if (!wanted.contains(RaftIds.node(division.getId()))) {
      return transferAway(present, wanted);
    }
    long former = termOfChange.get();
    if (former == epoch || !termOfChange.compareAndSet(former, epoch)) {
      return CompletableFuture.failedFuture(inProgress());
    }
    return change(current, members, epoch)
        .whenComplete((done, failure) -> termOfChange.compareAndSet(epoch, 0));
  }

  private CompletionStage<Void> change(List<RaftPeer> current, List<Member> members, long epoch) {
    List<NodeId> wanted = members.stream().map(Member::node).toList();
    transport.add(wanted);
    if (bodies.isEmpty()) {
      return changeOverlapping(current, RaftIds.peers(members), epoch);
    }
    try {
      bodies.get().changeRequested(wanted);
    } catch (ConsensusException e) {
      return CompletableFuture.failedFuture(e);
    }
    return changeOverlapping(current, RaftIds.peers(members), epoch)
        .whenComplete((done, failure) -> bodies.get().changeEnded());
  }

  private static ConsensusException inProgress() {
    return new ConsensusException.Overloaded(
        "Another change of members is in progress.", RETRY_AFTER);
  }

  /**
   * Replaces a member in two changes. A leader that Ratis 3.3.0 elects during a change completes it
   * with its first entry, whether or not a majority of the former members has the change. Only
   * where every majority of the former members has a member in common with every one of the next is
   * that safe (decision 0057).
   */
  private CompletionStage<Void> changeOverlapping(
      List<RaftPeer> current, List<RaftPeer> next, long epoch) {
    Map<NodeId, RaftPeer> peers = new HashMap<>();
    current.forEach(peer -> peers.put(RaftIds.node(peer.getId()), peer));
    next.forEach(peer -> peers.putIfAbsent(RaftIds.node(peer.getId()), peer));
    List<List<RaftPeer>> steps =
        ReplacementSteps.of(nodes(current), nodes(next), this::responds).stream()
            .map(step -> step.stream().map(peers::get).toList())
            .toList();
    for (List<RaftPeer> step : steps) {
      // A new member receives the log before it is one.
      List<NodeId> responding =
          nodes(step).stream()
              .filter(node -> !nodes(current).contains(node) || responds(node))
              .toList();
      if (2 * responding.size() <= step.size()) {
        return CompletableFuture.failedFuture(
            new ConsensusException.Unavailable(
                "Nothing was changed: of "
                    + nodes(step)
                    + ", which would be the members, only "
                    + responding
                    + " have responded to this leader of late, and these have no majority."));
      }
    }
    List<RaftPeer> first = steps.get(0);
    return steps.size() == 1
        ? submit(current, next)
        : submit(current, first)
            .thenCompose(
                done ->
                    secondStep(first, next, epoch)
                        .exceptionallyCompose(
                            failure -> CompletableFuture.failedFuture(halfDone(failure))));
  }

  private static List<NodeId> nodes(List<RaftPeer> peers) {
    return peers.stream().map(peer -> RaftIds.node(peer.getId())).toList();
  }

  /**
   * Whether a member has accepted entries of this leader in its term, and responded of late. Right
   * after an election, one that is dead has not been silent for long.
   */
  private boolean responds(NodeId node) {
    return node.equals(RaftIds.node(division.getId()))
        || followers.members().stream()
            .filter(follower -> follower.id().equals(RaftIds.peerId(node)))
            .anyMatch(
                follower -> follower.hasAccepted() && follower.silent().compareTo(maxSilence) <= 0);
  }

  private CompletionStage<Void> secondStep(List<RaftPeer> first, List<RaftPeer> next, long epoch) {
    return division.getInfo().getCurrentTerm() == epoch
        ? submit(first, next)
        : CompletableFuture.failedFuture(
            new ConsensusException.Unavailable("There was an election meanwhile."));
  }

  private static ConsensusException halfDone(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    return new ConsensusException.Indeterminate(
        "The first of two changes, an addition and a removal, is in force, and the second one is"
            + " not known to be: "
            + cause.getMessage(),
        cause);
  }

  /** Fails with the new leader, or with the reason why there is none. */
  private CompletionStage<Void> transferAway(List<NodeId> present, List<NodeId> wanted) {
    CompletionStage<NodeId> successor =
        CompletableFuture.failedFuture(
            new ConsensusException.Invalid("No present member would remain."));
    for (NodeId target : present.stream().filter(wanted::contains).toList()) {
      successor =
          successor.exceptionallyCompose(
              failure -> leadership.transferTo(target, maxSilence).thenApply(done -> target));
    }
    return successor.thenCompose(
        leader ->
            CompletableFuture.failedFuture(new ConsensusException.Redirect(Optional.of(leader))));
  }

  private CompletionStage<Void> submit(List<RaftPeer> current, List<RaftPeer> next) {
    SetConfigurationRequest request =
        new SetConfigurationRequest(
            self,
            division.getId(),
            division.getMemberId().getGroupId(),
            calls.incrementAndGet(),
            SetConfigurationRequest.Arguments.newBuilder()
                .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                .setServersInCurrentConf(current)
                .setServersInNewConf(next)
                .build());
    CompletableFuture<RaftClientReply> reply;
    try {
      reply =
          CompletableFuture.supplyAsync(() -> send(request), executor).thenCompose(sent -> sent);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable("This node is closing or has too much to do."));
    }
    return reply.handle(
        (response, failure) -> {
          Throwable cause = failure == null ? response.getException() : Failures.unwrap(failure);
          if (cause instanceof IllegalStateException) {
            stepDown(request.getRaftGroupId());
          }
          if (cause != null) {
            throw classify(cause);
          }
          followers.membersChanged();
          RaftPoints.CHANGED.passed(request.getRaftGroupId());
          return null;
        });
  }

  private CompletableFuture<RaftClientReply> send(SetConfigurationRequest request) {
    try {
      RaftPoints.BEFORE_CHANGE.reached(request.getRaftGroupId());
      return server.setConfigurationAsync(request);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Ends this leadership, because Ratis would fail every later change too. A leader that was
   * elected during a removal goes on to send entries to the removed member, and Ratis does not add
   * a member to which it sends entries; nor does it accept a change after one that failed so. The
   * next leader, which may be this replica again, begins anew.
   */
  private void stepDown(RaftGroupId group) {
    LOG.atInfo()
        .addKeyValue("region", group)
        .log("This leader steps down, because it cannot change the members");
    TransferLeadershipRequest request =
        new TransferLeadershipRequest(
            self, division.getId(), group, calls.incrementAndGet(), null, maxSilence.toMillis());
    try {
      server
          .transferLeadershipAsync(request)
          .whenComplete(
              (reply, failure) -> {
                if (failure != null || !reply.isSuccess()) {
                  LOG.atDebug().addKeyValue("region", group).log("It did not step down");
                }
              });
    } catch (IOException e) {
      LOG.atDebug().setCause(e).addKeyValue("region", group).log("It did not step down");
    }
  }

  /** Ratis throws some of these, and responds with others. */
  private static ConsensusException classify(Throwable cause) {
    if (cause instanceof ReconfigurationInProgressException) {
      return inProgress();
    }
    if (cause instanceof ReconfigurationTimeoutException) {
      return new ConsensusException.Unavailable(
          "The new member did not respond in time; the members are unchanged.");
    }
    if (cause instanceof SetConfigurationException) {
      return new ConsensusException.Invalid("Ratis rejected the change: " + cause.getMessage());
    }
    if (cause instanceof LeaderNotReadyException) {
      return new ConsensusException.Unavailable("The leader is new and has not committed yet.");
    }
    return new ConsensusException.Indeterminate(
        "The change of members may be in force now or later: " + cause.getMessage(), cause);
  }
}
