package io.quorate.server.dev;

import io.quorate.client.cli.Terminal;
import io.quorate.client.testing.EmbeddedCluster;
import io.quorate.server.Main;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/**
 * Uses the program once, so that the JVM notes the classes it loads: the launcher makes an archive
 * of them, with which every verb and every node starts sooner. Ends by itself, after some seconds.
 */
public final class ClassTraining {
  private ClassTraining() {}

  public static void main(String[] arguments) {
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), nowhere, nowhere, false);
    for (String preset : List.of("raft", "acqr")) {
      try (EmbeddedCluster cluster = EmbeddedCluster.builder().nodes(1).preset(preset).start()) {
        String at = "--at=" + cluster.addresses();
        for (List<String> verb :
            List.of(
                List.of("put", "k", "v"),
                List.of("get", "k"),
                List.of("incr", "n"),
                List.of("cas", "k", "v", "w"),
                List.of("scan"),
                List.of("status"))) {
          Main.commandLine(terminal)
              .execute(Stream.concat(verb.stream(), Stream.of(at)).toArray(String[]::new));
        }
      }
    }
    Main.commandLine(terminal).execute("help");
    // The way of one verb, which is not that of all; ends the JVM.
    Main.main(new String[] {"get", "k", "--at=127.0.0.1:1", "--timeout=1ms"});
  }
}
