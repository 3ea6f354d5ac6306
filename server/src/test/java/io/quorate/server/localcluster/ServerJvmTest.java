package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.ServerJvm.Lifetime;
import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerJvmTest {
  private static final String VECTORS = "--add-modules=jdk.incubator.vector";
  private static final String UNSAFE = "--sun-misc-unsafe-memory-access=allow";

  @Test
  void flagsAreReadFromTheFileWithoutComments() {
    List<String> flags = ServerJvm.flags(17);

    assertThat(flags).contains("-Xmx512m");
    assertThat(ServerJvm.flags(24)).contains("--enable-native-access=ALL-UNNAMED");
    assertThat(flags).allMatch(flag -> flag.startsWith("-"));
  }

  /** After an OutOfMemoryError, a node that continues may have lost any of its threads. */
  @Test
  void everyStartMethodExitsOnOutOfMemory() throws IOException {
    String flag = "-XX:+ExitOnOutOfMemoryError";
    assertThat(ServerJvm.flags(17)).as("clusters of processes").contains(flag);
    assertThat(linesWith(Path.of("..", "quorate"), "  server)"))
        .as("the launcher")
        .isNotEmpty()
        .allMatch(line -> line.contains("@$server_jvm"));
    assertThat(linesWith(Path.of("..", "quorate"), "server_jvm="))
        .hasSize(2)
        .anyMatch(
            line -> line.contains("$home/server/src/main/resources" + ServerJvm.FLAGS_RESOURCE));
    assertThat(linesWith(Path.of("..", "Dockerfile"), "server.jvm /etc", "ENTRYPOINT"))
        .as("the image")
        .hasSize(2)
        .anyMatch(line -> line.endsWith("/etc/quorate/server.jvm"))
        .anyMatch(line -> line.contains("/opt/quorate/entrypoint"));
    assertThat(linesWith(Path.of("src", "main", "docker", "entrypoint"), "file="))
        .as("the image")
        .contains("file=@/etc/quorate/server.jvm");
    List<Path> documents = new ArrayList<>(List.of(Path.of("..", "README.md")));
    try (Stream<Path> docs = Files.walk(Path.of("..", "docs"))) {
      docs.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
    }
    List<String> commands = new ArrayList<>();
    for (Path document : documents) {
      commands.addAll(linesWith(document, "quorate-server.jar server"));
    }
    assertThat(commands)
        .as("documented commands")
        .isNotEmpty()
        .allMatch(line -> line.contains("@server/src/main/resources" + ServerJvm.FLAGS_RESOURCE));
  }

  private static List<String> linesWith(Path file, String... any) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> Arrays.stream(any).anyMatch(line::contains))
        .toList();
  }

  @Test
  void onlyJdksThatSupportTheUnsafeFlagReceiveIt() {
    assertThat(ServerJvm.flags(17)).doesNotContain(UNSAFE);
    assertThat(ServerJvm.flags(25)).contains(UNSAFE);
  }

  @Test
  void onlyADetachedNodeLeavesTheSession() {
    NodePlan node =
        ClusterPlan.of(Path.of("/x"), "dev", Shape.DEFAULT, new Ports.FromBase(7001))
            .nodes()
            .get(0);

    assertThat(ServerJvm.command(node, Lifetime.DETACHED, Launch.PLAIN).get(0))
        .containsAnyOf("setsid", "nohup");
    assertThat(ServerJvm.command(node, Lifetime.DETACHED, Launch.PLAIN))
        .doesNotContain(ServerJvm.MAIN_OF_CHILD);
    assertThat(ServerJvm.command(node, Lifetime.OF_PARENT, Launch.PLAIN))
        .contains(ServerJvm.MAIN_OF_CHILD)
        .endsWith("server", "--config", "/x/n1/quorate.conf");
  }

  @Test
  void settingsOfOneLaunchOverrideTheFile() {
    NodePlan node =
        ClusterPlan.of(Path.of("/x"), "dev", Shape.DEFAULT, new Ports.FromBase(7001))
            .nodes()
            .get(0);
    Launch launch = Launch.with(Map.of("cluster.replicas", "5", "admin.bind", "127.0.0.2"));

    assertThat(ServerJvm.command(node, Lifetime.OF_PARENT, launch))
        .endsWith("--set", "admin.bind=127.0.0.2", "--set", "cluster.replicas=5");
  }

  @Test
  void onlyNodesThatCodeValuesHaveVectors(@TempDir Path directory) throws IOException {
    // A JDK without the module does not start with the flag.
    assumeThat(ModuleFinder.ofSystem().find("jdk.incubator.vector")).isPresent();
    Launch coded = Launch.with(Map.of("replication", "coded"));
    Launch full = Launch.with(Map.of("replication", "full"));

    assertThat(flags(directory, "raft", Launch.PLAIN)).doesNotContain(VECTORS);
    assertThat(flags(directory, "raft", coded)).contains(VECTORS);
    assertThat(flags(directory, "raft", Launch.with(Map.of("preset", "craft")))).contains(VECTORS);
    assertThat(flags(directory, "rs-raft", Launch.PLAIN)).contains(VECTORS);
    assertThat(flags(directory, "craft", Launch.PLAIN)).contains(VECTORS);
    assertThat(flags(directory, "craft", full)).doesNotContain(VECTORS);
  }

  private static List<String> flags(Path directory, String preset, Launch launch)
      throws IOException {
    ClusterPlan plan =
        ClusterPlan.of(directory, "dev", new Shape(3, 1, preset), new Ports.FromBase(7001));
    plan.writeConfigurations();
    return ServerJvm.command(plan.nodes().get(0), Lifetime.OF_PARENT, launch);
  }

  @Test
  void aPrefixExecutesTheWholeCommandLine() {
    NodePlan node =
        ClusterPlan.of(Path.of("/x"), "dev", Shape.DEFAULT, new Ports.FromBase(7001))
            .nodes()
            .get(0);
    Launch launch = new Launch(List.of("nsenter", "--net=/n1"), List.of(), Map.of(), Map.of());
    List<String> plain = ServerJvm.command(node, Lifetime.OF_PARENT, Launch.PLAIN);

    List<String> command = ServerJvm.command(node, Lifetime.OF_PARENT, launch);

    assertThat(command.subList(0, 2)).containsExactly("nsenter", "--net=/n1");
    assertThat(command.subList(2, command.size())).isEqualTo(plain);
  }
}
