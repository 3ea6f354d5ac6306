package io.quorate.benchmarks.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.tidy.SourceTree.SourceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The size of the house. What exceeds a bound is named in {@code docs/budgets.md} with its size: a
 * change that makes it larger has to change that file, and one that makes it smaller has to lower
 * the number.
 */
class TidyTest {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final int PACKAGE_FILES_MAX = 30;
  private static final int FILE_LINES_MAX = 500;
  private static final int METHOD_LINES_MAX = 70;
  private static final int RECORD_COMPONENTS_MAX = 8;

  /** A module may have so much less than its budget. */
  private static final double SPARE_MAX = 0.03;

  private static SourceTree tree;
  private static String budgets;

  @BeforeAll
  static void read() throws IOException {
    tree = SourceTree.of(HOME);
    budgets = Files.readString(HOME.resolve("docs/budgets.md"));
  }

  /** The rows of a table of the budgets: name and number. */
  private static Map<String, Integer> table(String title) {
    int start = budgets.indexOf("## " + title + "\n");
    assertThat(start).as("the section \"%s\" of docs/budgets.md", title).isNotNegative();
    int end = budgets.indexOf("\n## ", start);
    String section = end < 0 ? budgets.substring(start) : budgets.substring(start, end);
    return Pattern.compile("(?m)^\\| `([^`]+)` \\| ([\\d,]+) \\|")
        .matcher(section)
        .results()
        .collect(
            Collectors.toMap(
                row -> row.group(1), row -> Integer.parseInt(row.group(2).replace(",", ""))));
  }

  private static void requireListed(String title, Map<String, Integer> sizes, int max) {
    Map<String, Integer> larger = new TreeMap<>(sizes);
    larger.values().removeIf(size -> size <= max);
    assertThat(larger)
        .as("what has more than %d, and what docs/budgets.md allows under \"%s\"", max, title)
        .isEqualTo(new TreeMap<>(table(title)));
  }

  @Test
  void everyModuleKeepsItsBudget() {
    Map<String, Integer> lines =
        tree.files().stream()
            .collect(
                Collectors.groupingBy(
                    SourceFile::module, Collectors.summingInt(SourceFile::lines)));
    Map<String, Integer> allowed = table("Lines of modules");
    assertThat(allowed.keySet()).isEqualTo(lines.keySet());
    lines.forEach(
        (module, present) ->
            assertThat(present)
                .as("lines of %s; its budget is in docs/budgets.md", module)
                .isBetween((int) (allowed.get(module) * (1 - SPARE_MAX)), allowed.get(module)));
  }

  @Test
  void packagesAreSmall() {
    Map<String, Integer> files =
        tree.files().stream()
            .filter(file -> !file.typeName().endsWith("-info"))
            .collect(Collectors.groupingBy(SourceFile::packageName, Collectors.summingInt(f -> 1)));
    requireListed("Files of packages", files, PACKAGE_FILES_MAX);
  }

  @Test
  void filesAreShort() {
    Map<String, Integer> lines =
        tree.files().stream()
            .collect(
                Collectors.toMap(
                    file -> file.packageName() + "." + file.typeName(), SourceFile::lines));
    requireListed("Lines of files", lines, FILE_LINES_MAX);
  }

  @Test
  void methodsAreShort() {
    Map<String, Integer> lines =
        tree.methods().stream()
            .collect(
                Collectors.toMap(
                    SourceTree.Method::name, SourceTree.Method::lines, Math::max, TreeMap::new));
    requireListed("Lines of methods", lines, METHOD_LINES_MAX);
  }

  @Test
  void recordsHaveFewComponents() {
    Map<String, Integer> components =
        tree.records().stream()
            .collect(
                Collectors.toMap(
                    SourceTree.Record::name, SourceTree.Record::components, Math::max));
    requireListed("Components of records", components, RECORD_COMPONENTS_MAX);
  }

  @Test
  void aNameMeansOneThing() {
    Map<String, Integer> uses =
        tree.files().stream()
            .filter(file -> !file.typeName().endsWith("-info"))
            .collect(Collectors.groupingBy(SourceFile::typeName, Collectors.summingInt(f -> 1)));
    requireListed("Types of one name", uses, 1);
  }

  @Test
  void everyPackageHasARowInTheArchitecture() throws IOException {
    String text = Files.readString(HOME.resolve("docs/ARCHITECTURE.md"));
    int start = text.indexOf("\n| package `io.quorate.` |");
    Set<String> rows =
        Pattern.compile("(?m)^\\| `[^|]*")
            .matcher(text.substring(start, text.indexOf("\n\n", start)))
            .results()
            .flatMap(row -> Pattern.compile("`([a-z.]+)`").matcher(row.group()).results())
            .map(name -> name.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> packages =
        tree.files().stream()
            .map(file -> file.packageName().replaceFirst("^io\\.quorate\\.", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    packages.removeIf(name -> name.startsWith("org.apache.ratis"));
    assertThat(rows).isEqualTo(packages);
  }

  @Test
  void aRowOfTheArchitectureNamesAModuleOnce() throws IOException {
    List<String> modules =
        Pattern.compile("(?m)^\\| \\*\\*([a-z-]+)\\*\\* \\|")
            .matcher(Files.readString(HOME.resolve("docs/ARCHITECTURE.md")))
            .results()
            .map((Function<MatchResult, String>) row -> row.group(1))
            .toList();
    assertThat(modules)
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(table("Lines of modules").keySet());
  }
}
