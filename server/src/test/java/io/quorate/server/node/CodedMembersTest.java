package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.QuorateClient;
import io.quorate.common.DurableFiles;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Large values through changes of replicas (decision 0049). */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class CodedMembersTest extends CodedFixture {
  private static final GroupId REGION = new GroupId(1);
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");
  private static final NodeId N4 = new NodeId("n4");

  /** The replica moves to n4 and back, and each time it is needed for a majority. */
  @Test
  @Tag("slow")
  void largeValuesMoveWithAReplicaWhileTheyAreWritten()
      throws IOException, ExecutionException, InterruptedException {
    start(4, "cluster.replicas = 3, placement.policy = none");
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      putValues(async);
      AtomicBoolean moved = new AtomicBoolean();
      CompletableFuture<Integer> writes =
          CompletableFuture.supplyAsync(() -> rewrite(async, key("written"), moved));
      client.moveReplica(REGION, N1, N4);
      awaitAssigned(client, REGION, N4, N2, N3);
      moved.set(true);
      int last = writes.get();
      awaitRemoved(0, REGION);

      nodes.get(1).close();
      assertValues(async);
      assertThat(async.get(key("written")).join()).contains(value(last, LARGE));
      nodes.set(1, start(1));
      awaitServing(nodes.get(1));

      client.moveReplica(REGION, N4, N1);
      awaitAssigned(client, REGION, N1, N2, N3);
      nodes.get(2).close();
      assertValues(async);
      assertThat(async.get(key("written")).join()).contains(value(last, LARGE));
    }
  }

  @Test
  void aLostDiskIsReplaced() throws IOException {
    start(3, "");
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      putValues(async);
      nodes.get(2).close();
      DurableFiles.deleteTree(data(2));
      async.put(key("while"), value(50, LARGE)).join();
      nodes.set(2, start(2));
      assertThat(node("replace", "127.0.0.1:" + cluster.clientPort(2)))
          .endsWith("has its replicas again.\n");
      awaitServing(nodes.get(2));

      nodes.get(1).close();
      assertValues(async);
      assertThat(async.get(key("while")).join()).contains(value(50, LARGE));
      async.put(key("after"), value(51, LARGE)).join();
    }
  }
}
