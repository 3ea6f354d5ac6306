package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Preamble;
import io.quorate.protocol.wire.Status;
import io.quorate.server.testing.RawClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Clients that claim memory and send nothing. */
class RpcClaimsTest extends RpcFixture {
  private static QuorateNode small;

  @BeforeAll
  static void startSmallNode() {
    small =
        start(
            "small",
            """
            engine = memory
            limits { value = 64KiB, batch = 64KiB, batch-operations = 100, scan = 64KiB, frame = 1MiB }
            limits.scan-rows = 3
            rpc { connection-bytes = 1MiB, node-bytes = 2MiB }
            """);
  }

  @AfterAll
  static void stopSmallNode() {
    small.close();
  }

  /** There may be 1,024 requests about the node at a time. */
  @Test
  void greetingsThatHaveBegunDoNotKeepOutOthers() throws IOException {
    List<RawClient> greeting = new ArrayList<>();
    try {
      for (int i = 0; i < 1_100; i++) {
        RawClient stranger = RawClient.withoutHandshake(small.clientPort());
        greeting.add(stranger);
        stranger.sendPreamble(Preamble.current());
        stranger.sendBytes(RawClient.header(100, 1, Opcode.HELLO.code()));
      }
      for (int i = 0; i < 20; i++) {
        RawClient.connect(small.clientPort()).close();
      }
    } finally {
      for (RawClient stranger : greeting) {
        stranger.close();
      }
    }
  }

  /** Two machines have half of the node each for what they have not sent yet. */
  @Test
  void framesThatAreNeverSentTakeNothingFromOthers() throws IOException {
    List<RawClient> claiming = new ArrayList<>();
    try (RawClient other = RawClient.connect(small.clientPort())) {
      for (int i = 0; i < 120; i++) {
        RawClient stranger = RawClient.connectFrom("127.0.0." + (2 + i % 2), small.clientPort());
        claiming.add(stranger);
        stranger.sendBytes(RawClient.header(20 << 10, 1, Opcode.WRITE.code()));
        stranger.sendBytes(new byte[20]);
      }
      for (int i = 1; i <= 20; i++) {
        other.write(i, RawClient.to(1), RawClient.put("k", "v".repeat(60_000)));
        RawClient.Response response = other.receive();
        assertThat(response.status()).as("write %d", i).isEqualTo(Status.OK);
      }
    } finally {
      for (RawClient stranger : claiming) {
        stranger.close();
      }
    }
  }
}
