package io.quorate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node that cannot use a directory, which is in a file system of its own. */
class UnusableDirectoryTest {
  private static final String WITH_MOUNT =
      "mount -t tmpfs -o \"$1\" none \"$2\" || exit 99; directory=$2; shift 2; ";

  /** Leaves space for the files of the node itself, and not for those of RocksDB. */
  private static final String FILL = "head -c 970000 /dev/zero >\"$directory/identity.fill\"; ";

  private record Run(int exitCode, String output) {}

  @TempDir private Path directory;
  private Path data;
  private Path temporary;
  private Path file;

  @BeforeEach
  void configure() throws IOException, InterruptedException {
    TestCluster cluster = new TestCluster(directory, 1, "engine = memory");
    data = Files.createDirectories(cluster.config(0).node().data());
    temporary = Files.createDirectory(directory.resolve("tmp"));
    file = directory.resolve("quorate.conf");
    Files.writeString(file, cluster.text(0));
    assumeTrue(
        run("size=1m", data, "", List.of("true")).exitCode() == 0,
        "a process may mount file systems for itself");
  }

  @Test
  void aFullDiskIsNoErrorOfTheConfiguration() throws IOException, InterruptedException {
    Run node = run("size=1m", data, FILL, server());
    assertThat(lineWith("cannot start", node))
        .startsWith("The node cannot start: ")
        .contains("No space left on device")
        .endsWith(".")
        .doesNotEndWith("..");
    assertThat(node.exitCode()).isEqualTo(ServerCommand.EXIT_ENVIRONMENT);
  }

  /** A host may have one disk for everything, so that a full one is of the environment here too. */
  @ParameterizedTest
  @CsvSource({"noexec, 2", "ro, 2", "size=8m, 74"})
  void aDirectoryForTemporaryFilesThatIsOfNoUseIsNamed(String options, int exitCode)
      throws IOException, InterruptedException {
    Run node = run(options, temporary, "", server());
    assertThat(lineWith("RocksDB's library", node))
        .contains(temporary.toString(), "-Djava.io.tmpdir=DIRECTORY");
    assertThat(node.output()).doesNotContain("\tat ");
    assertThat(node.exitCode()).isEqualTo(exitCode);
  }

  private static String lineWith(String text, Run run) {
    List<String> lines = run.output().lines().filter(line -> line.contains(text)).toList();
    assertThat(lines).as(run.output()).hasSize(1);
    return lines.get(0);
  }

  private List<String> server() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:-UsePerfData",
        "-Djava.io.tmpdir=" + temporary,
        "-cp",
        System.getProperty("java.class.path"),
        Main.class.getName(),
        "server",
        "--config",
        file.toString());
  }

  /**
   * Runs a program with a file system in place of a directory, which only it sees.
   *
   * @param options of the mount
   * @param shell executed before the program
   */
  private static Run run(String options, Path at, String shell, List<String> program)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("unshare", "--map-root-user", "--mount", "/bin/sh", "-c"));
    command.addAll(List.of(WITH_MOUNT + shell + "exec \"$@\"", "sh", options, at.toString()));
    command.addAll(program);
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return new Run(-1, e.getMessage());
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Run(process.waitFor(), output);
  }
}
