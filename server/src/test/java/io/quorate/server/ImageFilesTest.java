package io.quorate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.quorate.server.admin.Health;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Dockerfile and the scripts of the image, without a container engine. */
class ImageFilesTest {
  private static final Path HOME = Path.of("..");
  private static final Path SCRIPTS = Path.of("src/main/docker");
  private static final String ENTRY_POINT = "entrypoint";
  private static final String HEALTH_CHECK = "healthcheck";
  private static final int MEBIBYTE_SHIFT = 20;

  /** Prints the largest heap in MiB and the arguments. */
  public static final class Probe {
    private Probe() {}

    public static void main(String[] arguments) {
      System.out.println(
          (Runtime.getRuntime().maxMemory() >> MEBIBYTE_SHIFT) + " " + List.of(arguments));
    }
  }

  /** The exit code and the output of a script. */
  private record Run(int exitCode, String out) {}

  @TempDir private Path image;

  @BeforeEach
  void copyScripts() throws IOException {
    for (String script : List.of(ENTRY_POINT, HEALTH_CHECK)) {
      String text = Files.readString(SCRIPTS.resolve(script));
      // The image's paths, in a directory of this test.
      Files.writeString(
          image.resolve(script),
          text.replace("/opt/quorate/", image + "/").replace("/etc/quorate/", image + "/"));
    }
    Files.copy(
        Path.of("src/main/resources/io/quorate/server/server.jvm"), image.resolve("server.jvm"));
  }

  private Run run(String script, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    Path out = image.resolve("out");
    ProcessBuilder shell =
        new ProcessBuilder(
                Stream.concat(
                        Stream.of("/bin/sh", image.resolve(script).toString()),
                        Stream.of(arguments))
                    .toList())
            .redirectOutput(out.toFile());
    shell.environment().keySet().retainAll(Set.of("PATH"));
    shell.environment().merge("PATH", image.toString(), (path, first) -> first + ":" + path);
    shell.environment().putAll(environment);
    int exitCode = shell.start().waitFor();
    return new Run(exitCode, Files.readString(out).strip());
  }

  private void stubJava(String text) throws IOException {
    Path java = image.resolve("java");
    Files.writeString(java, "#!/bin/sh\n" + text + "\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
  }

  /** Runs the entry point with the real JVM, and returns its largest heap in MiB. */
  private int heapMebibytes(Map<String, String> environment)
      throws IOException, InterruptedException {
    // The program and its archive are replaced, and the flags stay in their order.
    stubJava(
        """
        archive=-XX:SharedArchiveFile=%1$s/quorate-server.jsa
        for argument; do
          shift
          case $argument in
            "$archive") ;;
            -jar) set -- "$@" -cp ;;
            %1$s/quorate-server.jar) set -- "$@" '%2$s' '%3$s' ;;
            *) set -- "$@" "$argument" ;;
          esac
        done
        exec %4$s/bin/java "$@" 2>/dev/null
        """
            .formatted(
                image,
                System.getProperty("java.class.path"),
                Probe.class.getName(),
                System.getProperty("java.home")));
    Run run = run(ENTRY_POINT, environment, "server", "--config", "file");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).endsWith(" [server, --config, file]");
    return Integer.parseInt(run.out().split(" ")[0]);
  }

  @Test
  void theOptionsOfTheOperatorTakeEffectAfterTheFileOfFlags()
      throws IOException, InterruptedException {
    int ofFile = heapMebibytes(Map.of());
    assertThat(ofFile).isBetween(450, 512);
    assertThat(heapMebibytes(Map.of("JDK_JAVA_OPTIONS", "-Xmx128m \"-Dtext=two words\"")))
        .isBetween(100, 128);
    assertThat(heapMebibytes(Map.of("QUORATE_JAVA_OPTS", "-Xmx96m"))).isBetween(80, 96);
    assertThat(
            heapMebibytes(Map.of("JDK_JAVA_OPTIONS", "-Xmx128m", "QUORATE_JAVA_OPTS", "-Xmx96m")))
        .isBetween(80, 96);
  }

  @Test
  void javaTakesThePlaceOfTheScriptAndOthersReadNothing() throws IOException, InterruptedException {
    stubJava("echo $$ $(umask)");
    Path shell = image.resolve("outer");
    Files.writeString(shell, "echo $$; exec /bin/sh " + image.resolve(ENTRY_POINT) + " status\n");
    String[] lines = run("outer", Map.of()).out().split("\n");
    assertThat(lines[1]).isEqualTo(lines[0] + " 0007");
  }

  private Run check(Path file) throws IOException, InterruptedException {
    return run(HEALTH_CHECK, Map.of(HealthFile.VARIABLE, file.toString()));
  }

  @Test
  void theHealthCheckReadsWhatTheNodeWrites() throws IOException, InterruptedException {
    stubJava("echo A JVM was started; exit 1");
    Path file = image.resolve("health");
    assertThat(check(file)).isEqualTo(new Run(1, "The node has not reported yet."));
    List<String> problems = new CopyOnWriteArrayList<>();
    Optional<HealthFile> writer =
        HealthFile.start(Optional.of(file.toString()), () -> new Health(problems, problems));
    await().until(() -> Files.exists(file));
    assertThat(check(file)).isEqualTo(new Run(0, "ok"));
    problems.add("Region 1 has no leader that is known to this node.");
    problems.add("Another one.");
    await().until(() -> Files.readString(file).contains("Another"));
    assertThat(check(file))
        .isEqualTo(new Run(1, "Region 1 has no leader that is known to this node."));
    problems.clear();
    await().until(() -> Files.readString(file).endsWith("ok\n"));
    writer.orElseThrow().close();
    assertThat(check(file)).isEqualTo(new Run(1, "The node has not reported for 8 s."));
    assertThat(HealthFile.start(Optional.empty(), () -> new Health(List.of(), List.of())))
        .isEmpty();
  }

  private static List<String> instruction(String name) throws IOException {
    String joined =
        Files.readString(HOME.resolve("Dockerfile"), StandardCharsets.UTF_8)
            .replaceAll("\\\\\n\\s*", "");
    return joined
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .map(line -> line.substring(name.length() + 1))
        .toList();
  }

  @Test
  void theImageExposesThePortsOfItsConfiguration() throws IOException {
    Config node =
        ConfigFactory.parseFile(SCRIPTS.resolve("quorate.conf").toFile())
            .resolve()
            .getConfigList("quorate.cluster.nodes")
            .get(0);
    assertThat(instruction("EXPOSE"))
        .containsExactly(
            node.getInt("client-port")
                + " "
                + node.getInt("consensus-port")
                + " "
                + node.getInt("admin-port"));
  }

  @Test
  void theImageRunsItsScriptsAndHasTheirFiles() throws IOException {
    assertThat(instruction("ENTRYPOINT"))
        .containsExactly("[\"/bin/sh\", \"/opt/quorate/" + ENTRY_POINT + "\"]");
    assertThat(instruction("HEALTHCHECK"))
        .singleElement()
        .asString()
        .endsWith("CMD [\"/bin/sh\", \"/opt/quorate/" + HEALTH_CHECK + "\"]");
    assertThat(instruction("ENV")).contains(HealthFile.VARIABLE + "=/tmp/quorate-health");
    assertThat(Files.readString(SCRIPTS.resolve(HEALTH_CHECK))).contains("/tmp/quorate-health");
    Set<String> copied = new TreeSet<>();
    for (String line : instruction("COPY")) {
      List<String> words = List.of(line.split(" "));
      for (String source : words.subList(0, words.size() - 1)) {
        String target = words.get(words.size() - 1);
        String name = source.substring(source.lastIndexOf('/') + 1);
        copied.add(target.endsWith("/") ? target + name : target);
        assertThat(source.endsWith(".jar") || Files.exists(HOME.resolve(source)))
            .as(source)
            .isTrue();
      }
    }
    Matcher used =
        Pattern.compile("/(?:opt|etc)/quorate/[\\w.-]+")
            .matcher(
                Files.readString(HOME.resolve("Dockerfile"))
                    + Files.readString(SCRIPTS.resolve(ENTRY_POINT)));
    while (used.find()) {
      // The build of the image makes the archive.
      if (!used.group().endsWith(".jsa")) {
        assertThat(copied).contains(used.group());
      }
    }
  }
}
