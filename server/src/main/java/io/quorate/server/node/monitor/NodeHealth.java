package io.quorate.server.node.monitor;

import io.quorate.consensus.GroupStatus;
import io.quorate.server.admin.Health;
import io.quorate.server.digest.UndecidedDifferences;
import io.quorate.server.node.NodeStatusReport;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The health of this node: it accepts writes and can store them, none of its replicas is lost, and
 * every replica that is assigned to it takes part in its region, is not far behind, and has a known
 * leader or, in a cluster without leaders, has contact with a quorum of its region. A replica that
 * hibernates is well.
 *
 * <p>Whatever is a problem here is one in the status of the cluster too, which is computed from
 * what {@link NodeStatusReport} has of the same: one must not call for an operator alone.
 */
public final class NodeHealth implements Supplier<Health> {
  private final ClusterTopology topology;
  private final ServingState servingState;
  private final Supplier<List<String>> storageFailures;
  private final Supplier<List<String>> lostReplicas;
  private final UndecidedDifferences differences;
  private final ReplicaLag lag;

  /**
   * @param storageFailures why storage cannot write now, one sentence each
   * @param lostReplicas which replicas of this node are lost, one sentence each
   * @param differences of replicas without a majority that agrees
   * @param lag how far behind the replicas are
   */
  public NodeHealth(
      ClusterTopology topology,
      ServingState servingState,
      Supplier<List<String>> storageFailures,
      Supplier<List<String>> lostReplicas,
      UndecidedDifferences differences,
      ReplicaLag lag) {
    this.topology = topology;
    this.servingState = servingState;
    this.storageFailures = storageFailures;
    this.lostReplicas = lostReplicas;
    this.differences = differences;
    this.lag = lag;
  }

  @Override
  public Health get() {
    List<String> problems = new ArrayList<>();
    servingState.writeRefusal().ifPresent(problems::add);
    problems.addAll(storageFailures.get());
    problems.addAll(lostReplicas.get());
    for (LocalReplica region : topology.hosted()) {
      // One that is to be added is no part of its region yet, and one that was removed none any
      // more.
      if (region.assignment().isOn(topology.self())) {
        problem(region).ifPresent(problems::add);
        behind(region).ifPresent(problems::add);
        differs(region).ifPresent(problems::add);
      }
    }
    // Damaged rows are also why writes are refused.
    return new Health(problems.stream().distinct().toList());
  }

  private Optional<String> behind(LocalReplica region) {
    return lag.reported(region.assignment().id())
        .map(
            time ->
                String.format(
                    Locale.ROOT,
                    "Region %s: this replica has been behind for %d s.",
                    region.assignment().id(),
                    time.toSeconds()));
  }

  private Optional<String> differs(LocalReplica region) {
    return differences
        .of(region.assignment().id())
        .map(
            difference ->
                "Region " + region.assignment().id() + ": this replica " + difference + ".");
  }

  private Optional<String> problem(LocalReplica region) {
    GroupStatus view = region.group().view();
    if (view.hibernating()) {
      return Optional.empty();
    }
    String name = "Region " + region.assignment().id();
    if (view.problem().isPresent()) {
      return Optional.of(name + ": this replica " + view.problem().get() + ".");
    }
    if (topology.service().leadersOnly()) {
      return view.leader().isPresent()
          ? Optional.empty()
          : Optional.of(name + " has no leader that is known to this node.");
    }
    return view.serving()
        ? Optional.empty()
        : Optional.of(name + " does not serve here: this node has no contact with a quorum of it.");
  }
}
