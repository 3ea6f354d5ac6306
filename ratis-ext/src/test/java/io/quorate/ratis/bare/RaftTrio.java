package io.quorate.ratis.bare;

import static org.awaitility.Awaitility.await;

import io.quorate.common.LoopbackPorts;
import io.quorate.ratis.guards.GuardedRpcType;
import io.quorate.ratis.guards.SwitchedCondition;
import io.quorate.ratis.log.LogFixture;
import io.quorate.ratis.rpc.PipelinedLogAppender;
import io.quorate.replication.log.LogPoints;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.util.ProtoUtils;
import org.apache.ratis.util.TimeDuration;

/**
 * Three Ratis servers in this JVM. The first one is elected first, and does not step down for lack
 * of responses while a test runs.
 */
public final class RaftTrio implements AutoCloseable {
  public static final Duration PATIENCE = Duration.ofSeconds(40);

  /**
   * The options of a test.
   *
   * @param guarded whether requests between servers pass the guards
   * @param electionTimeoutMin the minimum election timeout of a server
   * @param grantedBefore for how long after its start a server helps to elect no leader
   * @param appenders creates the log appenders of a leader
   */
  public record Options(
      boolean guarded,
      Duration electionTimeoutMin,
      Duration grantedBefore,
      GuardedRpcType.AppenderFactory appenders) {
    public static Options guarded(boolean guarded) {
      return new Options(
          guarded,
          Duration.ofMillis(600),
          Duration.ZERO,
          (division, state, follower) ->
              new PipelinedLogAppender(division, state, follower, LogFixture.LOOPS));
    }

    public Options withElectionTimeoutMin(Duration timeout) {
      return new Options(guarded, timeout, grantedBefore, appenders);
    }

    public Options withAppenders(GuardedRpcType.AppenderFactory factory) {
      return new Options(guarded, electionTimeoutMin, grantedBefore, factory);
    }
  }

  private final Options options;
  private final Path directory;
  private final Links links = new Links();
  private final InProcessTransport transport = new InProcessTransport();
  private final RaftGroup group;
  private final Map<RaftPeerId, RaftServer> servers = new LinkedHashMap<>();
  private final Map<RaftPeerId, RaftServer> receivers = new ConcurrentHashMap<>();
  private final Map<RaftPeerId, HistoryMachine> machines = new LinkedHashMap<>();
  private final ClientId client = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();

  public RaftTrio(Options options, Path directory) {
    this.options = options;
    this.directory = directory;
    this.group = RaftGroup.valueOf(RaftGroupId.randomId(), peers());
  }

  /** Starts the servers and waits until the first one leads. */
  public RaftTrio start() throws IOException {
    // The first server stands for election at once, so the others are started before it.
    for (RaftPeer peer : group.getPeers().stream().sorted(RaftTrio::descending).toList()) {
      machines.put(
          peer.getId(),
          new HistoryMachine(directory.resolve(peer.getId().toString()), peer.getId().toString()));
      RaftServer server =
          RaftServer.newBuilder()
              .setServerId(peer.getId())
              .setGroup(group)
              .setStateMachineRegistry(id -> machines.get(peer.getId()))
              .setProperties(properties(peer))
              .setParameters(
                  LinkedRpcType.parameters(
                      new LinkedRpcType.Wiring(
                          links,
                          options.guarded(),
                          new GuardedRpcType.Hooks(
                              receiver -> {
                                receivers.put(peer.getId(), receiver);
                                return transport.of(peer.getId(), receiver);
                              },
                              options.appenders(),
                              new SwitchedCondition(),
                              options.grantedBefore(),
                              removed -> {}))))
              .build();
      servers.put(peer.getId(), server);
      server.start();
    }
    awaitLeader(ids().get(0));
    return this;
  }

  public Links links() {
    return links;
  }

  /** The servers; the first one leads at first. */
  public List<RaftPeerId> ids() {
    return group.getPeers().stream()
        .map(RaftPeer::getId)
        .sorted(Comparator.comparing(RaftPeerId::toString))
        .toList();
  }

  public RaftServer server(RaftPeerId id) {
    return servers.get(id);
  }

  /** A server as the requests of others reach it: past the guards, if there are any. */
  public RaftServer receiver(RaftPeerId id) {
    return receivers.get(id);
  }

  public HistoryMachine machine(RaftPeerId id) {
    return machines.get(id);
  }

  public RaftServer.Division division(RaftPeerId id) {
    try {
      return servers.get(id).getDivision(group.getGroupId());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  public void awaitLeader(RaftPeerId id) {
    await().atMost(PATIENCE).until(() -> leads(id));
  }

  /** Waits until a server other than {@code id} leads. */
  public RaftPeerId awaitLeaderExcept(RaftPeerId id) {
    return await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> ids().stream().filter(other -> !other.equals(id) && leads(other)).findFirst(),
            leader -> leader.isPresent())
        .orElseThrow();
  }

  private boolean leads(RaftPeerId id) {
    return division(id).getInfo().isLeader() && division(id).getInfo().isLeaderReady();
  }

  /** Makes a server a candidate at once, like the target of a leadership transfer. */
  public void makeCandidate(RaftPeerId candidate, RaftPeerId leader, TermIndex leaderLast)
      throws IOException {
    server(candidate)
        .startLeaderElection(
            StartLeaderElectionRequestProto.newBuilder()
                .setServerRequest(
                    RaftRpcRequestProto.newBuilder()
                        .setRequestorId(leader.toByteString())
                        .setReplyId(candidate.toByteString())
                        .setRaftGroupId(ProtoUtils.toRaftGroupIdProtoBuilder(group.getGroupId())))
                .setLeaderLastEntry(leaderLast.toProto())
                .build());
  }

  /** Cuts a server off from all others. */
  public void isolate(RaftPeerId id) {
    ids().stream().filter(other -> !other.equals(id)).forEach(other -> links.cutBoth(id, other));
  }

  /** Removes servers from the group. Blocks until the configuration without them is committed. */
  public void remove(RaftPeerId leader, RaftPeerId... removed) throws IOException {
    List<RaftPeer> others =
        group.getPeers().stream().filter(peer -> !List.of(removed).contains(peer.getId())).toList();
    RaftClientReply reply =
        server(leader)
            .setConfiguration(
                new SetConfigurationRequest(
                    client, leader, group.getGroupId(), calls.incrementAndGet(), others));
    if (!reply.isSuccess()) {
      throw reply.getException();
    }
  }

  /** Transfers the leadership, as soon as the new leader has all entries. */
  public CompletableFuture<RaftClientReply> transfer(RaftPeerId from, RaftPeerId to)
      throws IOException {
    return server(from)
        .transferLeadershipAsync(
            new TransferLeadershipRequest(
                client,
                from,
                group.getGroupId(),
                calls.incrementAndGet(),
                to,
                PATIENCE.toMillis()));
  }

  public CompletableFuture<RaftClientReply> write(RaftPeerId at, String text) throws IOException {
    return submit(at, text, RaftClientRequest.writeRequestType());
  }

  public CompletableFuture<RaftClientReply> read(RaftPeerId at) throws IOException {
    return submit(at, "", RaftClientRequest.readRequestType());
  }

  private CompletableFuture<RaftClientReply> submit(
      RaftPeerId at, String text, RaftClientRequest.Type type) throws IOException {
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(client)
            .setServerId(at)
            .setGroupId(group.getGroupId())
            .setCallId(calls.incrementAndGet())
            .setMessage(Message.valueOf(text))
            .setType(type)
            .build();
    return ((RaftClientAsynchronousProtocol) division(at)).submitClientRequestAsync(request);
  }

  @Override
  public void close() {
    links.heal();
    List<CompletableFuture<Void>> closed =
        servers.values().stream()
            .map(server -> CompletableFuture.runAsync(() -> close(server)))
            .toList();
    closed.forEach(CompletableFuture::join);
    machines.values().forEach(HistoryMachine::end);
    LogPoints.BEFORE_SYNC.off();
    transport.close();
  }

  private static void close(RaftServer server) {
    try {
      server.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<RaftPeer> peers() {
    return IntStream.range(0, 3)
        .mapToObj(
            i ->
                RaftPeer.newBuilder()
                    .setId("s" + i)
                    .setAddress("127.0.0.1:" + LoopbackPorts.next())
                    .build())
        .toList();
  }

  private RaftProperties properties(RaftPeer peer) {
    RaftProperties properties = new RaftProperties();
    properties.set(RaftConfigKeys.Rpc.TYPE_KEY, LinkedRpcType.class.getName());
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory.resolve("none").toFile()));
    PipelinedLogAppender.setRequestsMax(properties, 128);
    RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(properties, false);
    RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
    long min = options.electionTimeoutMin().toMillis();
    boolean first = peer.getId().toString().equals("s0");
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(min));
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(first ? 60_000 : 2 * min));
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(first ? 50 : 20_000));
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(first ? 100 : 30_000));
    return properties;
  }

  private static TimeDuration millis(long millis) {
    return TimeDuration.valueOf(millis, TimeUnit.MILLISECONDS);
  }

  private static int descending(RaftPeer one, RaftPeer other) {
    return other.getId().toString().compareTo(one.getId().toString());
  }
}
