package io.quorate.ratis.patches;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the Javadoc of each repair of Ratis says: its issue, its tests, and when it can go. */
class PatchesTest {
  private static final Path SOURCES = Path.of("src/main/java");
  private static final Path PATCHES = SOURCES.resolve("io/quorate/ratis/patches");
  private static final Pattern REPAIR =
      Pattern.compile(
          "Upstream: [^:]*?(?:not reported|RATIS-\\d+)[^:]*\\. Fails without it: (?<tests>[^:]+?)\\."
              + " Can go (?:when|with) ");
  private static final Pattern HELPER =
      Pattern.compile("Part of \\{@link |No defect by itself\\. Can go with ");
  private static final Pattern TEST = Pattern.compile("\\{@code (\\w+Test)\\}");

  @Test
  void eachNamesItsIssueItsTestsAndWhenItCanGo() throws IOException {
    Set<String> tests = tests();
    for (Path file : sources()) {
      String text = text(file);
      Matcher repair = REPAIR.matcher(text);
      if (!repair.find()) {
        assertThat(text).as(file.toString()).containsPattern(HELPER);
        continue;
      }
      List<String> named =
          TEST.matcher(repair.group("tests")).results().map(found -> found.group(1)).toList();
      assertThat(named).as(file.toString()).isNotEmpty().isSubsetOf(tests);
    }
  }

  @Test
  void thePackageListsTheClassesInPackagesOfRatis() throws IOException {
    String list = text(PATCHES.resolve("package-info.java"));
    for (Path file : javaFiles(SOURCES.resolve("org/apache/ratis"))) {
      String name = SOURCES.relativize(file).toString().replace('/', '.').replace(".java", "");
      assertThat(list).contains("{@code " + name + "}");
    }
  }

  private static List<Path> sources() throws IOException {
    List<Path> all = new ArrayList<>(javaFiles(PATCHES));
    all.addAll(javaFiles(SOURCES.resolve("org/apache/ratis")));
    return all;
  }

  private static List<Path> javaFiles(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !file.endsWith("package-info.java"))
          .toList();
    }
  }

  private static Set<String> tests() throws IOException {
    List<Path> all = new ArrayList<>(javaFiles(Path.of("src/test/java")));
    all.addAll(javaFiles(Path.of("../torture/src/test/java")));
    return all.stream()
        .map(file -> file.getFileName().toString().replace(".java", ""))
        .collect(Collectors.toSet());
  }

  /** Without the line breaks of the comments. */
  private static String text(Path file) throws IOException {
    return Files.readString(file).replaceAll("\\s*\\n \\*\\s*", " ").replaceAll("\\s+", " ");
  }
}
