package io.quorate.server;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
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
  private static final Pattern EXCLUDE = Pattern.compile("<exclude>(io/quorate/.*?)</exclude>");
  private static final Pattern LEFT_OUT_LIBRARIES =
      Pattern.compile("(picocli|org\\.jline|ch\\.qos|org\\.slf4j\\.bridge)\\..*");

  @Test
  void hasNoClassThatNeedsWhatIsNotThere() throws IOException {
    Pattern leftOut = leftOut();
    var classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.quorate.server", "io.quorate.testing");
    assertThat(classes.stream().filter(type -> leftOut.matcher(file(type)).matches())).isNotEmpty();
    assertThat(
            classes.stream()
                .filter(type -> !leftOut.matcher(file(type)).matches())
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(
                    use ->
                        leftOut.matcher(file(use.getTargetClass())).matches()
                            || LEFT_OUT_LIBRARIES.matcher(use.getTargetClass().getName()).matches())
                .map(
                    use -> use.getOriginClass().getName() + " -> " + use.getTargetClass().getName())
                .distinct())
        .isEmpty();
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

  private static String file(JavaClass type) {
    return type.getName().replace('.', '/') + ".class";
  }
}
