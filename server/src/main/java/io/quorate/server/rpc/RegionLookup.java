package io.quorate.server.rpc;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.wire.Routing;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionTable;
import java.util.Locale;
import java.util.Optional;

/** Finds the local replica that a request is routed to, or rejects the request. */
final class RegionLookup {
  private final ClusterTopology topology;
  private final ServingState servingState;
  private final boolean measuresLoad;

  /**
   * @param measuresLoad whether the requests of each region are counted
   */
  RegionLookup(ClusterTopology topology, ServingState servingState, boolean measuresLoad) {
    this.topology = topology;
    this.servingState = servingState;
    this.measuresLoad = measuresLoad;
  }

  /**
   * The local replica of the region that a request was routed to, by the present epoch of the
   * region or by a newer one.
   *
   * @throws RequestRejected if there is none, or the node does not serve
   */
  private LocalReplica route(Routing routing) {
    if (routing.region() < 0) {
      throw RequestRejected.invalid(
          "A region's number is 1 or greater, not " + routing.region() + ".");
    }
    GroupId id = new GroupId(routing.region());
    if (id.equals(RegionAssignment.METADATA)) {
      throw RequestRejected.invalid("Region 0 holds the cluster's metadata and takes no requests.");
    }
    Optional<RegionTable> table = topology.table();
    if (servingState.phase() == ServingState.Phase.STARTING || table.isEmpty()) {
      throw !topology.service().replicasRead()
          ? RequestRejected.unavailable(servingState.startRefusal())
          : RequestRejected.elsewhere(servingState.startRefusal());
    }
    Optional<RegionAssignment> present = table.get().byId(id);
    if (present.isEmpty()) {
      throw stale("There is no region " + id + ".");
    }
    // A client that has learnt of a move before this node is right: the replica is the same.
    if (present.get().epoch().value() > routing.epoch()) {
      throw stale(
          "Region "
              + id
              + " has epoch "
              + present.get().epoch()
              + ", and the request was routed by epoch "
              + routing.epoch()
              + ".");
    }
    LocalReplica region =
        topology
            .hosted(id)
            .orElseThrow(() -> stale("Node " + topology.self() + " has no replica of " + id + "."));
    if (servingState.phase() == ServingState.Phase.STOPPING) {
      throw stopping(region);
    }
    return region;
  }

  /**
   * As {@link #route(Routing)}, for a request that reads a key.
   *
   * @throws RequestRejected also if the sender may not read it, which is checked first, and if the
   *     region does not contain the key
   */
  LocalReplica route(Request request, Routing routing, Key key) {
    AccessCheck.require(request, new AccessCheck.Read(key));
    return requireInRange(route(routing), key);
  }

  /**
   * As {@link #route(Routing)}, for a request that reads a range in an order.
   *
   * @throws RequestRejected also if the sender may not read all of it, which is checked first, and
   *     if the region does not contain the first key
   */
  LocalReplica route(Request request, Routing routing, KeyRange range, ScanOrder order) {
    AccessCheck.require(request, new AccessCheck.Scan(range));
    return requireInRange(route(routing), order.firstKey(range));
  }

  /**
   * As {@link #route(Routing)}, for an operation.
   *
   * @throws RequestRejected also if the sender may not execute all of it, which is checked first,
   *     and if the region does not contain every key of the operation
   */
  LocalReplica route(Request request, Routing routing, Operation operation) {
    AccessCheck.require(request, new AccessCheck.Write(operation));
    LocalReplica region = route(routing);
    return switch (operation.kind()) {
      case PUT,
          PUT_BODY,
          RESOLVED,
          DELETE,
          APPEND,
          INCREMENT,
          INCREMENT_AND_GET,
          GET_AND_PUT,
          COMPARE_AND_SET ->
          requireInRange(region, ((Operation.OnKey) operation).key());
      case BATCH -> requireInRange(region, (Operation.Batch) operation);
      case EXPIRE_SESSIONS, END_SESSION, DIGEST, SPLIT, FREEZE, UNFREEZE, ABSORB -> region;
    };
  }

  private LocalReplica requireInRange(LocalReplica region, Key key) {
    check(region, key);
    record(region, key);
    return region;
  }

  private void record(LocalReplica region, Key key) {
    if (measuresLoad) {
      region.load().record(key);
    }
  }

  private void check(LocalReplica region, Key key) {
    if (!region.assignment().range().contains(key)) {
      throw stale(notInRange(region, key));
    }
    if (!region.store().range().contains(key)) {
      throw hasChanged(
          String.format(
              Locale.ROOT,
              "Region %s has split or is merged, and does not hold %s.",
              region.assignment().id(),
              key));
    }
  }

  /**
   * The rejection of a request for keys that the region does not have any more. The client repeats
   * it with the present topology, in which another region may have them.
   */
  RequestRejected hasChanged(String message) {
    return stale(message);
  }

  /**
   * The rejection of a read whose rows cannot be read here, for example because they are damaged.
   * Where any replica serves reads, the client goes to another one at once; otherwise it comes back
   * when this node has handed the leadership over.
   */
  RequestRejected isUnreadable(String message) {
    return topology.service().leadersOnly() && !topology.service().replicasRead()
        ? RequestRejected.unavailable(message)
        : RequestRejected.elsewhere(message);
  }

  private LocalReplica requireInRange(LocalReplica region, Operation.Batch batch) {
    long insideCount =
        batch.operations().stream()
            .filter(part -> region.assignment().range().contains(part.key()))
            .count();
    for (Operation.OnKey part : batch.operations()) {
      if (insideCount > 0 && !region.assignment().range().contains(part.key())) {
        throw RequestRejected.invalid(
            "A batch stays within one region, and "
                + part.key()
                + " is not in that of its other keys.");
      }
      check(region, part.key());
    }
    // One request, as all others.
    record(region, batch.operations().get(0).key());
    return region;
  }

  private static String notInRange(LocalReplica region, Key key) {
    return "Region "
        + region.assignment().id()
        + " holds the keys "
        + region.assignment().range()
        + ", not "
        + key
        + ".";
  }

  /**
   * Redirects the client to the new leader if leadership has been transferred; in a cluster without
   * leaders, to any other replica.
   */
  private RequestRejected stopping(LocalReplica region) {
    if (!topology.service().leadersOnly()) {
      return RequestRejected.elsewhere("This node is stopping.");
    }
    Optional<NodeId> leader = region.group().view().leader();
    return leader.isPresent() && !leader.get().equals(topology.self())
        ? RequestRejected.notLeader("This node is stopping.", leader)
        : RequestRejected.unavailable("This node is stopping.");
  }

  private RequestRejected stale(String message) {
    return RequestRejected.stale(message, topology.topology());
  }
}
