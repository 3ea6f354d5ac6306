package io.quorate.ratis;

import io.quorate.common.Pace;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Member;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.replication.requests.RequestKind;
import io.quorate.replication.snapshot.SnapshotFetcher;
import io.quorate.replication.transport.GroupRequests;
import io.quorate.replication.transport.PeerSource;
import io.quorate.replication.transport.PeerTransport;
import io.quorate.replication.transport.RequestTimeout;
import io.quorate.replication.transport.TrafficClass;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica's part of the transport between nodes, which carries its requests: reads, snapshots
 * and bodies. Raft's own messages are requests to a node, see {@link NodeTransport}. Thread-safe.
 */
final class ReplicaTransport {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaTransport.class);

  /** The index of the configuration with which a group is opened, before all that are logged. */
  private static final long FIRST_CONFIGURATION = -1;

  private final PeerTransport transport;
  private final GroupId group;
  private final NodeId self;
  private final Function<NodeId, Optional<InetSocketAddress>> addresses;
  private final GroupRequests requests;

  private long configuration = FIRST_CONFIGURATION;

  /** The other members. */
  private Set<NodeId> others = Set.of();

  /** Those of them that are linked, which is while {@link #joined}. */
  private final Set<NodeId> linked = new HashSet<>();

  /** Those of them whose missing address was logged. */
  private final Set<NodeId> unknown = new HashSet<>();

  private boolean joined;

  /**
   * @param transport the node's
   * @param handlers serve the requests of other replicas, by kind
   */
  ReplicaTransport(
      PeerTransport transport,
      EngineContext context,
      GroupSpec spec,
      Map<Byte, GroupRequests.Handler> handlers) {
    this.transport = transport;
    this.group = spec.group();
    this.self = context.self();
    this.addresses = context.nodes()::address;
    this.requests = new GroupRequests(transport, group, TrafficClass.BULK, handlers);
    setMembers(FIRST_CONFIGURATION, spec.members().stream().map(Member::node).toList());
  }

  /** Requests to the same group at other nodes. */
  GroupRequests requests() {
    return requests;
  }

  /**
   * The snapshots of another member.
   *
   * @param timeout how long to wait for each response
   */
  SnapshotFetcher.Source snapshotsOf(NodeId member, RequestTimeout timeout) {
    return new PeerSource(
        request -> requests.call(member, RequestKind.SNAPSHOT.code(), List.of(request), timeout));
  }

  /** The pace of the snapshots that this node receives, of all groups together. */
  Pace snapshotPace() {
    return transport.snapshotPace();
  }

  /** Serves requests from now on, and connects to the other members. */
  synchronized void join() {
    transport.join(group, requests.listener());
    joined = true;
    connect();
  }

  /**
   * Replaces the members; those that are new are connected, and others are no longer. Does nothing
   * if a later configuration is known.
   *
   * @param index of the configuration in the log
   */
  synchronized void setMembers(long index, Collection<NodeId> members) {
    if (index < configuration) {
      return;
    }
    configuration = index;
    others = members.stream().filter(node -> !node.equals(self)).collect(Collectors.toSet());
    connect();
  }

  /** Connects to nodes that are about to be members. */
  synchronized void add(Collection<NodeId> members) {
    others =
        Stream.concat(others.stream(), members.stream())
            .filter(node -> !node.equals(self))
            .collect(Collectors.toSet());
    connect();
  }

  /** The other members, those before and after a change that is not complete. */
  synchronized Set<NodeId> others() {
    return others;
  }

  /** Connects to the members whose addresses were not known before. To be called now and then. */
  synchronized void connect() {
    if (!joined) {
      return;
    }
    for (NodeId node : List.copyOf(linked)) {
      if (!others.contains(node)) {
        transport.unlink(node);
        linked.remove(node);
      }
    }
    for (NodeId node : others) {
      if (!linked.contains(node)) {
        addresses.apply(node).ifPresentOrElse(address -> link(node, address), () -> warn(node));
      }
    }
  }

  private void link(NodeId node, InetSocketAddress address) {
    transport.link(new Member(node, address));
    linked.add(node);
    unknown.remove(node);
  }

  private void warn(NodeId node) {
    if (unknown.add(node)) {
      LOG.warn(
          "The transport address of a member is not known; it receives no requests region={}"
              + " peer={}",
          group,
          node);
    }
  }

  /** Undoes {@link #join}, if it was called. */
  synchronized void leave() {
    if (joined) {
      joined = false;
      transport.leave(group);
      linked.forEach(transport::unlink);
      linked.clear();
    }
  }
}
