package io.quorate.server.node;

import io.quorate.consensus.GroupStatus;
import io.quorate.server.admin.Health;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The health of this node: it accepts writes and can store them, none of its replicas is lost, and
 * every local replica takes part in its region and has a known leader or, in a cluster without
 * leaders, has contact with a quorum of its region. A replica that hibernates is well.
 */
final class NodeHealth implements Supplier<Health> {
  private final ClusterTopology topology;
  private final ServingState servingState;
  private final Supplier<List<String>> storageFailures;
  private final Supplier<List<String>> lostReplicas;

  /**
   * @param storageFailures why storage cannot write now, one sentence each
   * @param lostReplicas which replicas of this node are lost, one sentence each
   */
  NodeHealth(
      ClusterTopology topology,
      ServingState servingState,
      Supplier<List<String>> storageFailures,
      Supplier<List<String>> lostReplicas) {
    this.topology = topology;
    this.servingState = servingState;
    this.storageFailures = storageFailures;
    this.lostReplicas = lostReplicas;
  }

  @Override
  public Health get() {
    List<String> problems = new ArrayList<>();
    servingState.writeRefusal().ifPresent(problems::add);
    problems.addAll(storageFailures.get());
    problems.addAll(lostReplicas.get());
    for (LocalReplica region : topology.hosted()) {
      problem(region).ifPresent(problems::add);
    }
    // Damaged rows are also why writes are refused.
    return new Health(problems.stream().distinct().toList());
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
