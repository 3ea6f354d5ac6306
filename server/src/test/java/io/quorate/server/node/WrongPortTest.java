package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.protocol.frame.ClientGreeting;
import io.quorate.protocol.wire.Status;
import io.quorate.server.Main;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.config.Preset;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A command that is given another port of a node than that for clients. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class WrongPortTest extends ClusterFixture {
  static Stream<Preset> presets() {
    return Stream.of("raft", "acqr").map(name -> Preset.named(name).orElseThrow());
  }

  @Test
  void eachPortSaysWhatItIsFor() throws IOException {
    assertThat(ClientGreeting.INCOMPATIBLE).isEqualTo(Status.INCOMPATIBLE.code());
    start(1, "cluster.regions = 1");
    for (String verb :
        new String[] {"get k", "status", "status --check", "node", "node drain n1"}) {
      assertRefused(
          verb,
          nodes.get(0).adminPort(),
          "This is the admin port of node n1, for HTTP; clients use the client port of a node.\n");
      assertRefused(
          verb,
          cluster.consensusPort(0),
          "This is a port for nodes of a Quorate cluster under ",
          "; clients use the client port of a node.\n");
    }
  }

  /** Longer than the test may take, if the verb waited for its deadline. */
  private static void assertRefused(String verb, int port, String... sentence) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(out, true, UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), to, to, false);
    String line = verb + " --timeout=5m --at=127.0.0.1:" + port;
    int code = Main.commandLine(terminal).execute(line.split(" "));
    assertThat(out.toString(UTF_8)).contains(sentence).hasLineCount(1);
    assertThat(code).isEqualTo(2);
  }
}
