package io.quorate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.fail;

import io.quorate.server.Verbs;
import io.quorate.server.cli.ClientCommands;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.testing.EmbeddedCluster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jline.reader.Parser.ParseContext;
import org.jline.reader.impl.DefaultParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;

/**
 * The command lines of README and docs: the program accepts each of them, and those that send one
 * request or measure a device succeed. The tests of the other verbs run the longer ones.
 */
class DocumentedCommandsTest {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern INLINE = Pattern.compile("`((?:\\./)?quorate [^`]*)`");
  private static final Pattern SCRIPT = Pattern.compile("(?:^|\\s)((?:\\./mvnw|\\.ci/[a-z-]+))");
  private static final Pattern COMMENT = Pattern.compile("\\s{2,}#.*");
  private static final Pattern REDIRECTION = Pattern.compile("\\s>\\s*(\\S+)\\s*$");

  /** Values for the placeholders in command lines. */
  private static final Map<String, String> PLACEHOLDERS =
      Map.of("N", "10", "P", "raft", "...", "raft", "HOST:PORT", "127.0.0.1:1");

  /**
   * @param isWhole whether the line is a complete command line, or a verb with some options only
   */
  record Command(String file, String line, boolean isWhole) {
    @Override
    public String toString() {
      return file + ": " + line;
    }

    /** The arguments after the name of the program. */
    List<String> arguments() {
      String command = REDIRECTION.matcher(line).replaceFirst("");
      return new DefaultParser()
          .parse(command, command.length(), ParseContext.ACCEPT_LINE).words().stream()
              .skip(1)
              .filter(word -> !word.isEmpty())
              .map(word -> PLACEHOLDERS.getOrDefault(word, word))
              .toList();
    }
  }

  static List<Command> commands() throws IOException {
    List<Command> commands = new ArrayList<>();
    for (Path file : pages()) {
      boolean isCode = false;
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith("```")) {
          isCode = !isCode;
        } else if (isCode) {
          String name = HOME.relativize(file).toString();
          parts(line).forEach(part -> commands.add(new Command(name, part, true)));
        } else {
          Matcher inline = INLINE.matcher(line);
          while (inline.find()) {
            commands.add(
                new Command(HOME.relativize(file).toString(), inline.group(1).strip(), false));
          }
        }
      }
    }
    return commands;
  }

  /** The commands of the program in one line of a script. */
  private static List<String> parts(String line) {
    return Stream.of(COMMENT.matcher(line).replaceFirst("").split("\\||&&"))
        .map(String::strip)
        .filter(part -> part.startsWith("./quorate ") || part.startsWith("quorate "))
        .filter(part -> !part.endsWith("{"))
        .toList();
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> docs = Files.walk(HOME.resolve("docs"))) {
      return Stream.concat(
              Stream.of(HOME.resolve("README.md"), HOME.resolve("CONTRIBUTING.md")),
              docs.filter(file -> file.toString().endsWith(".md")).sorted())
          .toList();
    }
  }

  private static CommandLine program(String verb, Terminal terminal) {
    return Verbs.OF_A_CHECKOUT.containsKey(verb)
        ? Main.commandLine()
        : io.quorate.server.Main.commandLine(terminal);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void theProgramAcceptsIt(Command command) {
    List<String> arguments = command.arguments();
    CommandLine program = program(arguments.get(0), Terminal.standard());
    if (command.isWhole()) {
      program.parseArgs(arguments.toArray(String[]::new));
    } else {
      try {
        program.parseArgs(arguments.toArray(String[]::new));
      } catch (MissingParameterException e) {
        assertThat(e).as("a verb and some of its options").isNotNull();
      }
    }
  }

  @Test
  void everyNamedScriptIsExecutable() throws IOException {
    List<String> scripts = new ArrayList<>();
    for (Path page : pages()) {
      Matcher script = SCRIPT.matcher(Files.readString(page));
      while (script.find()) {
        scripts.add(script.group(1));
      }
    }
    assertThat(scripts)
        .contains("./mvnw", ".ci/repeat")
        .allMatch(script -> Files.isExecutable(HOME.resolve(script)));
  }

  @Test
  void documentedRequestsSucceed(@TempDir Path directory) throws IOException {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(1)) {
      List<String> executed = new ArrayList<>();
      for (Command command : commands()) {
        if (command.isWhole() && isRequest(command)) {
          assertThatCode(() -> run(command, cluster.addresses(), directory))
              .as(command.toString())
              .doesNotThrowAnyException();
          executed.add(command.arguments().get(0));
        }
      }
      assertThat(executed).contains("put", "get", "scan", "status", "load", "shell");
    }
  }

  /** On a directory of the test, and for a shorter time. */
  @Test
  void documentedProbesSucceed(@TempDir Path directory) throws IOException {
    int executed = 0;
    for (Command command : commands()) {
      List<String> arguments = new ArrayList<>(command.arguments());
      if (!command.isWhole() || !arguments.get(0).equals("probe")) {
        continue;
      }
      executed++;
      arguments.set(1, directory.toString());
      setOption(arguments, "--time", "200ms");
      if (arguments.contains("--calibrate")) {
        setOption(arguments, "--calibration", directory.resolve("calibration").toString());
      }
      assertThatCode(() -> execute(arguments)).as(command.toString()).doesNotThrowAnyException();
    }
    assertThat(executed).isPositive();
  }

  private static void setOption(List<String> arguments, String name, String value) {
    int at = arguments.indexOf(name);
    if (at >= 0) {
      arguments.set(at + 1, value);
    } else {
      arguments.addAll(List.of(name, value));
    }
  }

  /**
   * Changes of nodes need more nodes; NodeAdministrationTest executes them. Those of a cluster with
   * security DocumentedSecurityTest does.
   */
  private static boolean isRequest(Command command) {
    String verb = command.arguments().get(0);
    if (command.arguments().contains("--certs")) {
      return false;
    }
    if (verb.equals("node") && command.arguments().size() > 1) {
      return false;
    }
    return verb.equals("shell")
        || ClientCommands.all(Terminal.standard()).stream()
            .anyMatch(of -> of.getCommandName().equals(verb));
  }

  private static void run(Command command, String addresses, Path directory) {
    List<String> arguments = new ArrayList<>(command.arguments());
    for (int i = 0; i < arguments.size(); i++) {
      Path file = directory.resolve(arguments.get(i));
      if (arguments.get(i).matches("OLD:7001|NEW:7001|127.0.0.1:[0-9]+")) {
        arguments.set(i, addresses);
      } else if (Files.exists(file)) {
        arguments.set(i, file.toString());
      }
    }
    if (!arguments.contains("--at")) {
      arguments.add("--at");
      arguments.add(addresses);
    }
    byte[] output = execute(arguments);
    redirection(command)
        .ifPresent(
            name -> {
              try {
                Files.write(directory.resolve(name), output);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  /** Executes a command line of the server's program, and returns its output. */
  private static byte[] execute(List<String> arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Terminal terminal =
        new Terminal(
            new ByteArrayInputStream(new byte[0]),
            new PrintStream(out, false, StandardCharsets.UTF_8),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            false);
    int code =
        io.quorate.server.Main.commandLine(terminal).execute(arguments.toArray(String[]::new));
    if (code != 0) {
      fail("exit code " + code + ": " + out.toString(StandardCharsets.UTF_8));
    }
    return out.toByteArray();
  }

  private static Optional<String> redirection(Command command) {
    Matcher matcher = REDIRECTION.matcher(command.line());
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }
}
