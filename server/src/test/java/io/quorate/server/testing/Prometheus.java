package io.quorate.server.testing;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import io.quorate.common.LoopbackPorts;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A Prometheus that scrapes nodes of this machine each second, and evaluates alerts as often. */
public final class Prometheus implements AutoCloseable {
  private static final int OK = 200;

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process process;
  private final int port;

  private Prometheus(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** A program of Prometheus, if the machine has it. */
  public static Optional<Path> program(String name) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Starts the program.
   *
   * @param directory an empty directory
   * @param rules the alerts; what they wait for before they fire is cut to a second
   * @param adminPorts of the nodes
   */
  public static Prometheus start(Path program, Path directory, Path rules, List<Integer> adminPorts)
      throws IOException {
    Files.writeString(
        directory.resolve("rules.yml"),
        Files.readString(rules).replaceAll("for: \\d+[smh]", "for: 1s"));
    String targets =
        adminPorts.stream()
            .map(port -> "'127.0.0.1:" + port + "'")
            .collect(Collectors.joining(", "));
    Files.writeString(
        directory.resolve("prometheus.yml"),
        """
        global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
        rule_files: [ rules.yml ]
        scrape_configs:
          - job_name: quorate
            honor_labels: true
            static_configs: [ { targets: [ %s ] } ]
        """
            .formatted(targets));
    int port = LoopbackPorts.next();
    Process process =
        new ProcessBuilder(
                program.toString(),
                "--config.file=" + directory.resolve("prometheus.yml"),
                "--storage.tsdb.path=" + directory.resolve("data"),
                "--web.listen-address=127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    return new Prometheus(process, port);
  }

  /**
   * The alerts that fire, each as its name and, if it has one, the node; empty before it responds.
   */
  public Set<String> firing() {
    Set<String> firing = new TreeSet<>();
    for (Config alert : get("alerts").map(data -> data.getConfigList("alerts")).orElse(List.of())) {
      if (alert.getString("state").equals("firing")) {
        String node = alert.hasPath("labels.node") ? " " + alert.getString("labels.node") : "";
        firing.add(alert.getString("labels.alertname") + node);
      }
    }
    return firing;
  }

  /** The number of series that an expression has now. */
  public int series(String expression) {
    return get("query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8))
        .map(data -> data.getList("result").size())
        .orElse(0);
  }

  private Optional<Config> get(String path) {
    URI uri = URI.create("http://127.0.0.1:" + port + "/api/v1/" + path);
    try {
      HttpResponse<String> response =
          http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != OK) {
        return Optional.empty();
      }
      Config body =
          ConfigFactory.parseString(
              response.body(), ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON));
      return body.hasPath("data") ? Optional.of(body.getConfig("data")) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
