package io.quorate.ratis.guards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.read.ListAppender;
import io.quorate.common.LoopbackPorts;
import io.quorate.ratis.bare.HistoryMachine;
import io.quorate.ratis.patches.AppendSequences;
import io.quorate.ratis.read.LeaseGrants;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.NotificationProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.ProtoUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * A Ratis server that receives a leader's request while it opens its replica: after it has opened
 * the log, and before it starts the election timer. Ratis logs a line at that moment, and the test
 * sends the request from there, on the opening thread.
 */
class OpeningReplicaTest {
  private static final String OPENING = "start as a follower";

  @TempDir Path directory;

  private final Logger logger =
      (Logger) LoggerFactory.getLogger("org.apache.ratis.server.RaftServer$Division");
  private final Level level = logger.getLevel();
  private final RaftPeer here = peer("here");
  private final RaftPeer leader = peer("leader");
  private final RaftGroup group = RaftGroup.valueOf(RaftGroupId.randomId(), here, leader);
  private final AtomicReference<Optional<Exception>> outcome = new AtomicReference<>();
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final SwitchedCondition condition = new SwitchedCondition();
  private Supplier<Optional<Exception>> early = this::sendSnapshot;
  private AppenderBase<ILoggingEvent> hook;
  private RaftServer server;
  private HistoryMachine machine;
  private RaftServer receiver;

  @BeforeEach
  void build() throws IOException {
    machine = new HistoryMachine(directory.resolve("node"), "n1");
    RaftProperties properties = new RaftProperties();
    RaftServerConfigKeys.Log.Appender.setInstallSnapshotEnabled(properties, false);
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
    properties.set(RaftConfigKeys.Rpc.TYPE_KEY, GuardedRpcType.class.getName());
    server =
        RaftServer.newBuilder()
            .setServerId(here.getId())
            .setStateMachineRegistry(id -> machine)
            .setProperties(properties)
            .setParameters(
                GuardedRpcType.parameters(
                    ReceivingHooks.of(new SwitchedCondition(), removed -> {})))
            .build();
    server.start();
    hook =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            if (event.getFormattedMessage().contains(OPENING)) {
              outcome.set(early.get());
            }
          }
        };
    hook.start();
    logged.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(hook);
    logger.addAppender(logged);
    condition.isOpen = false;
  }

  @AfterEach
  void close() throws IOException {
    logger.detachAppender(hook);
    logger.detachAppender(logged);
    logger.setLevel(level);
    server.close();
    machine.end();
  }

  @Test
  void anEarlySnapshotIsRejectedAndTheReplicaOpens() throws IOException {
    receiver = guarded();
    open();
    assertThat(outcome.get()).containsInstanceOf(ServerNotReadyException.class);
    assertThat(server.getDivision(group.getGroupId()).getInfo().getLifeCycleState())
        .isEqualTo(LifeCycle.State.RUNNING);
    condition.isOpen = true;
    assertThat(sendSnapshot()).isEmpty();
  }

  @Test
  void earlyEntriesAreRejectedWithoutAnErrorInTheLog() throws IOException {
    receiver = guarded();
    early = this::sendEntries;
    open();
    assertThat(outcome.get()).containsInstanceOf(ServerNotReadyException.class);
    assertThat(logged.list).noneMatch(event -> event.getLevel() == Level.ERROR);
    condition.isOpen = true;
    assertThat(sendEntries()).isEmpty();
  }

  /** If this test fails, the version of Ratis no longer needs the guard. */
  @Test
  void withoutTheGuardTheReplicaDoesNotOpen() {
    receiver = server;
    assertThatThrownBy(this::open).hasStackTraceContaining("previous != null");
    assertThat(outcome.get()).isEmpty();
  }

  private RaftServer guarded() {
    return new GuardedRaftServer(
        server, new LeaseGrants(Duration.ZERO, System::nanoTime), new AppendSequences(), condition);
  }

  private void open() throws IOException {
    server.groupManagement(
        GroupManagementRequest.newAdd(ClientId.randomId(), here.getId(), 1, group, true));
  }

  private Optional<Exception> sendSnapshot() {
    try {
      receiver.installSnapshot(
          InstallSnapshotRequestProto.newBuilder()
              .setServerRequest(header())
              .setLeaderTerm(1)
              .setNotification(
                  NotificationProto.newBuilder()
                      .setFirstAvailableTermIndex(TermIndex.valueOf(1, 1).toProto()))
              .build());
      return Optional.empty();
    } catch (Exception e) {
      return Optional.of(e);
    }
  }

  private Optional<Exception> sendEntries() {
    try {
      receiver
          .appendEntriesAsync(
              AppendEntriesRequestProto.newBuilder()
                  .setServerRequest(header())
                  .setLeaderTerm(1)
                  .build())
          .join();
      return Optional.empty();
    } catch (Exception e) {
      return Optional.of(e);
    }
  }

  private RaftRpcRequestProto.Builder header() {
    return RaftRpcRequestProto.newBuilder()
        .setRequestorId(leader.getId().toByteString())
        .setReplyId(here.getId().toByteString())
        .setRaftGroupId(ProtoUtils.toRaftGroupIdProtoBuilder(group.getGroupId()));
  }

  private static RaftPeer peer(String name) {
    return RaftPeer.newBuilder()
        .setId(name)
        .setAddress("127.0.0.1:" + LoopbackPorts.next())
        .build();
  }
}
