package io.quorate.storage.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DecodeException;
import io.quorate.consensus.CommittedBatch;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecodedBatchTest {
  private static final Position POSITION = new Position(1, 7);
  private static final ClientCommand PUT =
      new ClientCommand(
          RequestId.NONE, new Operation.Put(Key.utf8("a"), ByteBuffer.wrap(new byte[] {1, 2})));
  private static final ClientCommand DELETE =
      new ClientCommand(RequestId.NONE, new Operation.Delete(Key.utf8("b")));
  private static final ByteBuffer MALFORMED = ByteBuffer.wrap(new byte[] {1, 2, 3});

  private final List<Integer> completed = new ArrayList<>();

  private final DecodedBatch batch =
      DecodedBatch.of(
          new CommittedBatch(
              POSITION,
              List.of(PUT.encoded(), MALFORMED, DELETE.encoded()),
              (command, result) -> completed.add(command)));

  @Test
  void aCommandIsDecodedOnceForTheCommitStageAndTheApplier() {
    ClientCommand atCommit = batch.command(0);

    assertThat(atCommit).isEqualTo(PUT);
    assertThat(batch.command(0)).isSameAs(atCommit);
    assertThat(batch.withResults(CommittedBatch.Results.UNWANTED).command(0)).isSameAs(atCommit);
    assertThat(batch.command(2)).isEqualTo(DELETE);
  }

  @Test
  void aMalformedCommandIsRefusedEachTimeAndNoOtherOne() {
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> batch.command(1)).isInstanceOf(DecodeException.class);
    }
    assertThat(batch.command(2)).isEqualTo(DELETE);
  }

  @Test
  void itsSizeIsThatOfItsCommands() {
    assertThat(batch.size()).isEqualTo(3);
    assertThat(batch.bytes()).isEqualTo(PUT.size() + 3 + DELETE.size());
    assertThat(batch.position()).isEqualTo(POSITION);
  }

  @Test
  void anotherReceiverReplacesThatOfTheEngine() {
    List<Integer> received = new ArrayList<>();
    batch
        .withResults((command, result) -> received.add(command))
        .results()
        .complete(2, ByteBuffer.allocate(1));

    assertThat(received).containsExactly(2);
    assertThat(completed).isEmpty();
  }
}
