package io.quorate.ratis.guards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.ratis.log.ReplicaStates;
import io.quorate.ratis.log.StatesInMemory;
import io.quorate.ratis.patches.AppendSequences;
import io.quorate.ratis.read.LeaseGrants;
import io.quorate.ratis.read.LeaseRequest;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.NotificationProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.apache.ratis.util.ProtoUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The guards around a server that grants every vote and rejects every entry. */
class GuardedRaftServerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private boolean diskFails;
  private final ReplicaStates states = StatesInMemory.begin(0, () -> this.diskFails);

  private final RaftGroupId group = RaftGroupId.randomId();
  private final LeaseGrants leaseGrants = new LeaseGrants(Duration.ZERO, System::nanoTime);
  private final List<String> entered = new CopyOnWriteArrayList<>();
  private final List<Integer> entries = new CopyOnWriteArrayList<>();
  private final List<InstallSnapshotRequestProto> installed = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Void> gate = new CompletableFuture<>();
  private final SwitchedCondition condition = new SwitchedCondition();
  private RaftServer.Division division;
  private boolean persistsVotes = true;
  private final RaftServer guarded =
      new GuardedRaftServer(server(), leaseGrants, new AppendSequences(), condition);

  @BeforeEach
  void open() {
    division = FakeDivision.of(states);
  }

  @Test
  void requestsWithEntriesEnterALogOneAtATime() {
    CompletableFuture<?> first = CompletableFuture.runAsync(() -> append("held", group, 1));
    await().atMost(PATIENCE).until(() -> entered.contains("held"));
    Thread second = new Thread(() -> append("second", group, 1));
    second.start();
    await().atMost(PATIENCE).until(() -> second.getState() == Thread.State.BLOCKED);

    // Neither other groups nor heartbeats wait.
    append("another group", RaftGroupId.randomId(), 1);
    append("heartbeat", group, 0);
    assertThat(entered).containsExactly("held", "another group", "heartbeat");

    gate.complete(null);
    first.join();
    await().atMost(PATIENCE).until(() -> entered.contains("second"));
  }

  /** Ratis may treat entries behind a failed write as written. */
  @Test
  void noEntriesAreAcknowledgedAfterAFailureOfTheLog() throws IOException {
    assertThat(guarded.appendEntriesAsync(request("one", group, 1))).isCompleted();
    condition.hasLog = false;
    assertThat(guarded.appendEntriesAsync(request("one", group, 1)))
        .isCompletedExceptionally()
        .satisfies(
            reply ->
                assertThatThrownBy(reply::join)
                    .hasRootCauseInstanceOf(IOException.class)
                    .hasMessageContaining("A write to the log has failed"));
    assertThat(guarded.appendEntriesAsync(request("heartbeat", group, 0))).isCompleted();
  }

  @Test
  void aVoteIsGrantedUnlessALeaseGrantIsActive() throws IOException {
    assertThat(vote()).isTrue();
    leaseGrants.grant(group, Duration.ofHours(1));
    assertThat(vote()).isFalse();
  }

  /** An election may have changed the vote in memory before it was persisted. */
  @Test
  void aVoteIsSentOnlyIfItIsOnDisk() throws IOException {
    persistsVotes = false;
    assertThat(vote()).isFalse();
    persist(FakeDivision.TERM, "another");
    assertThat(vote()).isFalse();
    persist(FakeDivision.TERM + 1, "vote");
    assertThat(vote()).as("the vote of another term").isFalse();
    persistsVotes = true;
    assertThatThrownBy(this::vote).isInstanceOf(IOException.class);
  }

  /** An election raises the term before it is on disk. */
  @Test
  void entriesAreAcknowledgedOnlyWhenTheirTermIsOnDisk() throws IOException {
    diskFails = true;
    AppendEntriesRequestProto entries =
        request("one", group, 1).toBuilder().setLeaderTerm(FakeDivision.TERM).build();
    assertThat(guarded.appendEntriesAsync(entries)).isCompletedExceptionally();
    assertThat(guarded.appendEntriesAsync(heartbeat(FakeDivision.TERM))).isCompleted();
    diskFails = false;
    assertThat(guarded.appendEntriesAsync(entries)).isCompletedWithValueMatching(reply -> true);
    assertThat(states.vote().getTerm()).isEqualTo(FakeDivision.TERM);
  }

  private void persist(long term, String candidate) throws IOException {
    states.setVote(RaftStorageMetadata.valueOf(term, RaftPeerId.valueOf(candidate)));
  }

  @Test
  void aServerStandsForElectionUnlessALeaseGrantIsActive() throws IOException {
    assertThat(startElection().getServerReply().getSuccess()).isTrue();
    leaseGrants.grant(group, Duration.ofHours(1));
    StartLeaderElectionReplyProto refusal = startElection();
    assertThat(refusal.getServerReply().getSuccess()).isFalse();
    assertThat(refusal.getServerReply().getCallId()).isEqualTo(header("x", group).getCallId());
    assertThat(entered).containsExactly("stand");
  }

  @Test
  void aLeaseRequestIsSentInTheAppendRequest() throws IOException {
    AppendEntriesRequestProto message =
        AppendEntriesRequestProto.newBuilder().setServerRequest(header("x", group)).build();
    assertThat(LeaseRequest.of(message)).isZero();
    AppendEntriesRequestProto requesting = LeaseRequest.in(message, Duration.ofMillis(1500));
    AppendEntriesRequestProto received =
        AppendEntriesRequestProto.parseFrom(requesting.toByteString());
    assertThat(LeaseRequest.of(received)).isEqualTo(Duration.ofMillis(1500));
    assertThat(LeaseRequest.in(received, Duration.ZERO)).isEqualTo(message);
  }

  /** The log of a follower that is far behind its leader grows without a bound otherwise. */
  @Test
  void aFullReplicaTakesNoEntries() throws IOException {
    condition.isFull = true;
    assertThat(guarded.appendEntriesAsync(request("full", group, 2)))
        .isCompletedWithValueMatching(reply -> !reply.getIsHearbeat());
    assertThat(entries).containsExactly(0);
    condition.isFull = false;
    assertThat(guarded.appendEntriesAsync(request("not full", group, 2))).isCompleted();
    assertThat(entries).containsExactly(0, 2);
  }

  /** Ratis would hold the monitor of the group while it waits for the disk. */
  @Test
  void requestsThatNeedADiskThatDoesNotRespondAreRejected() throws IOException {
    condition.mayWrite = false;
    InstallSnapshotRequestProto snapshot =
        InstallSnapshotRequestProto.newBuilder()
            .setServerRequest(header("snapshot", group))
            .build();
    for (Callable<?> call :
        List.<Callable<?>>of(
            () -> guarded.appendEntriesAsync(request("entries", group, 1)),
            () -> guarded.appendEntriesAsync(heartbeat(FakeDivision.TERM + 1)),
            this::vote,
            () -> guarded.installSnapshot(snapshot))) {
      assertThatThrownBy(call::call)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("does not respond");
    }
    assertThat(entered).isEmpty();
    assertThat(guarded.appendEntriesAsync(heartbeat(FakeDivision.TERM))).isCompleted();
    condition.mayWrite = true;
    assertThat(vote()).isTrue();
  }

  /** Others may count a former replica of the node. */
  @Test
  void aReplicaThatJoinedIsNoMemberBeforeTheLeaderAddsIt() throws IOException {
    condition.joined = new JoinedReplica(true, StatesInMemory.begin(0));
    assertThatThrownBy(() -> guarded.appendEntriesAsync(request("one", group, 1)))
        .isInstanceOf(ServerNotReadyException.class);
    assertThatThrownBy(this::vote).isInstanceOf(ServerNotReadyException.class);
    assertThatThrownBy(
            () ->
                guarded.installSnapshot(
                    InstallSnapshotRequestProto.newBuilder()
                        .setServerRequest(header("leader", group))
                        .build()))
        .isInstanceOf(ServerNotReadyException.class);
    assertThat(entered).isEmpty();
  }

  @Test
  void aServerThatCouldNotLeadDoesNotStand() throws IOException {
    condition.mayLead = false;
    assertThat(startElection().getServerReply().getSuccess()).isFalse();
    condition.mayLead = true;
    assertThat(startElection().getServerReply().getSuccess()).isTrue();
    assertThat(entered).containsExactly("stand");
  }

  @Test
  void aServerDoesNotStandWhileEntriesAreInFlightIntoItsLog() throws IOException {
    CompletableFuture<?> held = CompletableFuture.runAsync(() -> append("held", group, 1));
    await().atMost(PATIENCE).until(() -> entered.contains("held"));
    assertThat(startElection().getServerReply().getSuccess()).isFalse();
    gate.complete(null);
    held.join();
    assertThat(startElection().getServerReply().getSuccess()).isTrue();
  }

  /** Ratis would respond that the snapshot is installed, and its leader would announce it again. */
  @ParameterizedTest
  @CsvSource({"8, 8", "9, 10", "10, 10"})
  void aSnapshotIsInstalledAlsoIfTheLogOfTheLeaderBeginsAfterThisState(
      long announced, long passedOn) throws IOException {
    guarded.installSnapshot(
        InstallSnapshotRequestProto.newBuilder()
            .setServerRequest(header("snapshot", group))
            .setNotification(
                NotificationProto.newBuilder()
                    .setFirstAvailableTermIndex(
                        TermIndexProto.newBuilder().setTerm(4).setIndex(announced)))
            .build());
    assertThat(entered).containsExactly("install from 4:" + passedOn);
  }

  /** Ratis would put it into effect although it installs nothing. */
  @ParameterizedTest
  @CsvSource({"8, 4, false", "8, 5, true", "8, 6, true", "12, 4, true"})
  void anOlderConfigurationOfASnapshotThatIsInstalledIsOmitted(
      long announced, long configuration, boolean isPassedOn) throws IOException {
    guarded.installSnapshot(
        InstallSnapshotRequestProto.newBuilder()
            .setServerRequest(header("snapshot", group))
            .setLastRaftConfigurationLogEntryProto(
                LogEntryProto.newBuilder().setIndex(configuration))
            .setNotification(
                NotificationProto.newBuilder()
                    .setFirstAvailableTermIndex(
                        TermIndexProto.newBuilder().setTerm(4).setIndex(announced)))
            .build());
    assertThat(installed).singleElement().isNotNull();
    assertThat(installed.get(0).hasLastRaftConfigurationLogEntryProto()).isEqualTo(isPassedOn);
  }

  /** Ratis puts it into effect first, and does not write it if it is asked again. */
  @Test
  void theConfigurationOfASnapshotIsDurableBeforeRatisHasIt() throws IOException {
    InstallSnapshotRequestProto snapshot = snapshotOf(FakeDivision.TERM);
    diskFails = true;
    assertThatThrownBy(() -> guarded.installSnapshot(snapshot)).isInstanceOf(IOException.class);
    assertThat(entered).isEmpty();
    diskFails = false;
    guarded.installSnapshot(snapshot);
    assertThat(installed).hasSize(1);
    LogEntryProto passed = installed.get(0).getLastRaftConfigurationLogEntryProto();
    assertThat(passed.getTerm()).as("the term of the leader").isEqualTo(FakeDivision.TERM);
    assertThat(states.configuration()).contains(passed);
  }

  /** Ratis rejects its request. */
  @Test
  void theConfigurationOfALeaderOfAFormerTermIsNotWritten() throws IOException {
    guarded.installSnapshot(snapshotOf(FakeDivision.TERM - 1));
    assertThat(installed).hasSize(1);
    assertThat(states.configuration()).isEmpty();
  }

  private InstallSnapshotRequestProto snapshotOf(long leaderTerm) {
    return InstallSnapshotRequestProto.newBuilder()
        .setServerRequest(header("snapshot", group))
        .setLeaderTerm(leaderTerm)
        .setLastRaftConfigurationLogEntryProto(
            LogEntryProto.newBuilder()
                .setIndex(12)
                .setConfigurationEntry(RaftConfigurationProto.getDefaultInstance()))
        .setNotification(
            NotificationProto.newBuilder()
                .setFirstAvailableTermIndex(TermIndexProto.newBuilder().setTerm(2).setIndex(20)))
        .build();
  }

  private AppendEntriesRequestProto heartbeat(long term) {
    return request("heartbeat", group, 0).toBuilder().setLeaderTerm(term).build();
  }

  private void append(String call, RaftGroupId to, int entries) {
    try {
      assertThat(guarded.appendEntriesAsync(request(call, to, entries)).join().getResult())
          .isEqualTo(AppendResult.INCONSISTENCY);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static AppendEntriesRequestProto request(String call, RaftGroupId to, int entries) {
    AppendEntriesRequestProto.Builder request =
        AppendEntriesRequestProto.newBuilder().setServerRequest(header(call, to));
    for (int i = 0; i < entries; i++) {
      request.addEntries(LogEntryProto.newBuilder().setIndex(FakeDivision.CONFIGURATION + 1 + i));
    }
    return request.build();
  }

  private boolean vote() throws IOException {
    return guarded
        .requestVote(
            RequestVoteRequestProto.newBuilder()
                .setServerRequest(header("vote", group))
                .setCandidateTerm(FakeDivision.TERM)
                .build())
        .getServerReply()
        .getSuccess();
  }

  private StartLeaderElectionReplyProto startElection() throws IOException {
    return guarded.startLeaderElection(
        StartLeaderElectionRequestProto.newBuilder()
            .setServerRequest(header("stand", group))
            .build());
  }

  private static RaftRpcRequestProto header(String call, RaftGroupId to) {
    return RaftRpcRequestProto.newBuilder()
        .setRequestorId(RaftPeerId.valueOf(call).toByteString())
        .setRaftGroupId(ProtoUtils.toRaftGroupIdProtoBuilder(to))
        .setCallId(42)
        .build();
  }

  private RaftServer server() {
    RaftRpcReplyProto granted = RaftRpcReplyProto.newBuilder().setSuccess(true).build();
    return (RaftServer)
        Proxy.newProxyInstance(
            RaftServer.class.getClassLoader(),
            new Class<?>[] {RaftServer.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "appendEntriesAsync" -> enter((AppendEntriesRequestProto) arguments[0]);
                  case "requestVote" -> {
                    RequestVoteRequestProto request = (RequestVoteRequestProto) arguments[0];
                    if (persistsVotes) {
                      persist(
                          request.getCandidateTerm(),
                          request.getServerRequest().getRequestorId().toStringUtf8());
                    }
                    yield RequestVoteReplyProto.newBuilder().setServerReply(granted).build();
                  }
                  case "installSnapshot" -> install((InstallSnapshotRequestProto) arguments[0]);
                  case "startLeaderElection" -> {
                    entered.add("stand");
                    yield StartLeaderElectionReplyProto.newBuilder()
                        .setServerReply(granted)
                        .build();
                  }
                  case "getDivision" -> division;
                  default -> throw new IOException("no " + method.getName());
                });
  }

  private InstallSnapshotReplyProto install(InstallSnapshotRequestProto request) {
    TermIndexProto first = request.getNotification().getFirstAvailableTermIndex();
    installed.add(request);
    entered.add("install from " + first.getTerm() + ":" + first.getIndex());
    return InstallSnapshotReplyProto.getDefaultInstance();
  }

  private CompletableFuture<AppendEntriesReplyProto> enter(AppendEntriesRequestProto request) {
    String call = request.getServerRequest().getRequestorId().toStringUtf8();
    entered.add(call);
    entries.add(request.getEntriesCount());
    if (call.equals("held")) {
      gate.join();
    }
    return CompletableFuture.completedFuture(
        AppendEntriesReplyProto.newBuilder().setResult(AppendResult.INCONSISTENCY).build());
  }
}
