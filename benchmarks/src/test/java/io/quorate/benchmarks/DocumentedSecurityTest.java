package io.quorate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.common.LoopbackPorts;
import io.quorate.server.Main;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.ServerConfigParser;
import io.quorate.server.node.Engines;
import io.quorate.server.node.QuorateNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the page on operations that make certificates, users and roles, in order. */
class DocumentedSecurityTest {
  private static final int PORTS = 3;

  @TempDir private Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @Test
  void whoFollowsThemHasUsersWithRoles() throws IOException {
    List<DocumentedCommandsTest.Command> commands =
        DocumentedCommandsTest.commands().stream()
            .filter(command -> command.isWhole() && command.line().contains("certs"))
            .filter(command -> command.file().equals("docs/operations.md"))
            .toList();
    Files.writeString(directory.resolve("shop.secret"), "open sesame\n");
    Files.writeString(directory.resolve("watcher.secret"), "another\n");
    int clientPort = 0;
    List<String> executed = new ArrayList<>();
    QuorateNode node = null;
    try {
      for (DocumentedCommandsTest.Command command : commands) {
        List<String> arguments = new ArrayList<>(command.arguments());
        String verb = arguments.get(0);
        arguments.subList(1, arguments.size()).replaceAll(this::located);
        if (!verb.equals("certs")) {
          arguments.addAll(List.of("--at", "127.0.0.1:" + clientPort));
        }
        assertThat(execute(arguments))
            .as("%s: %s", command, out)
            .isIn(0, verb.equals("get") ? 1 : 0);
        executed.add(verb);
        if (verb.equals("certs") && node == null) {
          ServerConfig config = config();
          clientPort = config.self().clientPort();
          node = start(config);
        }
      }
    } finally {
      if (node != null) {
        node.close();
      }
    }
    assertThat(executed)
        .containsSubsequence("certs", "init-security", "role", "user", "get", "user");
  }

  /** Files of the page are in the directory of this test. */
  private String located(String argument) {
    return argument.matches("certs(/.*)?|.*\\.secret")
        ? directory.resolve(argument).toString()
        : argument;
  }

  private int execute(List<String> arguments) {
    out.reset();
    PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
    Terminal terminal = new Terminal(new ByteArrayInputStream(new byte[0]), print, print, false);
    return Main.commandLine(terminal).execute(arguments.toArray(String[]::new));
  }

  private ServerConfig config() {
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < PORTS; i++) {
      ports.add(LoopbackPorts.next());
    }
    return new ServerConfigParser(Engines.available().keySet())
        .parseText(
            String.format(
                Locale.ROOT,
                """
                quorate {
                  cluster { id = secure, nodes = [
                    { id = n1, host = "127.0.0.1", client-port = %d, consensus-port = %d, admin-port = %d }
                  ] }
                  node { id = n1, data = "%s", bind = "127.0.0.1" }
                  storage.free-space-min = 0B
                  security.certificates = "%s"
                }
                """,
                ports.get(0),
                ports.get(1),
                ports.get(2),
                directory.resolve("data"),
                directory.resolve("certs/nodes/n1")));
  }

  private static QuorateNode start(ServerConfig config) {
    QuorateNode node =
        QuorateNode.start(
            config,
            Engines.available().get(config.mode().engine()),
            failure -> {
              throw failure;
            });
    node.serving().toCompletableFuture().join();
    return node;
  }
}
