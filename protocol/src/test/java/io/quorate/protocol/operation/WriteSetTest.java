package io.quorate.protocol.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.KeyScope;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WriteSetTest {
  private static final Key A = Key.utf8("a");
  private static final Key B = Key.utf8("b");

  @Test
  void anOperationOnAKeyWritesThatKeyWhateverItsOutcome() {
    assertThat(new Operation.Increment(A, 1).writeSet()).isEqualTo(KeyScope.key(A));
    assertThat(
            new Operation.CompareAndSet(B, Optional.empty(), Optional.of(ByteBuffer.allocate(1)))
                .writeSet())
        .isEqualTo(KeyScope.key(B));
  }

  @Test
  void aBatchWritesEveryKeyOfItsParts() {
    Operation.Batch batch =
        new Operation.Batch(
            List.of(new Operation.Delete(B), new Operation.Put(A, ByteBuffer.allocate(0))));
    assertThat(batch.writeSet()).isEqualTo(new KeyScope.Keys(List.of(B, A)));
  }

  @Test
  void expiringSessionsWritesNoKey() {
    assertThat(new Operation.ExpireSessions(Position.NONE).writeSet())
        .isEqualTo(new KeyScope.Keys(List.of()));
    assertThat(new Operation.EndSession().writeSet()).isEqualTo(new KeyScope.Keys(List.of()));
  }

  /** A quorum read of a key that has left the region finds the split pending or applied. */
  @Test
  void aSplitWritesEveryKeyThatLeavesTheRegion() {
    assertThat(new Operation.Split(B, new GroupId(7)).writeSet())
        .isEqualTo(KeyScope.range(KeyRange.from(B)));
  }

  /** So is it with every key of a region that is about to end, and with those that one receives. */
  @Test
  void aMergeWritesEveryKeyThatLeavesOrArrives() {
    GroupId merge = new GroupId(7);
    assertThat(new Operation.Freeze(merge).writeSet()).isEqualTo(KeyScope.range(KeyRange.ALL));
    assertThat(new Operation.Unfreeze(merge).writeSet()).isEqualTo(KeyScope.range(KeyRange.ALL));
    assertThat(
            new Operation.Absorb(merge, KeyRange.of(B, B.next()), ByteBuffer.allocate(0))
                .writeSet())
        .isEqualTo(KeyScope.range(KeyRange.from(B)));
  }
}
