package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.consensus.Command;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.KnownPosition;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Status;
import io.quorate.server.config.Preset;
import io.quorate.server.testing.RawClient;
import io.quorate.server.topology.LocalReplica;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Copies of a request that arrive after its session has expired, or has ended, have no effect. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class LateCopyTest extends ClusterFixture {
  private static final GroupId REGION = new GroupId(1);

  static Stream<Preset> presets() {
    return presets("buc acqr", "raft rabia craft cr");
  }

  @Test
  void aLateCopyHasNoEffectAndAnIdleClientGoesOn() throws IOException {
    start(3, "");
    try (QuorateClient idle = client()) {
      Position known = idle.put("k", "v");
      ClientCommand request =
          new ClientCommand(
              new RequestId(new ClientId(7, 7), 1, 1, KnownPosition.of(REGION, known)),
              new Operation.IncrementAndGet(Key.utf8("n"), 1));
      assertThat(sendToAny(request)).isEqualTo(new Result.Number(1));
      assertThat(sendToAny(request)).isEqualTo(new Result.Number(1));
      expireSessions();

      assertThat(sendToAny(request)).isEqualTo(Result.OUTDATED);
      // Its session has expired as well, and the position that it knows is as old.
      assertThat(idle.incrementAndGet("n", 1)).isEqualTo(2);
      assertThat(sendToAny(request)).isEqualTo(Result.OUTDATED);
      assertThat(idle.get("n")).contains("2");
      try (QuorateClient fresh = client()) {
        assertThat(fresh.incrementAndGet("n", 1)).isEqualTo(3);
      }
    }
  }

  @Test
  void aLateCopyHasNoEffectAfterItsClientHasEndedItsSession() throws IOException {
    start(3, "");
    try (QuorateClient other = client()) {
      Position known = other.put("k", "v");
      ClientId closed = new ClientId(7, 7);
      ClientCommand request =
          new ClientCommand(
              new RequestId(closed, 1, 1, KnownPosition.of(REGION, known)),
              new Operation.IncrementAndGet(Key.utf8("n"), 1));
      assertThat(sendToAny(request)).isEqualTo(new Result.Number(1));
      ClientCommand end =
          new ClientCommand(new RequestId(closed, 2, 2), new Operation.EndSession());
      assertThat(sendToAny(end)).isEqualTo(Result.DONE);
      assertThat(sendToAny(request)).isEqualTo(Result.OUTDATED);
      assertThat(sendToAny(end)).isEqualTo(Result.DONE);
      expireSessions();
      assertThat(sendToAny(request)).isEqualTo(Result.OUTDATED);
      assertThat(other.get("n")).contains("1");
    }
  }

  /**
   * Clients that are opened and closed one after the other, as those of a command line. On a busy
   * machine not all of them end their sessions in time.
   */
  @Test
  void closedClientsEndTheirSessions() throws IOException {
    start(3, "");
    AtomicInteger clients = new AtomicInteger();
    await()
        .atMost(TIMEOUT)
        .until(
            () -> {
              try (QuorateClient client = client()) {
                // The leader has applied both when it responds.
                assertThat(client.incrementAndGet("n", 1)).isEqualTo(clients.incrementAndGet());
                client.getAndPut("k", "x".repeat(1_000));
              }
              return openSessions() < clients.get();
            });
  }

  /** The highest number that any node has: that of a leader has not fewer than there are. */
  private int openSessions() {
    return nodes.stream()
        .mapToInt(node -> node.topology().hosted(REGION).orElseThrow().store().openSessionCount())
        .max()
        .orElseThrow();
  }

  /** The result at the first node that executes the request. */
  private Result sendToAny(ClientCommand request) {
    return await().atMost(TIMEOUT).until(() -> trySend(request), Optional::isPresent).orElseThrow();
  }

  /** Empty if no node leads the region at the moment. */
  private Optional<Result> trySend(ClientCommand request) throws IOException {
    for (int node = 0; node < cluster.size(); node++) {
      try (RawClient raw = RawClient.connect(cluster.clientPort(node))) {
        raw.write(1, RawClient.to(REGION.value()), request);
        RawClient.Response response = raw.receive();
        if (response.status() == Status.OK) {
          DataFrames.readPosition(response.body());
          return Optional.of(Result.decode(response.body().nioBuffer()));
        }
        assertThat(response.status()).isIn(Status.NOT_LEADER, Status.UNAVAILABLE);
      }
    }
    return Optional.empty();
  }

  /** Once a node serves the region and does not transfer its leadership. */
  private void expireSessions() {
    await().atMost(TIMEOUT).until(this::tryExpireSessions);
  }

  private boolean tryExpireSessions() {
    for (QuorateNode node : nodes) {
      LocalReplica replica = node.topology().hosted(REGION).orElseThrow();
      if (replica.group().view().serving()) {
        Position applied = replica.store().applied();
        Operation expire =
            new Operation.ExpireSessions(new Position(applied.epoch(), applied.index() + 1));
        return replica
            .group()
            .propose(new Command(new ClientCommand(RequestId.NONE, expire).encoded()))
            .toCompletableFuture()
            .orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
            .handle((result, failure) -> failure == null)
            .join();
      }
    }
    return false;
  }
}
