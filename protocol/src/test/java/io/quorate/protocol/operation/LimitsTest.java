package io.quorate.protocol.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DecodeException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.Position;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LimitsTest {
  private static final Limits SMALL = new Limits(4, 10, 3, 40);

  @Test
  void aKeyHasAtLeastOneByteAndAtMostTheLimit() {
    assertRejected(new Operation.Delete(Key.EMPTY), "at least 1 byte");
    assertAllowed(new Operation.Delete(key(1)));
    assertAllowed(new Operation.Delete(key(4)));
    assertRejected(new Operation.Delete(key(5)), "at most 4 bytes; this one has 5");
  }

  @Test
  void everyValueOfAnOperationIsChecked() {
    assertAllowed(new Operation.Put(key(1), value(10)));
    assertRejected(new Operation.Put(key(1), value(11)), "at most 10 bytes; this one has 11");
    assertRejected(new Operation.Append(key(1), value(11)), "at most 10 bytes");
    assertRejected(new Operation.GetAndPut(key(1), value(11)), "at most 10 bytes");
    assertRejected(
        new Operation.CompareAndSet(key(1), Optional.of(value(11)), Optional.empty()),
        "at most 10 bytes");
    assertRejected(
        new Operation.CompareAndSet(key(1), Optional.empty(), Optional.of(value(11))),
        "at most 10 bytes");
    assertAllowed(new Operation.Increment(key(1), Long.MAX_VALUE));
    assertAllowed(new Operation.IncrementAndGet(key(1), Long.MAX_VALUE));
  }

  @Test
  void aBatchIsBoundedInOperationsAndInBytesAndSoIsEachPart() {
    Operation.OnKey delete = new Operation.Delete(key(1));
    assertAllowed(new Operation.Batch(Collections.nCopies(3, delete)));
    assertRejected(new Operation.Batch(Collections.nCopies(4, delete)), "at most 3 operations");
    Operation.OnKey put = new Operation.Put(key(4), value(10));
    assertAllowed(new Operation.Batch(List.of(put)));
    assertRejected(new Operation.Batch(List.of()), "at least 1 operation");
    assertRejected(new Operation.Batch(List.of(put, put, put)), "at most 40 bytes");
    assertRejected(new Operation.Batch(List.of(delete, new Operation.Delete(key(5)))), "4 bytes");
  }

  /** The bound is part of the command, so that replicas with other limits decide alike. */
  @Test
  void anAppendIsBoundToTheValueLimitUnlessItsOwnBoundIsLower() {
    Operation.Append any = new Operation.Append(key(1), value(3));
    Operation.Append short9 = new Operation.Append(key(1), value(3), 9);
    Operation.Append bound = new Operation.Append(key(1), value(3), 10);
    assertThat(any.valueBytesMax()).isEqualTo(Limits.VALUE_BYTES_MAX);
    assertThat(SMALL.bound(any)).isEqualTo(bound);
    assertThat(SMALL.bound(short9)).isSameAs(short9);
    Operation.OnKey put = new Operation.Put(key(1), value(3));
    assertThat(SMALL.bound(put)).isSameAs(put);
    assertThat(SMALL.bound(new Operation.Batch(List.of(put, any, short9))))
        .isEqualTo(new Operation.Batch(List.of(put, bound, short9)));
    Operation unchanged = new Operation.Batch(List.of(put, short9));
    assertThat(SMALL.bound(unchanged)).isSameAs(unchanged);
    Operation expiry = new Operation.ExpireSessions(new Position(1, 2));
    assertThat(SMALL.bound(expiry)).isSameAs(expiry);
  }

  @Test
  void operationsOfTheServerHaveNoLimits() {
    assertAllowed(new Operation.ExpireSessions(new Position(1, 2)));
  }

  @Test
  void aSplitKeyHasTheLimitOfKeys() {
    assertAllowed(new Operation.Split(key(4), new GroupId(7)));
    assertRejected(new Operation.Split(key(5), new GroupId(7)), "at most 4 bytes");
  }

  @Test
  void noAllowedOperationIsLongerThanTheMaximum() {
    int largestValue = Limits.VALUE_BYTES_MAX;
    for (Limits limits :
        List.of(SMALL, Limits.DEFAULT, new Limits(8192, largestValue, 10_000, largestValue))) {
      Operation largest =
          new Operation.CompareAndSet(
              key(limits.keyBytes()),
              Optional.of(value(limits.valueBytes())),
              Optional.of(value(limits.valueBytes())));
      limits.check(largest);
      assertThat(OperationCodec.size(largest)).isLessThanOrEqualTo(limits.operationBytesMax());
    }
  }

  private static void assertAllowed(Operation operation) {
    assertThatCode(() -> SMALL.check(operation)).doesNotThrowAnyException();
  }

  private static void assertRejected(Operation operation, String reason) {
    assertThatThrownBy(() -> SMALL.check(operation))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining(reason)
        .hasMessageEndingWith(".");
  }

  private static Key key(int size) {
    return Key.wrap(new byte[size]);
  }

  private static ByteBuffer value(int size) {
    return ByteBuffer.allocate(size);
  }
}
