package io.quorate.rabia.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.KeyScope;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.quorum.PendingWrites;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Body;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Q1, Q4, Q5, and when commands are decoded. */
class ProposedWritesTest {
  private final List<String> decoded = new ArrayList<>();
  private final ProposedWrites writes = new ProposedWrites(this::writeSet);

  private KeyScope writeSet(ByteBuffer command) {
    String key = StandardCharsets.UTF_8.decode(command.duplicate()).toString();
    decoded.add(key);
    return scope(key);
  }

  private static KeyScope scope(String key) {
    return KeyScope.key(Key.utf8(key));
  }

  private static Batch batch(String... keys) {
    List<ByteBuffer> commands =
        List.of(keys).stream().map(key -> StandardCharsets.UTF_8.encode(key)).toList();
    return Batch.of(new NodeId("n1"), 1, 1, 0, new Body.Commands(commands));
  }

  @Test
  void aReadFindsEveryWriteThatWasProposedAndNotExecuted() {
    writes.proposed(3, batch("a", "b"));
    writes.proposed(2, batch("a"));
    assertThat(writes.pending(scope("a"))).isEqualTo(3);
    writes.proposed(5, batch("a"));
    writes.proposed(5, batch("c"));
    assertThat(writes.pending(scope("a"))).isEqualTo(5);
    assertThat(writes.pending(scope("b"))).isEqualTo(3);
    assertThat(writes.pending(scope("c"))).isEqualTo(5);
    writes.executed(3);
    assertThat(writes.pending(scope("a"))).isEqualTo(5);
    assertThat(writes.pending(scope("b"))).isEqualTo(PendingWrites.NONE);
    writes.executed(5);
    assertThat(writes.pending(scope("a"))).isEqualTo(PendingWrites.NONE);
  }

  @Test
  void aConfigurationChangeWritesEveryKey() {
    writes.proposed(
        4, Batch.of(new NodeId("n1"), 1, 1, 0, new Body.Reconfiguration(0, 1, List.of())));
    assertThat(writes.pending(scope("a"))).isEqualTo(4);
  }

  @Test
  void commandsAreDecodedForReadsAlone() {
    writes.proposed(1, batch("a"));
    writes.proposed(2, batch("b"));
    writes.executed(1);
    assertThat(decoded).isEmpty();
    assertThat(writes.pending(scope("x"))).isEqualTo(PendingWrites.NONE);
    assertThat(writes.pending(scope("b"))).isEqualTo(2);
    assertThat(decoded).as("once, and not what is executed").containsExactly("b");
  }
}
