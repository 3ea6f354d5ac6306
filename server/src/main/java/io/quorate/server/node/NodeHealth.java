package io.quorate.server.node;

import io.quorate.consensus.GroupView;
import io.quorate.server.admin.Health;
import io.quorate.server.cluster.ClusterMap;
import io.quorate.server.cluster.HostedRegion;
import io.quorate.server.door.ServiceGate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Whether this node serves: it takes writes, and can store them, and every region it holds has a
 * leader it knows or, where regions have no leaders, hears from a quorum of its replicas.
 */
final class NodeHealth implements Supplier<Health> {
  private final ClusterMap map;
  private final ServiceGate gate;
  private final Supplier<List<String>> storageFailures;

  /**
   * @param storageFailures what storage cannot write now, one sentence each
   */
  NodeHealth(ClusterMap map, ServiceGate gate, Supplier<List<String>> storageFailures) {
    this.map = map;
    this.gate = gate;
    this.storageFailures = storageFailures;
  }

  @Override
  public Health get() {
    List<String> problems = new ArrayList<>();
    gate.writeRefusal().ifPresent(problems::add);
    problems.addAll(storageFailures.get());
    for (HostedRegion region : map.hosted()) {
      problem(region).ifPresent(problems::add);
    }
    return new Health(problems);
  }

  private Optional<String> problem(HostedRegion region) {
    GroupView view = region.group().view();
    String name = "Region " + region.descriptor().id();
    if (map.service().leadersOnly()) {
      return view.leader().isPresent()
          ? Optional.empty()
          : Optional.of(name + " has no leader this node knows.");
    }
    return view.serving()
        ? Optional.empty()
        : Optional.of(name + " does not serve here: this node hears from no quorum of it.");
  }
}
