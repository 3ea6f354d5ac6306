package io.quorate.server;

import io.quorate.common.FileErrors;
import io.quorate.common.HostPort;
import io.quorate.protocol.tls.Tls;
import io.quorate.server.config.SecurityConfig;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartupException;
import io.quorate.server.node.Engines;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import javax.net.ssl.HttpsURLConnection;
import picocli.CommandLine;

/**
 * Requests the health of the node that runs on this machine with this configuration. Intended for
 * supervisors that have neither a shell nor an HTTP client, such as the health check of a
 * container.
 */
@CommandLine.Command(
    name = "health",
    description = {
      "Check whether the node on this machine that runs with this configuration is healthy.",
      "Exits with 0 if it is, and with 1 if not or if it does not respond."
    },
    mixinStandardHelpOptions = true)
final class HealthCommand implements Callable<Integer> {
  /** The node is not healthy, or does not respond. */
  static final int EXIT_UNHEALTHY = 1;

  private static final int TIMEOUT_MILLIS = 3000;
  private static final int SERVICE_UNAVAILABLE = 503;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @CommandLine.Mixin private ConfigurationOptions configuration;

  @Override
  public Integer call() {
    ServerConfig config;
    try {
      config = configuration.read(Engines.available().keySet());
    } catch (StartupException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return ServerCommand.EXIT_REFUSED;
    }
    String scheme = config.security().certificates().isPresent() ? "https://" : "http://";
    URI health = URI.create(scheme + adminAddress(config) + "/health");
    try {
      return requestHealth(health, config.security());
    } catch (IOException e) {
      spec.commandLine()
          .getErr()
          .println(health + " does not respond: " + FileErrors.endOfSentence(e));
      return EXIT_UNHEALTHY;
    }
  }

  private int requestHealth(URI health, SecurityConfig security) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) health.toURL().openConnection();
    if (connection instanceof HttpsURLConnection encrypted) {
      Tls tls = Tls.load(security.certificates().orElseThrow());
      encrypted.setSSLSocketFactory(tls.trusting().getSocketFactory());
      // Asked where the certificate does not have the address: it has the name of the node.
      encrypted.setHostnameVerifier((host, session) -> tls.isSelf(session));
    }
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    try {
      int code = connection.getResponseCode();
      if (code == HttpURLConnection.HTTP_OK) {
        print(connection.getInputStream());
        return CommandLine.ExitCode.OK;
      } else if (code == SERVICE_UNAVAILABLE && connection.getErrorStream() != null) {
        print(connection.getErrorStream());
      } else {
        spec.commandLine().getErr().println(health + " responds with HTTP code " + code + ".");
      }
      return EXIT_UNHEALTHY;
    } finally {
      connection.disconnect();
    }
  }

  private void print(InputStream body) throws IOException {
    spec.commandLine().getOut().print(new String(body.readAllBytes(), StandardCharsets.UTF_8));
    spec.commandLine().getOut().flush();
  }

  /** The address of the admin server for programs on the same machine. */
  private static String adminAddress(ServerConfig config) {
    String bind = config.admin().bind();
    String host =
        bind.equals("0.0.0.0") || bind.equals("::")
            ? InetAddress.getLoopbackAddress().getHostAddress()
            : bind;
    return HostPort.text(host, config.self().adminPort());
  }
}
