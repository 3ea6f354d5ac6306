package io.quorate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.node.QuorateNode;
import io.quorate.server.testing.MemoryEngineProvider;
import io.quorate.server.testing.TestCluster;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The launcher script, in a directory of its own with a jar that refers to the classes of this
 * build, so that the script builds nothing. Commands are ASCII, so that the locale of this JVM has
 * no effect.
 */
class LauncherTest {
  private static final String KEY = "\"$(printf '\\303\\261')\"";
  private static final String OTHER_KEY = "\"$(printf '\\303\\277')\"";

  /** The exit code and the output of a command. */
  private record Run(int exitCode, String out, String err) {}

  @TempDir private Path home;

  @BeforeEach
  void install() throws IOException {
    Files.copy(Path.of("..", "quorate"), home.resolve("quorate"));
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Main.class.getName());
    manifest
        .getMainAttributes()
        .put(
            Attributes.Name.CLASS_PATH,
            Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toUri().toASCIIString())
                .collect(Collectors.joining(" ")));
    Path jar = home.resolve("server/target/quorate-server.jar");
    Files.createDirectories(jar.getParent());
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      out.finish();
    }
  }

  /**
   * Runs a shell command in the directory. Its environment has only PATH, JAVA_HOME,
   * QUORATE_ARCHIVE and the given variables.
   */
  private Run run(Map<String, String> environment, String line)
      throws IOException, InterruptedException {
    Path out = home.resolve("out");
    Path err = home.resolve("err");
    ProcessBuilder shell =
        new ProcessBuilder("/bin/sh", "-c", line)
            .directory(home.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    shell.environment().keySet().retainAll(Set.of("PATH"));
    shell.environment().put("JAVA_HOME", System.getProperty("java.home"));
    // Only the test of the archive of classes needs an archive.
    shell.environment().put("QUORATE_ARCHIVE", "off");
    shell.environment().putAll(environment);
    int exitCode = shell.start().waitFor();
    return new Run(exitCode, utf8(out), utf8(err));
  }

  private static String utf8(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }

  /** No archive can be created here, since the classes are in directories. */
  @Test
  @Tag("slow")
  void aFailureToCreateTheArchiveIsHarmlessAndNotRetried()
      throws IOException, InterruptedException {
    Map<String, String> environment = Map.of("QUORATE_ARCHIVE", "on");
    Run first = run(environment, "./quorate --version");
    assertThat(first.exitCode()).isZero();
    assertThat(first.err()).contains("archive of classes");
    Run second = run(environment, "./quorate --version");
    assertThat(second.exitCode()).isZero();
    assertThat(second.out()).isEqualTo(first.out());
    assertThat(second.err()).isEmpty();
    try (Stream<Path> files = Files.list(home.resolve("server/target"))) {
      assertThat(files).hasSize(2);
    }
  }

  @Test
  void anUnknownLogLevelIsRejected() throws IOException, InterruptedException {
    Run run = run(Map.of("QUORATE_LOG", "foo"), "./quorate --version");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("QUORATE_LOG must be one of").contains("not foo.");
  }

  @Test
  @Tag("slow")
  void keysAndValuesAreUtf8InEveryLocale() throws IOException, InterruptedException {
    TestCluster cluster = new TestCluster(home.resolve("data"), 1, "engine = memory");
    Map<String, String> noLocale = Map.of("QUORATE_AT", "127.0.0.1:" + cluster.clientPort(0));
    try (QuorateNode node =
        QuorateNode.start(cluster.config(0), new MemoryEngineProvider(), failure -> {})) {
      node.serving().toCompletableFuture().join();

      Run put = run(noLocale, "./quorate put " + KEY + " \"@@$(printf '\\303\\274')\"");
      assertThat(put.exitCode()).as(put.err()).isZero();
      assertThat(run(noLocale, "./quorate get " + KEY)).isEqualTo(new Run(0, "@@ü\n", ""));
      assertThat(run(noLocale, "./quorate get " + OTHER_KEY))
          .isEqualTo(new Run(1, "", "There is no key \"ÿ\".\n"));

      String withoutLauncher =
          "LC_ALL=C $JAVA_HOME/bin/java -jar server/target/quorate-server.jar ";
      Run rejected = run(noLocale, withoutLauncher + "put " + OTHER_KEY + " 1");
      assertThat(rejected.exitCode()).isEqualTo(2);
      assertThat(rejected.err()).contains("The key has characters that could not be decoded");
      assertThat(run(noLocale, withoutLauncher + "scan")).isEqualTo(new Run(0, "ñ\t@@ü\n", ""));
      assertThat(run(noLocale, withoutLauncher + "cas --hex c3b1 00 01").err())
          .isEqualTo("The value is another: 4040c3bc\n");
      assertThat(run(noLocale, "./quorate put a " + KEY).exitCode()).isZero();
      assertThat(run(noLocale, withoutLauncher + "cas a b c").err())
          .as("messages in UTF-8")
          .isEqualTo("The value is another: ñ\n");
      assertThat(run(noLocale, withoutLauncher + "load no-such-" + KEY).err())
          .startsWith("The name of the file cannot be decoded;")
          .hasLineCount(1);
    }
  }

  /** Runs the commands as they are documented in docs/operations.md. */
  @Test
  void theDocumentedCopyPreservesEveryByte() throws IOException, InterruptedException {
    TestCluster from = new TestCluster(home.resolve("from"), 1, "engine = memory");
    TestCluster to = new TestCluster(home.resolve("to"), 1, "engine = memory");
    try (QuorateNode old =
            QuorateNode.start(from.config(0), new MemoryEngineProvider(), failure -> {});
        QuorateNode replacement =
            QuorateNode.start(to.config(0), new MemoryEngineProvider(), failure -> {})) {
      old.serving().toCompletableFuture().join();
      replacement.serving().toCompletableFuture().join();
      Map<String, String> atOld = Map.of("QUORATE_AT", "127.0.0.1:" + from.clientPort(0));
      Map<String, String> atNew = Map.of("QUORATE_AT", "127.0.0.1:" + to.clientPort(0));
      Files.writeString(home.resolve("FILE"), "C:\\x64\ta\\\\b\n");

      Run escaped = run(atOld, documented("sed ").replace("| quorate", "| ./quorate"));
      assertThat(escaped.exitCode()).as(escaped.err()).isZero();
      assertThat(run(atOld, "./quorate put --hex 00ff0d0a 0d").exitCode()).isZero();
      for (String command :
          List.of(documented("quorate scan --at "), documented("quorate load --at "))) {
        String adapted =
            command
                .replace("OLD:7001", atOld.get("QUORATE_AT"))
                .replace("NEW:7001", atNew.get("QUORATE_AT"));
        Run copy = run(Map.of(), "./" + adapted);
        assertThat(copy.exitCode()).as(copy.err()).isZero();
      }

      // C:\x64 and a\\b, each backslash as it is in the file.
      assertThat(run(atNew, "./quorate scan --hex"))
          .isEqualTo(new Run(0, "00ff0d0a\t0d\n433a5c783634\t615c5c62\n", ""));
    }
  }

  /** The only line of docs/operations.md that starts with this text. */
  private static String documented(String start) throws IOException {
    List<String> lines =
        Files.readAllLines(Path.of("..", "docs", "operations.md")).stream()
            .filter(line -> line.startsWith(start))
            .toList();
    assertThat(lines).as(start).hasSize(1);
    return lines.get(0);
  }

  @Test
  void outputThatCannotBeWrittenIsReported() throws IOException, InterruptedException {
    TestCluster cluster = new TestCluster(home.resolve("data"), 1, "engine = memory");
    Map<String, String> at = Map.of("QUORATE_AT", "127.0.0.1:" + cluster.clientPort(0));
    try (QuorateNode node =
        QuorateNode.start(cluster.config(0), new MemoryEngineProvider(), failure -> {})) {
      node.serving().toCompletableFuture().join();

      assertThat(run(at, "./quorate incr n --timeout 60s > /dev/full"))
          .isEqualTo(
              new Run(
                  2,
                  "",
                  "The command was executed, but its output could not be written completely.\n"));
    }
  }

  @Test
  void anEmptyAddressMeansTheDefault() throws IOException, InterruptedException {
    Run help = run(Map.of("QUORATE_AT", ""), "./quorate get --help");
    assertThat(help.exitCode()).isZero();
    assertThat(help.out().replaceAll("\\s+", " ").replace(": 7003", ":7003"))
        .contains("Default: 127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003");
  }

  /**
   * The launcher in a directory whose name has a space, with a program in place of java that prints
   * its arguments, one a line, and makes the archive that it is told to make.
   */
  @ParameterizedTest
  @CsvSource({
    "17, -XX:SharedArchiveFile=, jsa",
    "24, -XX:SharedArchiveFile=, jsa",
    "25, -XX:AOTCache=, aot",
  })
  void everyPathMayHaveSpaces(int feature, String flag, String suffix)
      throws IOException, InterruptedException {
    Path spaced = home.resolve("with space");
    Files.createDirectories(spaced.resolve("lib"));
    Files.createDirectories(spaced.resolve("conf"));
    Files.copy(home.resolve("quorate"), spaced.resolve("quorate"));
    Path jar = spaced.resolve("lib/quorate-server.jar");
    Files.writeString(jar, "jar");
    Path java = spaced.resolve("jdk/bin/java");
    Files.createDirectories(java.getParent());
    Files.writeString(spaced.resolve("jdk/release"), "JAVA_VERSION=\"" + feature + "\"\n");
    Files.writeString(
        java,
        """
        #!/bin/sh
        for argument in "$@"; do
          case $argument in
            -XX:AOTCacheOutput=*) echo made >"${argument#*=}" ;;
            -XX:SharedArchiveFile=*.[0-9]*/archive) echo made >"${argument#*=}" ;;
          esac
          echo "$argument"
        done
        """);
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Map<String, String> environment =
        Map.of("JAVA_HOME", spaced.resolve("jdk").toString(), "QUORATE_ARCHIVE", "on");
    Path archive = spaced.resolve("lib/quorate-server-" + feature + "." + suffix);

    for (String verb : List.of("status", "server", "dev")) {
      Run run = run(environment, "'./with space/quorate' " + verb + " 'an argument'");
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out().lines())
          .contains(flag + archive, "-jar", jar.toString(), verb, "an argument")
          .doesNotContain("space/lib/quorate-server-" + feature + "." + suffix);
    }
    assertThat(archive).hasContent("made");
    Run server = run(environment, "'./with space/quorate' server");
    assertThat(server.out().lines()).contains("@" + spaced.resolve("conf/server.jvm"));
  }

  @ParameterizedTest
  @CsvSource({
    "'',          '',          '',          C.UTF-8",
    "C,           '',          '',          C.UTF-8",
    "C,           de_DE.UTF-8, de_DE.UTF-8, C.UTF-8",
    "POSIX,       '',          '',          C.UTF-8",
    "'',          C,           de_DE.UTF-8, C.UTF-8",
    "'',          '',          POSIX,       C.UTF-8",
    "'',          '',          de_DE.UTF-8, ''",
    "'',          de_DE.UTF-8, C,           ''",
    "en_US.UTF-8, C,           C,           en_US.UTF-8"
  })
  void anAsciiLocaleIsReplaced(String all, String characters, String language, String expected)
      throws IOException, InterruptedException {
    Path java = home.resolve("jdk/bin/java");
    Files.createDirectories(java.getParent());
    Files.writeString(home.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
    Files.writeString(java, "#!/bin/sh\necho \"${LC_ALL:-}\"\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Map<String, String> environment =
        Map.of(
            "LC_ALL", all,
            "LC_CTYPE", characters,
            "LANG", language,
            "JAVA_HOME", home.resolve("jdk").toString());
    assertThat(run(environment, "./quorate status")).isEqualTo(new Run(0, expected + "\n", ""));
  }
}
