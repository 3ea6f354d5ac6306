package io.quorate.server;

import io.quorate.client.QuorateClient;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.EmbeddedNodes;
import io.quorate.server.logging.ServerLog;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Runs the main verbs once so that the JVM records the classes it loads and, where it supports
 * that, profiles of its methods. The launcher stores them in an archive, which shortens the startup
 * of every verb and every node. Ends by itself.
 *
 * <p>Takes at most one argument: for how many seconds each engine serves requests. A JVM that
 * archives method profiles (JDK 25 and later) then compiles hot methods sooner.
 */
public final class ClassTraining {
  private static final int REQUESTS_IN_FLIGHT = 64;
  private static final int KEYS = 1000;

  private ClassTraining() {}

  public static void main(String[] arguments) {
    ServerLog.use();
    Duration load = Duration.ofSeconds(arguments.length == 0 ? 0 : Long.parseLong(arguments[0]));
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), nowhere, nowhere, false);
    for (String preset : List.of("raft", "acqr")) {
      int nodes = load.isZero() ? 1 : 3;
      try (EmbeddedNodes cluster = EmbeddedNodes.serving(new Shape(nodes, 1, preset))) {
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
        serve(cluster.addresses(), load);
      }
    }
    Main.commandLine(terminal).execute("help");
    // A single verb takes a path of its own through the program; ends the JVM.
    Main.main(new String[] {"get", "k", "--at=127.0.0.1:1", "--timeout=1ms"});
  }

  private static void serve(String addresses, Duration load) {
    long end = System.nanoTime() + load.toNanos();
    try (QuorateClient client = QuorateClient.connect(addresses)) {
      long number = 0;
      while (System.nanoTime() - end < 0) {
        List<CompletableFuture<?>> inFlight = new ArrayList<>();
        for (int i = 0; i < REQUESTS_IN_FLIGHT; i++) {
          String key = "key-" + number++ % KEYS;
          inFlight.add(i % 2 == 0 ? client.async().put(key, "a value") : client.async().get(key));
        }
        CompletableFuture.allOf(inFlight.toArray(CompletableFuture[]::new)).join();
      }
    }
  }
}
