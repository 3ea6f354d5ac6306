package io.quorate.benchmarks.overload;

import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.benchmarks.metrics.Scrape;
import io.quorate.benchmarks.peers.contender.RunningContender;
import io.quorate.benchmarks.peers.quorate.QuorateContender;
import io.quorate.client.ClientOptions;
import io.quorate.server.localcluster.NodePlan;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A database that is overloaded: the connections of those who do it, and that of a modest client.
 * Those to Quorate are of its client, which repeats what is refused until its deadline.
 */
final class OverloadTarget implements AutoCloseable {
  /** Who waits for longer at Quorate has given up. */
  static final Duration DEADLINE = Duration.ofSeconds(1);

  private static final int GREEDY_CLIENTS = 2;
  private static final int IN_FLIGHT_MAX = 1 << 20;
  private static final long IN_FLIGHT_BYTES_MAX = 1L << 30;
  private static final int OK = 200;
  private static final double PERCENT = 100;
  private static final String REFUSALS = "quorate_refusal_seconds_count";
  private static final String REFUSALS_BY_TIME = "quorate_refusal_seconds_bucket";

  /** The histogram has 4.1 ms as its next bound below. */
  private static final double IN_TIME_SECONDS = 0.01;

  private final List<KeyValueCalls> greedy;
  private final KeyValueCalls modest;
  private final List<NodePlan> nodes;
  private final List<ClientPool> clients;

  private OverloadTarget(
      List<KeyValueCalls> greedy,
      KeyValueCalls modest,
      List<NodePlan> nodes,
      List<ClientPool> clients) {
    this.greedy = greedy;
    this.modest = modest;
    this.nodes = nodes;
    this.clients = clients;
  }

  static OverloadTarget of(RunningContender running) {
    if (running instanceof QuorateContender.Running quorate) {
      return of(quorate);
    }
    List<KeyValueCalls> connections = running.connections();
    int last = connections.size() - 1;
    return new OverloadTarget(
        connections.subList(0, last), connections.get(last), List.of(), List.of());
  }

  private static OverloadTarget of(QuorateContender.Running quorate) {
    ClientOptions.Builder options =
        ClientOptions.builder(quorate.cluster().plan().clientAddresses())
            .clientName("modest")
            .deadline(DEADLINE)
            .attemptTimeout(DEADLINE);
    ClientPool modest = ClientPool.of(List.of(options.build()));
    ClientOptions many =
        options
            .clientName("greedy")
            .inFlight(IN_FLIGHT_MAX, IN_FLIGHT_BYTES_MAX)
            .waiting(IN_FLIGHT_MAX, IN_FLIGHT_BYTES_MAX)
            .build();
    ClientPool greedy = ClientPool.of(Stream.generate(() -> many).limit(GREEDY_CLIENTS).toList());
    return new OverloadTarget(
        greedy.calls(),
        modest.calls().get(0),
        quorate.cluster().plan().nodes(),
        List.of(modest, greedy));
  }

  /** Of those who overload it. */
  List<KeyValueCalls> greedy() {
    return greedy;
  }

  KeyValueCalls modest() {
    return modest;
  }

  /** Asks a node after the other for its health; empty of a database without such a question. */
  Optional<Regular.Call> health() {
    if (nodes.isEmpty()) {
      return Optional.empty();
    }
    HttpClient http = HttpClient.newHttpClient();
    List<HttpRequest> requests = new ArrayList<>();
    for (NodePlan node : nodes) {
      URI address = URI.create(node.adminAddress() + "/health");
      requests.add(HttpRequest.newBuilder(address).timeout(DEADLINE).build());
    }
    int[] asked = new int[1];
    return Optional.of(
        () -> {
          HttpRequest next = requests.get(asked[0]++ % requests.size());
          if (http.send(next, BodyHandlers.discarding()).statusCode() != OK) {
            throw new IOException("It is not healthy.");
          }
        });
  }

  /** Begins to count refusals; what is returned ends it. Blocks, as that does. */
  Supplier<OptionalDouble> refusals() throws IOException, InterruptedException {
    if (nodes.isEmpty()) {
      return OptionalDouble::empty;
    }
    Scrape before = Scrape.of(nodes);
    return () -> inTime(before, scrape());
  }

  /** A node that is overloaded may not respond: the figure is missing then, and no other. */
  private Scrape scrape() {
    try {
      return Scrape.of(nodes);
    } catch (IOException e) {
      return new Scrape(List.of());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Scrape(List.of());
    }
  }

  private static OptionalDouble inTime(Scrape before, Scrape after) {
    double all = after.sum(REFUSALS) - before.sum(REFUSALS);
    return all > 0
        ? OptionalDouble.of(PERCENT * (inTime(after) - inTime(before)) / all)
        : OptionalDouble.empty();
  }

  /** The buckets are cumulative: the largest one that is in time counts. */
  private static double inTime(Scrape scrape) {
    double bound =
        scrape.samples().stream()
            .filter(sample -> sample.name().equals(REFUSALS_BY_TIME))
            .mapToDouble(sample -> bound(sample.labels().get("le")))
            .filter(each -> each <= IN_TIME_SECONDS)
            .max()
            .orElse(0);
    return scrape.sum(REFUSALS_BY_TIME, sample -> bound(sample.labels().get("le")) == bound);
  }

  private static double bound(String text) {
    return text == null || text.equals("+Inf")
        ? Double.POSITIVE_INFINITY
        : Double.parseDouble(text);
  }

  @Override
  public void close() {
    clients.forEach(ClientPool::close);
  }
}
