package io.quorate.ratis;

import io.quorate.consensus.EngineContext;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.snapshot.SnapshotFetcher;
import io.quorate.transport.GroupRequests;
import io.quorate.transport.PeerSource;
import io.quorate.transport.PeerTransport;
import io.quorate.transport.RequestTimeout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica's part of the transport between nodes, which carries its read and snapshot requests.
 * Raft's own messages are sent by Ratis. Thread-safe.
 */
final class ReplicaTransport {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaTransport.class);

  /** The kind of the requests for a snapshot, beside those of the reads. */
  private static final byte SNAPSHOT = 3;

  private final PeerTransport transport;
  private final GroupId group;
  private final List<Member> others = new ArrayList<>();
  private final GroupRequests requests;
  private boolean joined;

  /**
   * @param transport the node's
   * @param reads serve the read requests of other replicas
   * @param snapshots serves their requests for a snapshot
   */
  ReplicaTransport(
      PeerTransport transport,
      EngineContext context,
      GroupSpec spec,
      Map<Byte, GroupRequests.Handler> reads,
      GroupRequests.Handler snapshots) {
    this.transport = transport;
    this.group = spec.group();
    for (Member member : spec.members()) {
      NodeId node = member.node();
      if (!node.equals(context.self())) {
        context
            .transport()
            .peers()
            .apply(node)
            .ifPresentOrElse(
                address -> others.add(new Member(node, address)),
                () ->
                    LOG.warn(
                        "The transport address of a member is not known; it receives no read"
                            + " requests region={} peer={}",
                        group,
                        node));
      }
    }
    Map<Byte, GroupRequests.Handler> handlers = new HashMap<>(reads);
    handlers.put(SNAPSHOT, snapshots);
    this.requests = new GroupRequests(transport, group, handlers);
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
    return new PeerSource(request -> requests.call(member, SNAPSHOT, request, timeout));
  }

  /** Serves requests from now on, and connects to the other members. */
  synchronized void join() {
    transport.join(group, requests.listener());
    joined = true;
    others.forEach(transport::link);
  }

  /** Undoes {@link #join}, if it was called. */
  synchronized void leave() {
    if (joined) {
      joined = false;
      transport.leave(group);
      others.forEach(member -> transport.unlink(member.node()));
    }
  }
}
