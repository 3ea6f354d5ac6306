package io.quorate.server.testing;

import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import io.quorate.server.cli.format.JsonText;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * A page in Chromium without a window, through the DevTools protocol over a WebSocket. The browser
 * resolves no name, so that a page which needs another host fails.
 */
public final class HeadlessBrowser implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(120);
  private static final List<String> PROGRAMS =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
  private static final int WIDTH = 1440;

  private final Process process;
  private final Map<Integer, CompletableFuture<Map<?, ?>>> open = new ConcurrentHashMap<>();
  private final AtomicInteger ids = new AtomicInteger();
  private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
  private final WebSocket socket;

  private HeadlessBrowser(Process process, WebSocket.Builder builder, URI page) {
    this.process = process;
    this.socket =
        builder
            .buildAsync(page, new Messages())
            .orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
            .join();
  }

  /** The program, if the machine has one. */
  public static Optional<Path> program() {
    return PROGRAMS.stream()
        .flatMap(
            name ->
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                    .map(directory -> Path.of(directory, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Starts the browser with an empty page. Blocks until it responds.
   *
   * @param profile an empty directory
   */
  public static HeadlessBrowser start(Path program, Path profile) throws IOException {
    Process process =
        new ProcessBuilder(
                program.toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--hide-scrollbars",
                "--no-first-run",
                "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectErrorStream(true)
            .redirectOutput(profile.resolve("browser.log").toFile())
            .start();
    try {
      HttpClient http = HttpClient.newHttpClient();
      URI page =
          Awaitility.await().atMost(TIMEOUT).until(() -> page(http, profile), p -> p != null);
      HeadlessBrowser browser = new HeadlessBrowser(process, http.newWebSocketBuilder(), page);
      browser.call("Page.enable", Map.of());
      browser.call("Runtime.enable", Map.of());
      browser.call("Log.enable", Map.of());
      return browser;
    } catch (RuntimeException e) {
      process.destroyForcibly();
      throw new IOException(Files.readString(profile.resolve("browser.log")), e);
    }
  }

  /** The address of the page for the protocol; null before there is one. */
  private static URI page(HttpClient http, Path profile) throws InterruptedException {
    try {
      // The browser writes the port that it has chosen into this file.
      String port = Files.readAllLines(profile.resolve("DevToolsActivePort")).get(0);
      HttpRequest list =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list")).build();
      String targets = http.send(list, HttpResponse.BodyHandlers.ofString()).body();
      return ((List<?>) json("{\"targets\":" + targets + "}").get("targets"))
          .stream()
              .map(target -> (Map<?, ?>) target)
              .filter(target -> target.get("type").equals("page"))
              .map(target -> URI.create(target.get("webSocketDebuggerUrl").toString()))
              .findFirst()
              .orElse(null);
    } catch (IOException | IndexOutOfBoundsException e) {
      return null;
    }
  }

  /** Loads a page, in a window of the given height. */
  public void load(String address, int height) {
    resize(height);
    call("Page.navigate", Map.of("url", address));
  }

  private void resize(int height) {
    call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", WIDTH, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /** Lets the page prefer the dark colours, or the light ones. */
  public void preferDark(boolean isDark) {
    call(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light"))));
  }

  /** Presses a key, such as {@code ArrowRight}, in the element that has the focus. */
  public void press(String key, int code) {
    for (String type : List.of("keyDown", "keyUp")) {
      call(
          "Input.dispatchKeyEvent",
          Map.of("type", type, "key", key, "code", key, "windowsVirtualKeyCode", code));
    }
  }

  /**
   * Evaluates an expression of JavaScript.
   *
   * @return a boolean, number, string, list or map; null for undefined
   */
  public Object evaluate(String expression) {
    Map<?, ?> response =
        call(
            "Runtime.evaluate",
            Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
    if (response.containsKey("exceptionDetails")) {
      throw new AssertionError(expression + ": " + response.get("exceptionDetails"));
    }
    return ((Map<?, ?>) response.get("result")).get("value");
  }

  /** Waits until an expression is true. */
  public void await(String expression) {
    Awaitility.await(expression)
        .atMost(TIMEOUT)
        .until(() -> Boolean.TRUE.equals(evaluate("Boolean(" + expression + ")")));
  }

  /** What the page has reported: exceptions, requests that failed, violations of its policy. */
  public List<String> complaints() {
    return List.copyOf(complaints);
  }

  /** Writes what the window shows into a file, as PNG. */
  public void screenshot(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    Object data = call("Page.captureScreenshot", Map.of("format", "png")).get("data");
    Files.write(file, Base64.getDecoder().decode(data.toString()));
  }

  @Override
  public void close() {
    socket.abort();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().join();
  }

  private Map<?, ?> call(String method, Map<String, Object> parameters) {
    int id = ids.incrementAndGet();
    CompletableFuture<Map<?, ?>> response = new CompletableFuture<>();
    open.put(id, response);
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("id", id);
    message.put("method", method);
    message.put("params", parameters);
    socket.sendText(JsonText.line(message), true).join();
    Map<?, ?> received = response.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
    if (received.containsKey("error")) {
      throw new AssertionError(method + ": " + received.get("error"));
    }
    return (Map<?, ?>) received.get("result");
  }

  private static Map<?, ?> json(String text) {
    return ConfigFactory.parseString(
            text, ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON))
        .root()
        .unwrapped();
  }

  /** Receives responses and events, in parts. */
  private final class Messages implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean isLast) {
      text.append(part);
      if (isLast) {
        Map<?, ?> message = json(text.toString());
        text.setLength(0);
        if (message.get("id") instanceof Integer id) {
          open.remove(id).complete(message);
        } else {
          event(message.get("method").toString(), (Map<?, ?>) message.get("params"));
        }
      }
      from.request(1);
      return null;
    }

    private void event(String method, Map<?, ?> parameters) {
      boolean isError =
          switch (method) {
            case "Runtime.exceptionThrown" -> true;
            case "Log.entryAdded" ->
                "error".equals(((Map<?, ?>) parameters.get("entry")).get("level"));
            default -> false;
          };
      if (isError) {
        complaints.add(parameters.toString());
      }
    }

    @Override
    public void onError(WebSocket from, Throwable failure) {
      open.values().forEach(response -> response.completeExceptionally(failure));
    }
  }
}
