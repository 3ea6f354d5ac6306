package io.quorate.benchmarks.peers.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.benchmarks.peers.contender.PeerCluster.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerClusterTest {
  private static final List<Node> SLEEPING =
      List.of(new Node("n1", List.of("sleep", "60")), new Node("n2", List.of("sleep", "60")));

  @TempDir private Path parent;

  /** Remembers one value. */
  private static final class OneValue extends PeerConnection {
    private final AtomicInteger open;
    private Optional<byte[]> value = Optional.empty();

    OneValue(AtomicInteger open) {
      this.open = open;
      open.incrementAndGet();
    }

    @Override
    public CompletionStage<?> put(byte[] key, byte[] written) {
      value = Optional.of(written);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Optional<byte[]>> get(byte[] key) {
      return CompletableFuture.completedFuture(value);
    }

    @Override
    public void close() {
      open.decrementAndGet();
    }
  }

  private void assertNothingIsLeft() throws IOException {
    try (Stream<Path> left = Files.list(parent)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void itServesAfterFailedAttemptsAndIsRemovedAtTheEnd() throws Exception {
    AtomicInteger open = new AtomicInteger();
    AtomicInteger attempts = new AtomicInteger();
    List<ProcessHandle> processes;
    try (PeerCluster cluster =
        PeerCluster.start(
            "sample",
            parent,
            directory -> SLEEPING,
            3,
            number -> {
              if (attempts.incrementAndGet() == 2) {
                throw new IOException("refused");
              }
              return new OneValue(open);
            })) {
      processes = cluster.processes();
      assertThat(processes).hasSize(2).allMatch(ProcessHandle::isAlive);
      assertThat(cluster.calls()).hasSize(3);
      assertThat(attempts).hasValue(4);
      assertThat(open).hasValue(3);
      cluster.requireAlive();
    }
    assertThat(processes).noneMatch(ProcessHandle::isAlive);
    assertThat(open).hasValue(0);
    assertNothingIsLeft();
  }

  @Test
  void aProcessThatEndsIsReportedWithItsLastLine() throws Exception {
    List<Node> nodes =
        List.of(
            new Node("n1", List.of("sleep", "60")),
            new Node("n2", List.of("sh", "-c", "echo 'the port is taken'; exit 1")));

    assertThatThrownBy(
            () ->
                PeerCluster.start(
                    "sample",
                    parent,
                    directory -> nodes,
                    1,
                    number -> {
                      throw new IOException("refused");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("A process ended unexpectedly: the port is taken");
    assertNothingIsLeft();
  }

  @Test
  void aMissingProgramIsReported() throws Exception {
    assertThatThrownBy(
            () ->
                PeerCluster.start(
                    "sample",
                    parent,
                    directory -> List.of(new Node("n1", List.of("no-such-program"))),
                    1,
                    number -> new OneValue(new AtomicInteger())))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no-such-program");
    assertNothingIsLeft();
  }
}
