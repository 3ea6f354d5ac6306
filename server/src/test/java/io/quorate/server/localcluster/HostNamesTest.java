package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.common.HostPort;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes whose hosts have underscores, as those of containers have, are IPv6 addresses, or have
 * several addresses, at the first of which nothing listens.
 */
@Timeout(300)
@Tag("slow")
class HostNamesTest {
  private static final String CONTAINER = "project_db_1";
  private static final String SEVERAL = "several-addresses";
  private static final String LISTENS = "::1";
  private static final Map<NodeId, String> HOSTS =
      Map.of(new NodeId("n1"), CONTAINER, new NodeId("n2"), LISTENS, new NodeId("n3"), SEVERAL);

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"raft", "rabia"})
  void aClusterServesWhateverItsHostsAre(String preset) throws IOException, InterruptedException {
    Path hosts = directory.resolve("hosts");
    Files.writeString(
        hosts,
        "127.0.0.1 %1$s\n127.0.0.9 %2$s\n127.0.0.10 %2$s\n%3$s %2$s\n"
            .formatted(CONTAINER, SEVERAL, LISTENS));
    String resolver = "-Djdk.net.hosts.file=" + hosts;
    try (ProcessCluster cluster =
        ProcessCluster.temporary(
            directory,
            new Shape(3, 1, preset),
            plan -> plan.withHosts(HOSTS::get),
            node ->
                new Launch(
                    List.of(resolver, Launch.FIRST_COMPILER_ONLY),
                    Map.of(),
                    Map.of("node.bind", node.host().equals(SEVERAL) ? LISTENS : node.host())))) {
      cluster.start();
      String at = cluster.plan().clientAddresses();
      assertThat(at).contains(CONTAINER + ":", "[::1]:");
      assertThat(quorate(resolver, "put", "k", "v", "--at", at, "--timeout", "2m")).isZero();
      for (NodePlan node : cluster.plan().nodes()) {
        String one = HostPort.text(node.host(), node.clientPort());
        assertThat(quorate(resolver, "get", "k", "--at", one, "--timeout", "1m")).isZero();
      }
      // Each two of the three are a majority, so all of them reach each other.
      for (NodeProcess stopped : cluster.nodes()) {
        stopped.kill();
        assertThat(quorate(resolver, "incr", "n", "--at", at, "--timeout", "1m")).isZero();
        stopped.start();
      }
      cluster.requireAlive();
    }
  }

  /** In a process of its own, because a JVM has one file of hosts. */
  private int quorate(String resolver, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        Stream.concat(
                Stream.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    resolver,
                    Launch.FIRST_COMPILER_ONLY,
                    "-cp",
                    System.getProperty("java.class.path"),
                    ServerJvm.MAIN),
                Stream.of(arguments))
            .toList();
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
    return process.exitValue();
  }
}
