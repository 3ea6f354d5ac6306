package io.quorate.torture.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A search of Jazzer for inputs that break a rule of a target, in a process of its own, from the
 * kept inputs on. Each input has 10 s.
 */
public final class FuzzSearch {
  private static final Pattern DONE = Pattern.compile("#\\d+\\s+DONE\\s+cov: (\\d+) ft: (\\d+)");
  private static final Pattern VIOLATION = Pattern.compile("Violation: (.*)");

  /**
   * What a search has found.
   *
   * @param edges the branches of our code that were reached; 0 if the search ended early
   * @param finding the broken rule with its input, or the end of the log if the process failed
   */
  public record Outcome(int edges, Optional<String> finding) {}

  private FuzzSearch() {}

  /**
   * Checks inputs. Blocks until the process has ended; ends it if the thread is interrupted.
   *
   * @param directory an empty one for the inputs that Jazzer keeps, and its log
   * @param seed the same seed leads to the same inputs
   * @throws IOException if the process cannot be started, or a file cannot be written
   */
  public static Outcome run(Target target, int inputs, int seed, Path directory)
      throws IOException, InterruptedException {
    Path corpus = Files.createDirectories(directory.resolve("corpus"));
    int number = 0;
    for (byte[] input : Corpus.of(target.name())) {
      Files.write(corpus.resolve("kept-" + number++), input);
    }
    Path log = directory.resolve("log");
    Process process =
        new ProcessBuilder(command(target, inputs, seed, directory, corpus))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      int code = process.waitFor();
      return outcome(code, Files.readString(log, StandardCharsets.ISO_8859_1));
    } finally {
      process.destroyForcibly();
    }
  }

  private static List<String> command(
      Target target, int inputs, int seed, Path directory, Path corpus) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-XX:+UseSerialGC", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add("-D" + Fuzzed.TARGET + "=" + target.name());
    command.add("com.code_intelligence.jazzer.Jazzer");
    command.add("--target_class=" + Fuzzed.class.getName());
    command.add("--instrumentation_includes=io.quorate.**");
    command.add("--reproducer_path=" + directory);
    command.add("-artifact_prefix=" + directory + "/");
    command.addAll(List.of("-runs=" + inputs, "-seed=" + seed));
    command.addAll(List.of("-timeout=10", "-max_len=2048", "-rss_limit_mb=0"));
    command.add(corpus.toString());
    return command;
  }

  private static Outcome outcome(int code, String log) {
    Matcher done = DONE.matcher(log);
    int edges = done.find() ? Integer.parseInt(done.group(1)) : 0;
    Matcher violation = VIOLATION.matcher(log);
    if (violation.find()) {
      return new Outcome(edges, Optional.of(violation.group(1)));
    }
    return code == 0 && edges > 0
        ? new Outcome(edges, Optional.empty())
        : new Outcome(edges, Optional.of("exit code " + code + ": " + end(log)));
  }

  private static String end(String log) {
    return log.substring(Math.max(0, log.length() - 1000));
  }
}
