package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.ratis.bare.RaftTrio;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.util.ProtoUtils;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Configurations that followers of Ratis 3.3.0 lose although they are in the log. Each test also
 * runs without the guards, and then shows the fault.
 */
class LogConfigurationTest {
  @TempDir Path directory;

  /** The first entry of a leader is a configuration. */
  @ParameterizedTest(name = "guarded: {0}")
  @ValueSource(booleans = {false, true})
  void aConfigurationThatReplacesEntriesIsInEffect(boolean guarded) throws IOException {
    try (RaftTrio trio = new RaftTrio(RaftTrio.Options.guarded(guarded), directory).start()) {
      RaftPeerId former = trio.ids().get(0);
      long before = configuration(trio, former);
      final long index = trio.write(former, "base").join().getLogIndex() + 1;
      trio.isolate(former);
      trio.write(former, "nowhere else");
      RaftPeerId leader = trio.awaitLeaderExcept(former);
      assertThat(configuration(trio, leader)).isEqualTo(index);
      AppendEntriesRequestProto request = requestWithEntry(trio, leader, former, index);
      trio.server(leader).close();
      trio.links().restore(leader, former);
      AppendEntriesReplyProto reply = send(trio, request, former);

      assertThat(reply.getResult()).isEqualTo(AppendResult.SUCCESS);
      assertThat(configuration(trio, former)).isEqualTo(guarded ? index : before);
    }
  }

  /** The entry before it is received again, and is not committed yet. */
  @ParameterizedTest(name = "guarded: {0}")
  @ValueSource(booleans = {false, true})
  void aConfigurationStaysWhenAnEntryBeforeItIsReceivedAgain(boolean guarded) throws IOException {
    try (RaftTrio trio = new RaftTrio(RaftTrio.Options.guarded(guarded), directory).start()) {
      RaftPeerId leader = trio.ids().get(0);
      RaftPeerId follower = trio.ids().get(1);
      RaftPeerId removed = trio.ids().get(2);
      long before = configuration(trio, follower);
      final long index = trio.write(leader, "base").join().getLogIndex() + 1;
      trio.isolate(removed);
      CompletableFuture<Void> disk = trio.machine(leader).stallFlushes(0);
      trio.write(leader, "again");
      CompletableFuture<Void> removal =
          CompletableFuture.runAsync(
              () -> {
                try {
                  trio.remove(leader, removed);
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      await().atMost(RaftTrio.PATIENCE).until(() -> configuration(trio, follower) > index);
      final long joint = configuration(trio, follower);

      AppendEntriesReplyProto reply =
          send(trio, requestWithEntry(trio, leader, follower, index), follower);
      assertThat(reply.getResult()).isEqualTo(AppendResult.SUCCESS);
      assertThat(reply.getMatchIndex()).isEqualTo(index);
      assertThat(configuration(trio, follower)).isEqualTo(guarded ? joint : before);

      disk.complete(null);
      assertThat(removal).succeedsWithin(RaftTrio.PATIENCE);
    }
  }

  /** A request of a leader with one entry of its log, and with the commit index before it. */
  private static AppendEntriesRequestProto requestWithEntry(
      RaftTrio trio, RaftPeerId leader, RaftPeerId follower, long index) throws IOException {
    RaftLog log = trio.division(leader).getRaftLog();
    return AppendEntriesRequestProto.newBuilder()
        .setServerRequest(
            RaftRpcRequestProto.newBuilder()
                .setRequestorId(leader.toByteString())
                .setReplyId(follower.toByteString())
                .setRaftGroupId(
                    ProtoUtils.toRaftGroupIdProtoBuilder(
                        trio.division(follower).getGroup().getGroupId())))
        .setLeaderTerm(trio.division(leader).getInfo().getCurrentTerm())
        .setPreviousLog(log.getTermIndex(index - 1).toProto())
        .addEntries(log.get(index))
        .setLeaderCommit(index - 1)
        .build();
  }

  private static AppendEntriesReplyProto send(
      RaftTrio trio, AppendEntriesRequestProto request, RaftPeerId to) throws IOException {
    return trio.receiver(to)
        .appendEntriesAsync(request)
        .orTimeout(RaftTrio.PATIENCE.toSeconds(), TimeUnit.SECONDS)
        .join();
  }

  private static long configuration(RaftTrio trio, RaftPeerId at) {
    return trio.division(at).getRaftConf().getLogEntryIndex();
  }
}
