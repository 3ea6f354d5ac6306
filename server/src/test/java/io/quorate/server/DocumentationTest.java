package io.quorate.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules, links and classes that comments and documents refer to exist. */
class DocumentationTest {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern RULE = Pattern.compile("(?<![\\w.\"-])[PCTDOSQLB]\\d{1,2}[a-c]?\\b");
  private static final Pattern DEFINED = Pattern.compile("^\\*\\*([PCTDOSQLB]\\d{1,2}[a-c]?):");
  private static final Pattern COMMENT = Pattern.compile("^\\s*(?:/\\*|\\*|//)|\\s//\\s");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("^#{1,6} (.+)$");
  private static final Pattern CODE_TERM = Pattern.compile("`([A-Z]\\w+)(?:\\.\\w+)?`");

  @Test
  void everyRuleCitedInACommentIsDefined() throws IOException {
    Set<String> defined = new TreeSet<>();
    for (String line : Files.readAllLines(HOME.resolve("docs/protocols.md"))) {
      Matcher matcher = DEFINED.matcher(line);
      if (matcher.find()) {
        defined.add(matcher.group(1));
      }
    }
    Set<String> undefined = new TreeSet<>();
    for (Path file : files(".java")) {
      for (String line : Files.readAllLines(file)) {
        Matcher matcher = RULE.matcher(line);
        while (COMMENT.matcher(line).find() && matcher.find()) {
          // "L9" stands for its three parts, L9a to L9c.
          boolean isKnown =
              defined.stream().anyMatch(rule -> rule.matches(matcher.group() + "[a-c]?"));
          if (!isKnown) {
            undefined.add(matcher.group() + " in " + HOME.relativize(file));
          }
        }
      }
    }
    assertThat(defined).hasSizeGreaterThan(50);
    assertThat(undefined).isEmpty();
  }

  @Test
  void everyLinkResolves() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path file : files(".md")) {
      for (String link : links(file)) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? file : file.resolveSibling(parts[0]).normalize();
        boolean isFound =
            Files.exists(target)
                && (parts.length == 1
                    || !target.toString().endsWith(".md")
                    || anchors(target).contains(parts[1]));
        if (!isFound) {
          broken.add(HOME.relativize(file) + ": " + link);
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyClassOfTheGlossaryExists() throws IOException {
    Set<String> types =
        files(".java").stream()
            .map(file -> file.getFileName().toString().replace(".java", ""))
            .collect(Collectors.toSet());
    Set<String> named = new TreeSet<>();
    Matcher matcher = CODE_TERM.matcher(Files.readString(HOME.resolve("docs/glossary.md")));
    while (matcher.find()) {
      named.add(matcher.group(1));
    }
    assertThat(named).hasSizeGreaterThan(40);
    assertThat(types).containsAll(named);
  }

  private static List<String> links(Path file) throws IOException {
    List<String> links = new ArrayList<>();
    boolean isCode = false;
    for (String line : Files.readAllLines(file)) {
      isCode ^= line.startsWith("```");
      Matcher matcher = LINK.matcher(line);
      while (!isCode && matcher.find()) {
        if (!matcher.group(1).matches("[a-z]+:.*")) {
          links.add(matcher.group(1));
        }
      }
    }
    return links;
  }

  /** The anchors that a Markdown viewer derives from the headings of a document. */
  private static Set<String> anchors(Path file) throws IOException {
    Set<String> anchors = new TreeSet<>();
    for (String line : Files.readAllLines(file)) {
      Matcher matcher = HEADING.matcher(line);
      if (matcher.find()) {
        anchors.add(
            matcher
                .group(1)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\w\\- ]", "")
                .replace(' ', '-'));
      }
    }
    return anchors;
  }

  private static List<Path> files(String ending) throws IOException {
    try (Stream<Path> all = Files.walk(HOME)) {
      return all.filter(file -> file.toString().endsWith(ending))
          .filter(file -> !HOME.relativize(file).toString().matches("(.*/)?(target|\\.git)/.*"))
          .toList();
    }
  }
}
