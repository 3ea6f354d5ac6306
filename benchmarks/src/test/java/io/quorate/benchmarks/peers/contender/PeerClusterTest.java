package io.quorate.benchmarks.peers.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.benchmarks.peers.contender.PeerCluster.Node;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerClusterTest {
  private static final List<Node> SLEEPING =
      List.of(new Node("n1", List.of("sleep", "60")), new Node("n2", List.of("sleep", "60")));

  @TempDir private Path parent;

  /** Remembers one value. */
  private static class OneValue extends PeerConnection {
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

  /** Responds to one get. */
  private static final class Hanging extends OneValue {
    private boolean hasResponded;

    Hanging(AtomicInteger open) {
      super(open);
    }

    @Override
    public CompletionStage<Optional<byte[]>> get(byte[] key) {
      if (hasResponded) {
        return new CompletableFuture<>();
      }
      hasResponded = true;
      return super.get(key);
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
  void aCallWithoutAResponseFailsAndIsReported() throws Exception {
    AtomicInteger open = new AtomicInteger();
    try (PeerCluster cluster =
        PeerCluster.start(
            "sample",
            parent,
            directory -> SLEEPING,
            1,
            number -> new Hanging(open),
            Duration.ofMillis(50))) {
      KeyValueCalls calls = cluster.calls().get(0);
      calls.put(new byte[1], new byte[1]).toCompletableFuture().get(20, TimeUnit.SECONDS);
      cluster.requireAlive();

      CompletableFuture<?> hung = calls.get(new byte[1]).toCompletableFuture();

      assertThatThrownBy(() -> hung.get(20, TimeUnit.SECONDS))
          .hasCauseInstanceOf(TimeoutException.class)
          .hasMessageContaining("A call had no response within 0.05 s.");
      assertThatThrownBy(cluster::requireAlive)
          .isInstanceOf(IOException.class)
          .hasMessage("A call had no response within 0.05 s.");
    }
  }

  /** Its process is killed while the cluster runs. */
  @Test
  void noProcessOutlivesAKilledJvm() throws Exception {
    assumeTrue(EndWithParent.isSupported(), "this system does not end processes with their parent");
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Parent.class.getName(),
                parent.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output = jvm.inputReader()) {
      List<ProcessHandle> children = new ArrayList<>();
      for (String pid : output.readLine().split(" ")) {
        children.add(ProcessHandle.of(Long.parseLong(pid)).orElseThrow());
      }
      assertThat(children).hasSize(2);

      jvm.destroyForcibly().onExit().join();

      for (ProcessHandle child : children) {
        child.onExit().get(20, TimeUnit.SECONDS);
      }
    } finally {
      jvm.destroyForcibly();
    }
  }

  /** A program that starts a cluster and waits. */
  static final class Parent {
    private Parent() {}

    public static void main(String[] arguments) throws Exception {
      try (PeerCluster cluster =
          PeerCluster.start(
              "sample",
              Path.of(arguments[0]),
              directory -> SLEEPING,
              1,
              number -> new OneValue(new AtomicInteger()))) {
        System.out.println(
            cluster.processes().stream()
                .map(each -> Long.toString(each.pid()))
                .collect(Collectors.joining(" ")));
        while (System.in.read() >= 0) {}
      }
    }
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
