package io.quorate.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class RpcConfigTest {
  private static final long MIB = 1 << 20;
  private static final int FRAME = 4 << 20;

  @Test
  void theRequestsOfANodeHaveAThirdOfItsHeapByDefault() {
    assertThat(RpcConfig.nodeBytes(240 * MIB, FRAME)).isEqualTo(80 * MIB);
    assertThat(RpcConfig.nodeBytes(8192 * MIB, FRAME)).isEqualTo(256 * MIB);
    assertThat(RpcConfig.nodeBytes(MIB, FRAME)).as("one frame at least").isEqualTo(FRAME);
  }

  @Test
  void requestsThatWouldFillTheHeapAreAProblem() {
    RpcConfig config =
        new ServerConfigParser(Set.of("raft"))
            .parseText(
                """
                quorate {
                  cluster {
                    id = test
                    nodes = [
                      { id = n1, host = h, client-port = 1, consensus-port = 2, admin-port = 3 }
                    ]
                  }
                  node { id = n1, data = "/d" }
                  rpc.node-bytes = 256MiB
                }
                """)
            .rpc();
    assertThat(config.problem(512 * MIB)).isEmpty();
    assertThat(config.problem(256 * MIB).orElseThrow())
        .contains("quorate.rpc.node-bytes")
        .contains("256MiB of 256MiB (-Xmx)");
  }
}
