package io.quorate.server.node;

import io.quorate.server.admin.Health;
import io.quorate.server.cluster.ClusterMap;
import io.quorate.server.cluster.HostedRegion;
import io.quorate.server.door.ServiceGate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Whether this node serves: it takes writes, and can store them, and every region it holds has a
 * leader it knows.
 */
final class NodeHealth implements Supplier<Health> {
  private final ClusterMap map;
  private final ServiceGate gate;
  private final boolean leadersOnly;
  private final Supplier<List<String>> storageFailures;

  /**
   * @param leadersOnly whether a region needs a leader to be served
   * @param storageFailures what storage cannot write now, one sentence each
   */
  NodeHealth(
      ClusterMap map,
      ServiceGate gate,
      boolean leadersOnly,
      Supplier<List<String>> storageFailures) {
    this.map = map;
    this.gate = gate;
    this.leadersOnly = leadersOnly;
    this.storageFailures = storageFailures;
  }

  @Override
  public Health get() {
    List<String> problems = new ArrayList<>();
    gate.writeRefusal().ifPresent(problems::add);
    problems.addAll(storageFailures.get());
    for (HostedRegion region : map.hosted()) {
      if (leadersOnly && region.group().view().leader().isEmpty()) {
        problems.add("Region " + region.descriptor().id() + " has no leader this node knows.");
      }
    }
    return new Health(problems);
  }
}
