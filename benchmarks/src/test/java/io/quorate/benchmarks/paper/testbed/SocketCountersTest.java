package io.quorate.benchmarks.paper.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.quorate.benchmarks.paper.testbed.SocketCounters.Connection;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SocketCountersTest {
  private static final int PID = 17;
  private static final int PEER_PORT = 7101;
  private static final Connection OPENED =
      new Connection(PID, "127.0.0.1", 50_000, "127.0.0.1", PEER_PORT);
  private static final Connection ACCEPTED =
      new Connection(PID, "[::ffff:127.0.0.1]", PEER_PORT, "[::ffff:127.0.0.1]", 50_001);
  private static final Connection OF_CLIENT =
      new Connection(PID, "127.0.0.1", 7001, "127.0.0.1", 50_002);
  private static final Connection OF_OTHER_NODE =
      new Connection(18, "127.0.0.1", PEER_PORT, "127.0.0.1", 50_000);

  @Test
  void aLineHasTheEndsTheProcessAndTheBytesWithoutThoseSentAgain() {
    String output =
        """
        ESTAB 0 67259 127.0.0.1:50000 127.0.0.1:7101 users:(("java",pid=17,fd=4)) bbr rto:204 bytes_sent:134518 bytes_retrans:34518 bytes_acked:32742 segs_out:6
        ESTAB 0 0 [::ffff:127.0.0.1]:7101 [::ffff:127.0.0.1]:50001 users:(("java",pid=17,fd=5),("java",pid=17,fd=6)) cubic bytes_sent:5 bytes_acked:6
        ESTAB 0 0 127.0.0.1:7001 127.0.0.1:50002 users:(("java",pid=17,fd=7)) cubic bytes_received:100
        TIME-WAIT 0 0 127.0.0.1:50009 127.0.0.1:7101
        """;

    assertThat(SocketCounters.parse(output).sentBytes())
        .isEqualTo(Map.of(OPENED, 100_000L, ACCEPTED, 5L, OF_CLIENT, 0L));
  }

  @Test
  void onlyTheProcessesOwnConnectionsFromAndToThePortsCount() {
    SocketCounters before = new SocketCounters(Map.of(OPENED, 100L, OF_CLIENT, 7L));
    SocketCounters after =
        new SocketCounters(
            Map.of(OPENED, 150L, ACCEPTED, 30L, OF_CLIENT, 9000L, OF_OTHER_NODE, 500L));

    assertThat(after.sentSince(before, PID, Set.of(PEER_PORT))).isEqualTo(80);
  }

  @Test
  void theHighestReadingsIncludeThoseOfClosedConnections() {
    SocketCounters early = new SocketCounters(Map.of(OPENED, 100L, ACCEPTED, 1L));
    SocketCounters late = new SocketCounters(Map.of(OPENED, 150L, OF_CLIENT, 3L));

    assertThat(early.highest(late).sentBytes())
        .isEqualTo(Map.of(OPENED, 150L, ACCEPTED, 1L, OF_CLIENT, 3L));
  }

  @Test
  void theSystemCountsWhatThisProcessSends() throws IOException, InterruptedException {
    assumeTrue(SocketCounters.obstacle().isEmpty());
    byte[] sent = new byte[12_345];
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (SocketWatch watch = SocketWatch.start();
        ServerSocket listening = new ServerSocket(0, 1, loopback);
        Socket sender = new Socket(loopback, listening.getLocalPort());
        Socket receiver = listening.accept();
        InputStream received = receiver.getInputStream()) {
      sender.getOutputStream().write(sent);
      received.readNBytes(sent.length);

      assertThat(
              watch
                  .highest()
                  .sentSince(
                      watch.first(),
                      ProcessHandle.current().pid(),
                      Set.of(listening.getLocalPort())))
          .isEqualTo(sent.length);
    }
  }
}
