package io.quorate.benchmarks.peers.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class RedisTest {
  private static final String SET = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\nab\r\n";
  private static final String GET = "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n";

  private ServerSocket listener;
  private RedisConnection connection;
  private Socket server;

  @BeforeEach
  void connect() throws Exception {
    listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    connection =
        RedisConnection.open(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
    server = listener.accept();
  }

  @AfterEach
  void close() throws IOException {
    connection.close();
    server.close();
    listener.close();
  }

  private void assertReceives(String expected) throws IOException {
    InputStream in = server.getInputStream();
    byte[] received = in.readNBytes(expected.length());
    assertThat(new String(received, StandardCharsets.US_ASCII)).isEqualTo(expected);
  }

  private void reply(String text) throws IOException {
    server.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    server.getOutputStream().flush();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void repliesBelongToCommandsByTheirOrder() throws Exception {
    CompletableFuture<?> put = connection.put(bytes("k"), bytes("ab")).toCompletableFuture();
    CompletableFuture<Optional<byte[]>> found = connection.get(bytes("k")).toCompletableFuture();
    CompletableFuture<Optional<byte[]>> absent = connection.get(bytes("k")).toCompletableFuture();
    assertReceives(SET + GET + GET);

    reply("+OK\r\n$2\r\na");
    put.get(5, TimeUnit.SECONDS);
    assertThat(found).isNotDone();
    reply("b\r\n$-1\r\n");

    assertThat(found.get(5, TimeUnit.SECONDS))
        .hasValueSatisfying(value -> assertThat(value).isEqualTo(bytes("ab")));
    assertThat(absent.get(5, TimeUnit.SECONDS)).isEmpty();
  }

  @Test
  void anErrorFailsItsCommandOnly() throws Exception {
    CompletableFuture<?> put = connection.put(bytes("k"), bytes("ab")).toCompletableFuture();
    CompletableFuture<Optional<byte[]>> get = connection.get(bytes("k")).toCompletableFuture();
    assertReceives(SET + GET);

    reply("-MISCONF no space\r\n$0\r\n\r\n");

    assertThatThrownBy(() -> put.get(5, TimeUnit.SECONDS)).hasMessageContaining("MISCONF no space");
    assertThat(get.get(5, TimeUnit.SECONDS))
        .hasValueSatisfying(value -> assertThat(value).isEmpty());
  }

  @Test
  void aClosedConnectionFailsCommandsInFlightAndLaterOnes() throws Exception {
    CompletableFuture<?> put = connection.put(bytes("k"), bytes("ab")).toCompletableFuture();
    assertReceives(SET);

    server.close();

    assertThatThrownBy(() -> put.get(5, TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(IOException.class);
    CompletableFuture<?> later = connection.get(bytes("k")).toCompletableFuture();
    assertThatThrownBy(() -> later.get(5, TimeUnit.SECONDS)).hasMessageContaining("closed");
  }

  @Test
  void everyWriteIsSynced() {
    assertThat(RedisContender.command(Path.of("redis-server"), 7777))
        .containsSequence("--appendonly", "yes", "--appendfsync", "always")
        .containsSequence("--port", "7777")
        .containsSequence("--save", "")
        .containsSequence("--bind", "127.0.0.1");
  }
}
