package io.quorate.server;

import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartRefusal;
import io.quorate.server.node.Engines;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine;

/**
 * Asks the node that runs here with this configuration how it is, for what supervises it and has
 * neither a shell nor a program that speaks HTTP, such as the health check of a container.
 */
@CommandLine.Command(
    name = "health",
    description = {
      "Ask the node on this machine that runs with this configuration whether it is healthy.",
      "Exits with 0 if it is, and with 1 if not or if it does not answer."
    },
    mixinStandardHelpOptions = true)
final class HealthCommand implements Callable<Integer> {
  /** The node is not healthy, or says nothing. */
  static final int EXIT_UNHEALTHY = 1;

  private static final int PATIENCE_MILLIS = 3000;
  private static final int SERVICE_UNAVAILABLE = 503;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @CommandLine.Mixin private ConfigurationOptions configuration;

  @Override
  public Integer call() {
    ServerConfig config;
    try {
      config = configuration.read(Engines.available().keySet());
    } catch (StartRefusal e) {
      spec.commandLine().getErr().println(e.getMessage());
      return ServerCommand.EXIT_REFUSED;
    }
    URI health = URI.create("http://" + adminAddress(config) + "/health");
    try {
      return ask(health);
    } catch (IOException e) {
      spec.commandLine().getErr().println(health + " does not answer: " + e.getMessage() + ".");
      return EXIT_UNHEALTHY;
    }
  }

  private int ask(URI health) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) health.toURL().openConnection();
    connection.setConnectTimeout(PATIENCE_MILLIS);
    connection.setReadTimeout(PATIENCE_MILLIS);
    try {
      int code = connection.getResponseCode();
      if (code == HttpURLConnection.HTTP_OK) {
        print(connection.getInputStream());
        return CommandLine.ExitCode.OK;
      } else if (code == SERVICE_UNAVAILABLE) {
        print(connection.getErrorStream());
      } else {
        spec.commandLine().getErr().println(health + " answers with HTTP code " + code + ".");
      }
      return EXIT_UNHEALTHY;
    } finally {
      connection.disconnect();
    }
  }

  private void print(InputStream page) throws IOException {
    spec.commandLine().getOut().print(new String(page.readAllBytes(), StandardCharsets.UTF_8));
    spec.commandLine().getOut().flush();
  }

  /** Where a program on the same machine reaches what listens on the configured address. */
  private static String adminAddress(ServerConfig config) {
    String bind = config.admin().bind();
    String host =
        bind.equals("0.0.0.0") || bind.equals("::")
            ? InetAddress.getLoopbackAddress().getHostAddress()
            : bind;
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + config.self().adminPort();
  }
}
