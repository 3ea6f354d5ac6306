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
    Findings found = new Findings();
    servingState.writeRefusal().ifPresent(why -> found.add(why, refusal()));
    storageFailures.get().forEach(why -> found.add(why, "The storage of this node has failures."));
    lostReplicas.get().forEach(why -> found.add(why, "A replica of this node is lost."));
    for (LocalReplica region : topology.hosted()) {
      // One that is to be added is no part of its region yet, and one that was removed none any
      // more.
      if (region.assignment().isOn(topology.self())) {
        addTo(found, region);
      }
    }
    // Damaged rows are also why writes are refused.
    return new Health(
        found.problems.stream().distinct().toList(), found.outline.stream().distinct().toList());
  }

  /** The problems, and what everyone may know of them. */
  private static final class Findings {
    final List<String> problems = new ArrayList<>();
    final List<String> outline = new ArrayList<>();

    void add(String problem, String forEveryone) {
      problems.add(problem);
      outline.add(forEveryone);
    }
  }

  private String refusal() {
    return switch (servingState.phase()) {
      case STARTING -> "This node is starting.";
      case STOPPING -> "This node is stopping.";
      case SERVING -> "This node refuses writes.";
    };
  }

  private void addTo(Findings found, LocalReplica region) {
    String here = "Region " + region.assignment().id() + ": this replica ";
    GroupStatus view = region.group().view();
    if (!view.hibernating() && view.problem().isPresent()) {
      found.add(here + view.problem().get() + ".", here + "takes no part in its region.");
    } else if (!view.hibernating()) {
      unserved(region, view).ifPresent(why -> found.add(why, why));
    }
    behind(region).ifPresent(why -> found.add(why, why));
    differences
        .of(region.assignment().id())
        .ifPresent(
            difference ->
                found.add(here + difference + ".", here + "differs from those of other nodes."));
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

  private Optional<String> unserved(LocalReplica region, GroupStatus view) {
    String name = "Region " + region.assignment().id();
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
