package io.quorate.ratis.coded;

import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.SettingException;
import io.quorate.ratis.requests.RequestKind;
import io.quorate.transport.GroupRequests;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The bodies of one replica, put together. It is created before Ratis' division, and refuses the
 * requests of other replicas until {@link #start}. Any thread; nothing blocks.
 */
public final class BodyService {
  private record Started(CodedBodies replication, BodyReceiver receiver) {}

  private final GroupId group;
  private final BodyNode node;
  private final List<NodeId> members;
  private final BodyMetrics metrics;
  private final LocalBodies local;
  private final IncomingBodies incoming;

  /** Null before {@link #start}. */
  private volatile Started started;

  private BodyService(GroupId group, BodyNode node, List<NodeId> members) {
    CodedSettings settings = node.settings();
    this.group = group;
    this.node = node;
    this.members = members;
    this.metrics = new BodyMetrics(node.telemetry(), group);
    this.local = new LocalBodies(node.storage(), node.workers());
    this.incoming = new IncomingBodies(node.budgets().incoming(), settings.timeout());
  }

  /**
   * The bodies of a group, if it has 3, 5 or 7 members.
   *
   * @throws SettingException if the settings do not fit the number of members
   */
  public static Optional<BodyService> of(GroupSpec spec, BodyNode node) {
    List<NodeId> members = spec.members().stream().map(Member::node).toList();
    if (!CodedSettings.supports(members.size())) {
      return Optional.empty();
    }
    node.settings().quorums(members.size());
    return Optional.of(new BodyService(spec.group(), node, members));
  }

  /**
   * Starts the replication when Ratis' division exists.
   *
   * @param requests sends requests to the other replicas, which {@link #handlers} serve there
   */
  public void start(Replica replica, GroupRequests requests) {
    BodyPeers peers = new BodyPeers(requests, node.settings(), metrics);
    Set<NodeId> others = new HashSet<>(members);
    others.remove(node.self());
    started =
        new Started(
            new CodedBodies(
                node.settings().bodyBytesMin(),
                new BodyProposer(group, node, members, local, peers, replica, metrics),
                new BodyReader(group, node, local, peers, metrics)),
            new BodyReceiver(
                group,
                node.self(),
                others,
                local,
                incoming,
                node.workers(),
                () -> replica.standing().get().term()));
  }

  /** The handlers of the requests of other replicas, by kind. */
  public Map<Byte, GroupRequests.Handler> handlers() {
    return Map.of(
        RequestKind.STORE_BODY.code(),
        (from, request) -> onceStarted(receiver -> receiver.store(from, request)),
        RequestKind.FETCH_BODY.code(),
        (from, request) -> onceStarted(receiver -> receiver.fetch(from, request)));
  }

  private CompletableFuture<ByteBuffer> onceStarted(
      Function<BodyReceiver, CompletableFuture<ByteBuffer>> respond) {
    Started current = started;
    return current == null
        ? CompletableFuture.failedFuture(new IOException("This replica is starting."))
        : respond.apply(current.receiver());
  }

  /** Empty before {@link #start}. */
  public Optional<BodyReplication> replication() {
    return Optional.ofNullable(started).map(Started::replication);
  }

  /** To be called many times a second. */
  public void tick(long nowNanos) {
    incoming.dropIdle(nowNanos);
    Started current = started;
    if (current != null) {
      current.replication().proposer().tick(nowNanos);
    }
  }

  /** Fails what is in progress, and accepts nothing more. */
  public void close() {
    incoming.close();
    Started current = started;
    if (current != null) {
      current.replication().proposer().close();
      current.replication().reader().close();
    }
  }
}
