package io.quorate.server.door;

import io.quorate.client.wire.Routing;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.NodeId;
import io.quorate.operation.Operation;
import io.quorate.server.cluster.ClusterMap;
import io.quorate.server.cluster.HostedRegion;
import io.quorate.server.region.RegionDescriptor;
import io.quorate.server.region.RegionTable;
import java.util.Optional;

/** Finds the replica that a request means, or says why it is not here. */
final class RegionRouter {
  private final ClusterMap map;
  private final ServiceGate gate;

  RegionRouter(ClusterMap map, ServiceGate gate) {
    this.map = map;
    this.gate = gate;
  }

  /**
   * The replica here of the region and epoch that a request was routed by.
   *
   * @throws Refusal if there is none, or the node does not serve
   */
  HostedRegion route(Routing routing) {
    if (routing.region() < 0) {
      throw Refusal.invalid("A region's number is 1 or greater, not " + routing.region() + ".");
    }
    GroupId id = new GroupId(routing.region());
    if (id.equals(RegionDescriptor.METADATA)) {
      throw Refusal.invalid("Region 0 holds the cluster's metadata and takes no requests.");
    }
    Optional<RegionTable> table = map.table();
    if (gate.phase() == ServiceGate.Phase.STARTING || table.isEmpty()) {
      throw !map.service().replicasRead()
          ? Refusal.unavailable("This node is starting.")
          : Refusal.elsewhere("This node is starting.");
    }
    Optional<RegionDescriptor> present = table.get().byId(id);
    if (present.isEmpty()) {
      throw stale("There is no region " + id + ".");
    }
    if (present.get().epoch().value() != routing.epoch()) {
      throw stale(
          "Region "
              + id
              + " has epoch "
              + present.get().epoch()
              + ", and the request was routed by epoch "
              + routing.epoch()
              + ".");
    }
    HostedRegion region =
        map.hosted(id)
            .orElseThrow(() -> stale("Node " + map.self() + " has no replica of " + id + "."));
    if (gate.phase() == ServiceGate.Phase.STOPPING) {
      throw stopping(region);
    }
    return region;
  }

  /**
   * The same, for a request about a key.
   *
   * @throws Refusal also if the region does not have the key
   */
  HostedRegion route(Routing routing, Key key) {
    HostedRegion region = route(routing);
    requireInside(region, key);
    return region;
  }

  /**
   * The same, for an operation.
   *
   * @throws Refusal also if the region does not have every key of the operation
   */
  HostedRegion route(Routing routing, Operation operation) {
    HostedRegion region = route(routing);
    if (operation instanceof Operation.OnKey onKey) {
      requireInside(region, onKey.key());
    } else if (operation instanceof Operation.Batch batch) {
      requireInside(region, batch);
    }
    return region;
  }

  private void requireInside(HostedRegion region, Key key) {
    if (!region.descriptor().range().contains(key)) {
      throw stale(outside(region, key));
    }
  }

  private void requireInside(HostedRegion region, Operation.Batch batch) {
    long inside =
        batch.operations().stream()
            .filter(part -> region.descriptor().range().contains(part.key()))
            .count();
    for (Operation.OnKey part : batch.operations()) {
      if (inside > 0 && !region.descriptor().range().contains(part.key())) {
        throw Refusal.invalid("A batch stays within one region. " + outside(region, part.key()));
      }
      requireInside(region, part.key());
    }
  }

  private static String outside(HostedRegion region, Key key) {
    return "Region "
        + region.descriptor().id()
        + " holds the keys "
        + region.descriptor().range()
        + ", not "
        + key
        + ".";
  }

  /**
   * Who leads by now, if leadership has been handed over, is where the client should go; where
   * there is no leader, any other replica is.
   */
  private Refusal stopping(HostedRegion region) {
    if (!map.service().leadersOnly()) {
      return Refusal.elsewhere("This node is stopping.");
    }
    Optional<NodeId> leader = region.group().view().leader();
    return leader.isPresent() && !leader.get().equals(map.self())
        ? Refusal.notLeader("This node is stopping.", leader)
        : Refusal.unavailable("This node is stopping.");
  }

  private Refusal stale(String message) {
    return Refusal.stale(message, map.topology());
  }
}
