package io.quorate.rabia.engine;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Member;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.Guarantee;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.log.ReplicaLog;
import io.quorate.rabia.protocol.Message;
import io.quorate.replication.transport.GroupListener;
import io.quorate.replication.transport.GroupRequests;
import io.quorate.replication.transport.PeerTransport;
import io.quorate.replication.transport.RequestTimeout;
import io.quorate.replication.transport.TrafficClass;
import io.quorate.replication.transport.handshake.PeerIdentities;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** One replica of a group: connects loop, log, transport, reads and snapshots. */
final class RabiaReplica implements ConsensusGroup, GroupListener, ReplicaLoop.Network {
  /** The kinds of requests between replicas. */
  private static final byte READ_REPLIES_REQUEST = 0;

  private static final byte SNAPSHOT_REQUEST = 1;

  private final GroupSpec spec;
  private final RabiaSettings settings;
  private final PeerTransport transport;
  private final ReplicaLog log;
  private final Mailbox inbox;
  private final Proposals proposals;
  private final ReplicaLoop loop;
  private final GroupRequests requests;
  private final RabiaReads reads;
  private final GroupMembership membership;
  private final StateWatch state;
  private final DecisionServer decisions;
  private final SnapshotService snapshots;
  private final Map<NodeId, InetSocketAddress> links = new HashMap<>();
  private final AtomicBoolean started = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Runnable onClose;

  /**
   * @param opened the replica as recovered from disk
   * @param onFailure called once when the replica has failed (P1)
   */
  RabiaReplica(
      GroupSpec spec,
      NodeId self,
      RabiaSettings settings,
      OpenedReplica opened,
      EventLoop thread,
      PeerTransport transport,
      SnapshotService.Files files,
      DiskReserve reserve,
      Consumer<Throwable> onFailure,
      Runnable onClose)
      throws IOException {
    this.spec = spec;
    this.settings = settings;
    this.transport = transport;
    this.onClose = onClose;
    this.log = opened.log();
    this.inbox = new Mailbox(settings.peers().inboxMessagesMax(), settings.peers().inboxBytesMax());
    this.proposals =
        new Proposals(
            settings.commands().queuedMax(),
            settings.commands().queuedBytesMax(),
            settings.core().bounds());
    Replica replica = opened.replica();
    this.loop =
        new ReplicaLoop(
            self, thread, opened, this, inbox, proposals, reserve, new Services(), onFailure);
    this.reads =
        new RabiaReads(
            replica,
            loop,
            proposals,
            settings,
            (to, request) -> sendRequest(to, READ_REPLIES_REQUEST, request));
    this.membership =
        new GroupMembership(replica, loop, this, proposals, settings.catchUp().joinTimeout());
    this.state =
        new StateWatch(
            opened.machine(), loop, settings.catchUp().stateInterval(), opened.durable());
    this.decisions =
        new DecisionServer(spec.group(), opened, loop, this, files.sending(), settings);
    this.snapshots =
        new SnapshotService(
            spec.group(),
            self,
            opened,
            loop,
            decisions,
            settings,
            files,
            (to, request) -> sendRequest(to, SNAPSHOT_REQUEST, request));
    this.requests =
        new GroupRequests(
            transport,
            spec.group(),
            TrafficClass.BULK,
            Map.of(
                READ_REPLIES_REQUEST,
                (from, request) -> reads.respond(request),
                SNAPSHOT_REQUEST,
                snapshots::respond));
    loop.add(reads);
    loop.add(membership);
    loop.add(state);
    loop.add(decisions);
    loop.add(snapshots);
  }

  GroupSpec spec() {
    return spec;
  }

  void watch(RabiaMetrics metrics, OpenedReplica opened) {
    metrics.watch(opened.replica().counters());
    metrics.watch(proposals, inbox);
  }

  /** The loop, which receives the reports of the log. */
  ReplicaLoop loop() {
    return loop;
  }

  /** Receives messages from now on. */
  void join() {
    transport.join(spec.group(), this);
    link(spec.members());
  }

  /** Sends messages from now on, if it may (P1, S3). Any thread. */
  void startIfFormed(PeerIdentities identities) {
    boolean formed = identities.hasFormed(spec.members().stream().map(Member::node).toList());
    if (formed && started.compareAndSet(false, true)) {
      loop.start();
    }
  }

  @Override
  public CompletionStage<ProposeResult> propose(Command command) {
    if (command.size() > settings.commands().bytesMax()) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Invalid(
              "A command has at most "
                  + settings.commands().bytesMax()
                  + " bytes (rabia.command-size-max); this one has "
                  + command.size()
                  + "."));
    }
    Optional<ConsensusException> refusal = refusal();
    if (refusal.isPresent()) {
      return CompletableFuture.failedFuture(refusal.get());
    }
    CompletableFuture<ProposeResult> outcome = proposals.offer(command);
    loop.wakeForProposals();
    return outcome;
  }

  @Override
  public CompletionStage<Position> readIndex(Guarantee guarantee, KeyScope scope) {
    return switch (guarantee.kind()) {
      case LINEARIZABLE -> {
        Optional<ConsensusException> refusal = refusal();
        yield refusal.isPresent()
            ? CompletableFuture.failedFuture(refusal.get())
            : reads.readByConsensus();
      }
      case LINEARIZABLE_IF_CLOCKS_BOUNDED ->
          CompletableFuture.failedFuture(
              new ConsensusException.Invalid("Rabia gives no guarantee that depends on clocks."));
      case AT_LEAST ->
          CompletableFuture.completedFuture(((Guarantee.AtLeast) guarantee).position());
      case LOCAL -> CompletableFuture.completedFuture(Position.NONE);
    };
  }

  /** Why a command would not complete here; its caller tries another replica at once. */
  private Optional<ConsensusException> refusal() {
    if (closed.get()) {
      return Optional.of(new ConsensusException.Unavailable("This replica is closed."));
    }
    return view().serving()
        ? Optional.empty()
        : Optional.of(
            new ConsensusException.Unavailable(
                "This replica reaches too few others, or is catching up."));
  }

  @Override
  public GroupStatus view() {
    return loop.view();
  }

  @Override
  public <T extends GroupControl> Optional<T> control(Class<T> type) {
    if (type.isInstance(reads)) {
      return Optional.of(type.cast(reads));
    }
    return type.isInstance(membership) ? Optional.of(type.cast(membership)) : Optional.empty();
  }

  @Override
  public void received(NodeId from, ByteBuf message) {
    inbox.add(from, MessagePayload.read(message));
    loop.wake();
  }

  @Override
  public void connected(NodeId peer) {
    loop.submit(new Input.Connected(peer));
  }

  @Override
  public void reachabilityChanged() {
    loop.wake();
  }

  @Override
  public boolean isReachable(NodeId node) {
    return transport.isReachable(node);
  }

  @Override
  public CompletionStage<ByteBuffer> onRequest(NodeId from, ByteBuffer request) {
    return requests.serve(from, request);
  }

  @Override
  public void send(List<NodeId> to, Message message) {
    transport.send(spec.group(), to, new MessagePayload(message));
  }

  @Override
  public void flush() {
    transport.flush();
  }

  /** A member that has left stays linked, since it may still need messages. */
  @Override
  public synchronized void link(Collection<Member> members) {
    for (Member member : members) {
      InetSocketAddress before = links.put(member.node(), member.address());
      if (!member.address().equals(before)) {
        transport.link(member);
        if (before != null) {
          // The address has changed: the link is the same, and counts once.
          transport.unlink(member.node());
        }
      }
    }
  }

  @Override
  public synchronized void unlink(NodeId node) {
    if (links.remove(node) != null) {
      transport.unlink(node);
    }
  }

  private CompletionStage<ByteBuffer> sendRequest(NodeId to, byte kind, ByteBuffer request) {
    return requests.call(
        to,
        kind,
        List.of(request),
        new RequestTimeout(settings.peers().requestTimeout(), "rabia.request-timeout"));
  }

  /** Passes the effects that the loop does not carry out itself to their services. */
  private final class Services implements ReplicaLoop.Background {
    @Override
    public void fetchSnapshot(Effect.FetchSnapshot effect) {
      snapshots.fetch(effect);
    }

    @Override
    public void sendFromLog(Effect.SendFromLog effect) {
      decisions.send(effect);
    }

    @Override
    public void flush(Effect.Flush effect) {
      state.flush();
    }

    @Override
    public void truncate(Effect.Truncate effect) {
      decisions.truncate(effect.through());
    }
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    transport.leave(spec.group());
    loop.close(
        () -> {
          reads.close();
          membership.close();
          proposals.close();
        });
    snapshots.close();
    log.close();
    synchronized (this) {
      links.keySet().forEach(transport::unlink);
      links.clear();
    }
    onClose.run();
  }
}
