package io.quorate.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.model.NodeId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdminServerTest {
  private static final AdminDoor DOOR =
      new AdminDoor(Optional.empty(), Optional.empty(), name -> name.equals("n1.example"));

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final HttpClient http = HttpClient.newHttpClient();
  private final NodeMetrics metrics = new NodeMetrics("test", "n1", "1");
  private final List<Socket> sockets = new ArrayList<>();
  private final CompletableFuture<Void> stall = new CompletableFuture<>();
  private volatile Health health = new Health(List.of(), List.of());
  private final AtomicInteger collections = new AtomicInteger();
  private volatile CompletableFuture<ClusterStatus> cluster =
      CompletableFuture.completedFuture(SyntheticCluster.of(3, 4));
  private volatile boolean isStalled;
  private volatile boolean isReady;

  /** Of a cluster that does not respond. */
  private final AsyncQuorateClient client =
      AsyncQuorateClient.open(
          ClientOptions.builder("127.0.0.1:1").deadline(Duration.ofSeconds(1)).build());

  private AdminServer server;

  @BeforeEach
  void open() throws IOException {
    server = AdminServer.open(loopback(0), context(), Optional.empty());
  }

  @AfterEach
  void close() throws IOException {
    stall.complete(null);
    for (Socket socket : sockets) {
      socket.close();
    }
    server.close();
    server.close();
    client.close();
    metrics.close();
  }

  private AdminContext context() {
    return new AdminContext(
        new NodeId("n1"),
        this::health,
        () -> isReady,
        metrics.registry(),
        this::collect,
        name -> name.equals("n1.example"),
        client.nodes());
  }

  private CompletableFuture<ClusterStatus> collect() {
    collections.incrementAndGet();
    return cluster;
  }

  private Health health() {
    if (isStalled) {
      stall.join();
    }
    return health;
  }

  @Test
  void healthReportsTheProblems() throws Exception {
    assertThat(get("/health").body()).isEqualTo("ok\n");
    health =
        new Health(
            List.of("Region 1 has no leader.", "The disk is full."), List.of("It is not well."));
    HttpResponse<String> response = get("/health?full");
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.body()).isEqualTo("Region 1 has no leader.\nThe disk is full.\n");
    assertThat(response.headers().firstValue("content-type")).contains("text/plain; charset=utf-8");
  }

  @Test
  void readyReportsWhetherClientsAreServed() throws Exception {
    assertThat(get("/ready").statusCode()).isEqualTo(503);
    isReady = true;
    assertThat(get("/ready").statusCode()).isEqualTo(200);
  }

  @Test
  void metricsAreServed() throws Exception {
    HttpResponse<String> response = get("/metrics");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).contains("jvm_memory_used_bytes").endsWith("\n");
  }

  @Test
  void unknownPathsAndMethodsAreRejected() throws Exception {
    assertThat(get("/heath").statusCode()).isEqualTo(404);
    HttpRequest post = request("/health").POST(HttpRequest.BodyPublishers.ofString("now")).build();
    assertThat(http.send(post, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(405);
    HttpRequest head =
        request("/health").method("HEAD", HttpRequest.BodyPublishers.noBody()).build();
    HttpResponse<String> response = http.send(head, HttpResponse.BodyHandlers.ofString());
    assertThat(response.body()).isEmpty();
    assertThat(response.headers().firstValue("content-length")).contains("3");
  }

  @Test
  void aConnectionServesRequestsInOrder() throws IOException {
    Socket socket = connect();
    String requests =
        "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /ready HTTP/1.1\r\nHost: a\r\n\r\n";
    send(socket, requests.repeat(50) + "GET /none HTTP/1.1\r\nConnection: close\r\n\r\n");
    assertThat(readToEnd(socket))
        .matches("(?s)(HTTP/1.1 200 .{1,99}ok\nHTTP/1.1 503 .{1,99}no\n){50}HTTP/1.1 404 .*");
  }

  /** The TLS handshake of a client that expects TLS on this port. */
  @Test
  void dataThatIsNotHttpIsRejectedAtOnce() throws IOException {
    Socket socket = connect();
    socket
        .getOutputStream()
        .write(new byte[] {0x16, 3, 1, 0, 5, 1, 0, 0, 1, '\r', '\n', '\r', '\n'});
    assertThat(readToEnd(socket)).startsWith("HTTP/1.1 400 ");
    Socket other = connect();
    send(other, "GET /" + "x".repeat(10_000));
    assertThat(readToEnd(other)).startsWith("HTTP/1.1 4");
  }

  /** With a thread for each connection, 60 of them were enough to block other clients. */
  @Test
  void incompleteRequestsDoNotBlockOtherClients() throws Exception {
    for (int i = 0; i < 400; i++) {
      send(connect(), "GET /hea");
    }
    assertThat(get("/health").statusCode()).isEqualTo(200);
  }

  @Test
  void pendingPagesAreBounded() throws Exception {
    isStalled = true;
    for (int i = 0; i < 80; i++) {
      send(connect(), "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    }
    // One page is being produced, and 64 requests wait.
    await().atMost(TIMEOUT).until(() -> socketsWithResponse().size() == 15);
    List<Socket> rejected = socketsWithResponse();
    isStalled = false;
    stall.complete(null);
    for (Socket socket : sockets) {
      assertThat(readToEnd(socket))
          .startsWith(rejected.contains(socket) ? "HTTP/1.1 503" : "HTTP/1.1 200");
    }
  }

  /** A supervisor would end a node that creates pages. */
  @Test
  void healthWaitsForNoPage() throws Exception {
    // No page is ever created.
    AdminThreads threads = new AdminThreads(task -> {}, Runnable::run, Runnable::run);
    AdminPages pages = new AdminPages(context(), null, null, false);
    EmbeddedChannel channel =
        new EmbeddedChannel(new AdminConnection(pages, threads, new WaitingConnections(1), DOOR));
    channel.writeInbound(
        new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/health"));
    FullHttpResponse response = channel.readOutbound();
    assertThat(response.status()).isEqualTo(HttpResponseStatus.OK);
    response.release();
    channel.close();
  }

  @Test
  void theConsoleIsServedFromAFixedListOfFiles() throws Exception {
    HttpResponse<String> page = get("/");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("content-type")).contains("text/html; charset=utf-8");
    assertThat(page.headers().firstValue("cache-control")).contains("no-cache");
    assertThat(page.headers().firstValue("x-content-type-options")).contains("nosniff");
    assertThat(page.headers().firstValue("content-security-policy").orElseThrow())
        .startsWith("default-src 'self';")
        .doesNotContain("unsafe");
    // No address of another host is in what the browser loads.
    assertThat(page.body()).doesNotContain("http://", "https://", "href=\"//", "src=\"//");
    Matcher references = Pattern.compile("(?:src|href)=\"([^\"]+)\"").matcher(page.body());
    while (references.find()) {
      assertThat(get("/" + references.group(1)).statusCode())
          .as(references.group(1))
          .isEqualTo(200);
    }
    assertThat(get("/console.js").headers().firstValue("content-type"))
        .contains("text/javascript; charset=utf-8");
    assertThat(get("/console.css").headers().firstValue("content-type"))
        .contains("text/css; charset=utf-8");
    for (String path :
        List.of("/index.html/..", "/..%2fserver.jvm", "/console/console.js", "/api", "/api/x")) {
      assertThat(get(path).statusCode()).as(path).isEqualTo(404);
    }
    assertThat(get("/none").body()).startsWith("There are / (the console), /api/cluster");
  }

  @Test
  void everyModuleThatAFileImportsIsServed() throws Exception {
    Deque<String> open = new ArrayDeque<>(List.of("console.js"));
    Set<String> seen = new HashSet<>();
    while (!open.isEmpty()) {
      String name = open.pop();
      if (seen.add(name)) {
        HttpResponse<String> file = get("/" + name);
        assertThat(file.statusCode()).as(name).isEqualTo(200);
        Matcher imports = Pattern.compile("(?m)^import .* from \"\\./(.+)\";").matcher(file.body());
        while (imports.find()) {
          open.push(imports.group(1));
        }
      }
    }
    assertThat(seen).hasSizeGreaterThan(5);
  }

  @Test
  void theStateOfTheClusterIsJson() throws Exception {
    HttpResponse<String> response = get("/api/cluster");
    assertThat(response.headers().firstValue("content-type")).contains("application/json");
    assertThat(response.headers().firstValue("cache-control")).contains("no-store");
    Config json = json(response.body());
    assertThat(json.getString("health.level")).isEqualTo("healthy");
    assertThat(json.getConfigList("nodes")).hasSize(3);
    assertThat(json.getConfigList("regions")).hasSize(5);
    Config traffic = json(get("/api/traffic").body());
    assertThat(traffic.getString("node")).isEqualTo("n1");
    assertThat(traffic.getList("times")).hasSize(60);
    assertThat(traffic.getConfigList("nodes").get(2).getList("writeP99Micros")).hasSize(60);
    HttpRequest head =
        request("/api/cluster").method("HEAD", HttpRequest.BodyPublishers.noBody()).build();
    assertThat(http.send(head, HttpResponse.BodyHandlers.ofString()).body()).isEmpty();
  }

  @Test
  void theStateIsCompressedForClientsThatAcceptThat() throws Exception {
    HttpRequest accepts = request("/api/cluster").header("Accept-Encoding", "br, gzip").build();
    HttpResponse<byte[]> response = http.send(accepts, HttpResponse.BodyHandlers.ofByteArray());
    assertThat(response.headers().firstValue("content-encoding")).contains("gzip");
    GZIPInputStream body = new GZIPInputStream(new ByteArrayInputStream(response.body()));
    assertThat(json(new String(body.readAllBytes(), StandardCharsets.UTF_8)))
        .isEqualTo(json(get("/api/cluster").body()));
    HttpRequest health = request("/health").header("Accept-Encoding", "gzip").build();
    assertThat(http.send(health, HttpResponse.BodyHandlers.ofString()).body()).isEqualTo("ok\n");
  }

  /** Many open consoles cost the nodes as much as one. */
  @Test
  void requestsShareOneCollection() throws Exception {
    cluster = new CompletableFuture<>();
    // As many requests may wait for the threads that create pages.
    for (int i = 0; i < 60; i++) {
      send(connect(), "GET /api/cluster HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    }
    // While other nodes do not respond, pages about this one are served.
    assertThat(get("/health").statusCode()).isEqualTo(200);
    cluster.complete(SyntheticCluster.of(3, 4));
    for (Socket socket : sockets) {
      assertThat(readToEnd(socket)).startsWith("HTTP/1.1 200");
    }
    assertThat(collections).hasValue(1);
  }

  @Test
  void aFailedCollectionIsReportedAndRepeated() throws Exception {
    cluster = CompletableFuture.failedFuture(new IllegalStateException("The node stops."));
    assertThat(get("/api/cluster").statusCode()).isEqualTo(503);
    assertThat(get("/api/traffic").body()).contains("The node stops.");
    cluster = CompletableFuture.completedFuture(SyntheticCluster.of(1, 1));
    assertThat(get("/api/cluster").statusCode()).isEqualTo(200);
  }

  @Test
  void aChangeOfTheNodesNeedsItsParameterAndNoUnknownOne() throws Exception {
    for (String path :
        List.of(
            "drain",
            "drain?node=",
            "drain?node=n1&dryrun=true",
            "drain?node=n1&dry-run=yes",
            "drain?address=127.0.0.1:1",
            "add?address=nowhere")) {
      assertThat(post("/api/nodes/" + path).statusCode()).as(path).isEqualTo(400);
    }
    Socket socket = connect();
    send(
        socket,
        "POST /api/nodes/drain?node=%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assertThat(readToEnd(socket)).startsWith("HTTP/1.1 400 ");
    assertThat(get("/api/nodes/drain?node=n1").statusCode()).isEqualTo(405);
    assertThat(post("/api/nodes/changes").statusCode()).isEqualTo(405);
    assertThat(post("/api/nodes/none").statusCode()).isEqualTo(404);
  }

  @Test
  void aChangeFailsIfNoNodeResponds() throws Exception {
    for (String path : List.of("drain?node=n1", "remove?node=n1", "add?address=127.0.0.1:1")) {
      assertThat(post("/api/nodes/" + path).statusCode()).as(path).isEqualTo(503);
    }
    assertThat(get("/api/nodes/changes").statusCode()).isEqualTo(503);
  }

  @Test
  void noWebPageAndNoOtherMachineChangesTheNodes() throws Exception {
    HttpRequest ofPage =
        request("/api/nodes/drain?node=n1")
            .header("Origin", "http://127.0.0.1:" + server.port())
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    HttpResponse<String> response = http.send(ofPage, HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(403);
    assertThat(response.body()).isEqualTo("No web page may change the cluster.\n");

    AdminPages none = new AdminPages(context(), null, null, false);
    EmbeddedChannel other =
        new EmbeddedChannel(
            new AdminConnection(
                none,
                new AdminThreads(Runnable::run, Runnable::run, Runnable::run),
                new WaitingConnections(1),
                DOOR));
    other.writeInbound(
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1, HttpMethod.POST, "/api/nodes/drain?node=n1"));
    FullHttpResponse refused = other.readOutbound();
    assertThat(refused.status()).isEqualTo(HttpResponseStatus.FORBIDDEN);
    assertThat(refused.content().toString(StandardCharsets.UTF_8)).contains("quorate node");
    refused.release();
    other.close();
  }

  @ParameterizedTest
  @CsvSource({
    "GET, Host, evil.example, 403",
    "GET, Host, evil.example:7201, 403",
    "GET, Host, localhost:7201, 200",
    "GET, Host, n1.example, 200",
    "GET, Host, '[::1]:7201', 200",
    "GET, Host, 10.0.0.1, 200",
    "GET, Sec-Fetch-Site, cross-site, 403",
    "GET, Sec-Fetch-Site, same-origin, 200",
    "GET, Sec-Fetch-Site, none, 200",
    "POST, Sec-Fetch-Site, cross-site, 403",
    "POST, Sec-Fetch-Site, same-site, 403",
    "POST, Origin, null, 403",
    "PUT, Host, localhost, 405",
  })
  void whereARequestComesFromAndWhomItIsForCounts(
      String method, String header, String value, int code) {
    DefaultFullHttpRequest request =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1, HttpMethod.valueOf(method), "/api/cluster");
    request.headers().set(header, value);
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    assertThat(DOOR.refusal(request, loopback).map(AdminPage::code).orElse(200)).isEqualTo(code);
    request.setUri("/health");
    assertThat(DOOR.refusal(request, loopback).isPresent())
        .isEqualTo(code >= 400 && !header.equals("Host") || code == 405);
    request.release();
  }

  @Test
  void oneHostIsNamed() {
    DefaultFullHttpRequest request =
        new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/metrics");
    request.headers().add("Host", "localhost").add("Host", "evil.example");
    assertThat(DOOR.refusal(request, new InetSocketAddress(1)).orElseThrow().code()).isEqualTo(403);
    request.release();
  }

  /** A link on another page leads to the console. */
  @Test
  void aBrowserMayNavigateFromElsewhere() {
    DefaultFullHttpRequest request =
        new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
    request.headers().set("Sec-Fetch-Site", "cross-site").set("Sec-Fetch-Mode", "navigate");
    assertThat(DOOR.refusal(request, new InetSocketAddress(1))).isEmpty();
    request.release();
  }

  private static Config json(String text) {
    return ConfigFactory.parseString(
        text, ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON));
  }

  private List<Socket> socketsWithResponse() throws IOException {
    List<Socket> responded = new ArrayList<>();
    for (Socket socket : sockets) {
      if (socket.getInputStream().available() > 0) {
        responded.add(socket);
      }
    }
    return responded;
  }

  @Test
  void anAddressInUseIsReported() {
    assertThatThrownBy(() -> AdminServer.open(loopback(server.port()), context(), Optional.empty()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("in use");
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String path) throws IOException, InterruptedException {
    return http.send(
        request(path).POST(HttpRequest.BodyPublishers.noBody()).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
        .timeout(TIMEOUT);
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    socket.setSoTimeout((int) TIMEOUT.toMillis());
    socket.connect(loopback(server.port()));
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String readToEnd(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }
}
