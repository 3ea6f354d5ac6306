package io.quorate.server.node.replicas;

import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Member;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.operation.Result;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.PlannedMerge;
import io.quorate.storage.snapshot.MergeState;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out planned merges (decision 0055). The replica that serves the second region freezes it;
 * then the one that serves the first region reads the frozen state from its own node, which has a
 * replica of the second one too, and proposes that the first region absorbs it. If that replica was
 * lost, or has not applied the freeze for a while, the leadership of the first region moves on to
 * its next member. A region that is too large for one command is not frozen any more, and the merge
 * is given up. Each step may be repeated, on any node. Blocks for the disk; one thread.
 */
public final class RegionMerges {
  private static final Logger LOG = LoggerFactory.getLogger(RegionMerges.class);

  /** After so many runs, about 10 seconds, a leader without the frozen state hands over. */
  public static final int RUNS_MAX = 50;

  private static final Duration TRANSFER_TIMEOUT = Duration.ofSeconds(2);

  private final ClusterTopology topology;

  RegionMerges(ClusterTopology topology) {
    this.topology = topology;
  }

  /**
   * Does what is next for a region.
   *
   * @param replica this node's replica of one of the two regions, which serves
   * @param runs for how many runs it has done so with the plan
   * @return completes when the first region has absorbed the second one, if the replica is of the
   *     first; when the merge is given up, if it is of the second. Fails otherwise, and is to be
   *     repeated
   */
  CompletionStage<Void> carryOut(PlannedMerge merge, LocalReplica replica, int runs) {
    return replica.assignment().id().equals(merge.into())
        ? absorb(merge, replica, runs)
        : freeze(merge, replica);
  }

  private CompletionStage<Void> absorb(PlannedMerge merge, LocalReplica replica, int runs) {
    if (replica.store().newestChange().compareTo(merge.number()) >= 0) {
      return CompletableFuture.completedFuture(null);
    }
    Optional<MergeState> frozen =
        topology
            .hosted(merge.absorbed())
            .map(absorbed -> absorbed.store().mergeState())
            .filter(state -> state.isFrozenBy(merge.number()));
    if (frozen.isEmpty()) {
      return handOver(merge, replica, runs)
          .thenCompose(
              done -> notYet("Region " + merge.absorbed() + " is not frozen on this node yet."));
    }
    Optional<Operation.Absorb> absorb = frozen.get().absorb(merge.number());
    if (absorb.isEmpty()) {
      return notYet(tooLarge(merge.absorbed()));
    }
    LOG.atInfo()
        .addKeyValue("region", merge.into())
        .addKeyValue("absorbed", merge.absorbed())
        .addKeyValue("bytes", absorb.get().state().remaining())
        .log("Merging two regions");
    return propose(absorb.get(), replica);
  }

  /** To the members in turn; whichever can absorb does so as soon as it leads. */
  private CompletionStage<Void> handOver(PlannedMerge merge, LocalReplica replica, int runs) {
    Optional<Leadership> leadership = replica.group().control(Leadership.class);
    if (runs % RUNS_MAX != 0 || leadership.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    List<NodeId> members =
        replica.group().view().members().stream()
            .map(Member::node)
            .sorted(Comparator.comparing(NodeId::value))
            .toList();
    int turn = members.indexOf(topology.self()) + runs / RUNS_MAX;
    NodeId target = members.get(turn % members.size());
    LOG.atInfo()
        .addKeyValue("region", merge.into())
        .addKeyValue("absorbed", merge.absorbed())
        .addKeyValue("target", target)
        .log("Transferring leadership, because this node does not have the state to absorb");
    return leadership.get().transferTo(target, TRANSFER_TIMEOUT);
  }

  private static CompletionStage<Void> freeze(PlannedMerge merge, LocalReplica replica) {
    MergeState state = replica.store().mergeState();
    if (!state.isPast(merge.number())) {
      // However large it is here: this replica may be behind, and the state as frozen decides.
      return propose(new Operation.Freeze(merge.number()), replica)
          .thenCompose(done -> notYet("Region " + merge.absorbed() + " is frozen now."));
    }
    if (!state.isFrozenBy(merge.number())) {
      return CompletableFuture.completedFuture(null);
    }
    if (state.contents().isPresent()) {
      return notYet("Region " + merge.into() + " has not absorbed the region yet.");
    }
    LOG.atInfo().addKeyValue("region", merge.absorbed()).log(tooLarge(merge.absorbed()));
    return propose(new Operation.Unfreeze(merge.number()), replica);
  }

  private static String tooLarge(GroupId region) {
    return "Region "
        + region
        + " has more than "
        + Operation.Absorb.STATE_BYTES_MAX
        + " bytes of rows and sessions, and cannot be absorbed.";
  }

  private static CompletionStage<Void> notYet(String reason) {
    return CompletableFuture.failedFuture(new ConsensusException.Unavailable(reason));
  }

  private static CompletionStage<Void> propose(Operation operation, LocalReplica replica) {
    return replica
        .group()
        .propose(new Command(new ClientCommand(RequestId.NONE, operation).encoded()))
        .thenAccept(
            outcome -> {
              Result result = Result.decode(outcome.result());
              if (!result.equals(Result.DONE)) {
                throw new ConsensusException.Unavailable("The regions do not merge: " + result);
              }
            });
  }
}
