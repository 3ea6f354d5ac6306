package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.operation.ClientId;
import io.quorate.operation.RequestTag;
import org.junit.jupiter.api.Test;

class OutstandingWritesTest {
  private final ClientId client = ClientId.random();
  private final OutstandingWrites writes = new OutstandingWrites(client);

  @Test
  void numbersStartAtOneAndTheFloorIsTheLowestOutstanding() {
    long first = writes.begin();
    long second = writes.begin();
    long third = writes.begin();
    assertThat(first).isEqualTo(1);
    assertThat(writes.tag(third)).isEqualTo(new RequestTag(client, 3, 1));
    writes.end(second);
    assertThat(writes.tag(third).floor()).isEqualTo(1);
    writes.end(first);
    assertThat(writes.tag(third).floor()).isEqualTo(3);
  }

  @Test
  void aNumberIsNeverUsedTwice() {
    long first = writes.begin();
    writes.end(first);
    assertThat(writes.begin()).isEqualTo(first + 1);
  }
}
