package io.quorate.replication.coded;

import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.SettingException;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.replication.requests.RequestKind;
import io.quorate.replication.transport.GroupRequests;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The bodies of one replica, put together. It is created before Ratis' division, and refuses the
 * requests of other replicas until {@link #start}. Any thread; nothing blocks.
 */
public final class BodyService {
  private record Started(CodedBodies replication, BodyReceiver receiver) {}

  private final GroupId group;
  private final BodyNode node;
  private final BodyMetrics metrics;
  private final LocalBodies local;
  private final IncomingBodies incoming;

  /** Null before {@link #start}. */
  private volatile Started started;

  /**
   * @throws SettingException if the settings do not fit the number of members
   */
  public BodyService(GroupSpec spec, BodyNode node) {
    CodedSettings settings = node.settings();
    settings.requireFit(spec.members().size());
    this.group = spec.group();
    this.node = node;
    this.metrics = new BodyMetrics(node.telemetry(), group);
    this.local = new LocalBodies(node.storage(), node.workers());
    this.incoming = new IncomingBodies(node.budgets().incoming(), settings.timeout());
  }

  /**
   * Starts the replication when Ratis' division exists.
   *
   * @param requests sends requests to the other replicas, which {@link #handlers} serve there
   * @param others the other members at present, and the former ones during a change
   */
  public void start(Replica replica, GroupRequests requests, Supplier<Set<NodeId>> others) {
    BodyPeers peers = new BodyPeers(requests, others, node.settings(), metrics);
    started =
        new Started(
            new CodedBodies(group, node, local, peers, replica, metrics),
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
        RequestKind.COPY_BODY.code(),
        (from, request) -> onceStarted(receiver -> receiver.copy(from, request)),
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

  /**
   * To be called before a request to Raft for a change of members, which {@link #changeEnded}
   * follows.
   *
   * @param members all members after the change
   * @throws ConsensusException.Unavailable if the change is not {@linkplain BodyReplication#prepare
   *     prepared}
   */
  public void changeRequested(List<NodeId> members) {
    started.replication().proposer().changeRequested(members);
  }

  /** To be called when the request has ended, with success or without. */
  public void changeEnded() {
    started.replication().proposer().changeEnded();
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
      current.replication().close();
    }
  }
}
