package io.quorate.server;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * The jar for tests of applications has the server without its command line. No class that is
 * inside needs one that was left out, or a library that is not there: .ci/try-artifacts finds that
 * too, later.
 */
class TestingJarTest {
  private static final Pattern OF_THE_SERVER =
      Pattern.compile(
          "(?s)<artifact>io\\.quorate:quorate-server-original</artifact>(.*?)</filter>");
  private static final Pattern USE = Pattern.compile("(?m)^ +(\\S+) +-> (\\S+)");
  private static final Pattern EXCLUDE = Pattern.compile("<exclude>(io/quorate/.*?)</exclude>");
  private static final Pattern LEFT_OUT_LIBRARIES =
      Pattern.compile("(picocli|org/jline|ch/qos|org/slf4j/bridge)/.*");

  @Test
  void hasNoClassThatNeedsWhatIsNotThere() throws IOException {
    Pattern leftOut = leftOut();
    List<Use> uses = uses();
    assertThat(uses).anyMatch(use -> leftOut.matcher(use.by()).matches());
    assertThat(uses)
        .filteredOn(use -> !leftOut.matcher(use.by()).matches())
        .noneMatch(
            use ->
                leftOut.matcher(use.of()).matches()
                    || LEFT_OUT_LIBRARIES.matcher(use.of()).matches());
  }

  /** Which class has the name of which other in it, for a constant too. */
  private static List<Use> uses() {
    StringWriter text = new StringWriter();
    ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
    int status =
        jdeps.run(
            new PrintWriter(text),
            new PrintWriter(Writer.nullWriter()),
            "-v",
            "--ignore-missing-deps",
            "--multi-release",
            "base",
            "target/classes");
    assertThat(status).isZero();
    return USE.matcher(text.toString())
        .results()
        .map(use -> new Use(file(use.group(1)), file(use.group(2))))
        .toList();
  }

  /** The patterns of the build, of which "*" stays in a directory. */
  private static Pattern leftOut() throws IOException {
    var filter = OF_THE_SERVER.matcher(Files.readString(Path.of("shaded/pom.xml")));
    assertThat(filter.find()).isTrue();
    return Pattern.compile(
        EXCLUDE
            .matcher(filter.group(1))
            .results()
            .map(exclude -> exclude.group(1).replace(".", "\\.").replace("*", "[^/]*"))
            .map(regex -> regex.replace("[^/]*[^/]*", ".*"))
            .collect(joining("|")));
  }

  private static String file(String type) {
    return type.replace('.', '/') + ".class";
  }

  /** Of classes, as files. */
  private record Use(String by, String of) {}
}
