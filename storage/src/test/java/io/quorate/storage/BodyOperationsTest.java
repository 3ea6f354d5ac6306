package io.quorate.storage;

import static io.quorate.storage.TestRegion.EPOCH;
import static io.quorate.storage.TestRegion.append;
import static io.quorate.storage.TestRegion.body;
import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.bytes;
import static io.quorate.storage.TestRegion.delete;
import static io.quorate.storage.TestRegion.getAndPut;
import static io.quorate.storage.TestRegion.increment;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.putBody;
import static io.quorate.storage.TestRegion.untagged;
import static io.quorate.storage.TestRegion.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.BodyReference;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.operation.ValueChange;
import io.quorate.storage.command.BodyResolution;
import io.quorate.storage.command.StoredValue;
import io.quorate.storage.read.ScanPlan;
import io.quorate.storage.read.StoredCut;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Operations on values that are bodies, and reads of these. */
class BodyOperationsTest {
  private static final ClientId ANN = new ClientId(1, 1);

  @TempDir Path directory;
  private TestRegion region;

  @BeforeEach
  void open() throws IOException {
    region = TestRegion.open(directory.resolve("home"), TestRegion.BODIES);
  }

  @AfterEach
  void close() {
    region.close();
  }

  private Optional<StoredValue> stored(String key) {
    return region.store.getStored(Key.utf8(key));
  }

  private static StoredValue inline(String value) {
    return new StoredValue.Inline(bytes(value));
  }

  private static StoredValue stored(BodyReference reference) {
    return new StoredValue.Body(reference);
  }

  private Optional<byte[]> cached(String key) {
    return region.store.getCached(Key.utf8(key));
  }

  private static Operation.CompareAndSet compareAndSet(
      String key, Optional<String> expected, String replacement) {
    return new Operation.CompareAndSet(
        Key.utf8(key), expected.map(TestRegion::bytes), Optional.of(bytes(replacement)));
  }

  @Test
  void aPutAndADeleteAndAnotherBodyReplaceABody() {
    assertThat(region.applyOne(putBody("k", body(0, 0)))).isEqualTo(Result.DONE);
    assertThat(stored("k")).contains(stored(body(0, 0)));
    assertThat(region.applyOne(putBody("k", body(1, 1)))).isEqualTo(Result.DONE);
    assertThat(stored("k")).contains(stored(body(1, 1)));
    assertThat(region.applyOne(put("k", "small"))).isEqualTo(Result.DONE);
    assertThat(stored("k")).contains(inline("small"));
    region.apply(putBody("k", body(2, 2)));
    assertThat(region.applyOne(delete("k"))).isEqualTo(Result.DONE);
    assertThat(stored("k")).isEmpty();
  }

  @Test
  void valuesInRowsBehaveAsWithoutBodies() {
    region.apply(put("k", ""), append("k", "ab"), append("k", "cd"), append("new", "x"));
    assertThat(region.get("k")).contains("abcd");
    assertThat(region.applyOne(getAndPut("k", "7"))).isEqualTo(value("abcd"));
    assertThat(region.applyOne(incrementAndGet("k", 5))).isEqualTo(number(12));
    assertThat(region.applyOne(compareAndSet("k", Optional.of("12"), "")))
        .isEqualTo(new Result.Swap(true, Optional.empty()));
    assertThat(region.applyOne(compareAndSet("k", Optional.of("12"), "x")))
        .isEqualTo(new Result.Swap(false, Optional.of(bytes(""))));
    assertThat(region.get("k")).contains("");
    assertThat(region.get("none")).isEmpty();
    assertThat(region.rows()).isEqualTo(Map.of("k", "", "new", "x"));
  }

  /** Rule 3 of decision 0029: the body may be garbage at a position of another epoch. */
  @Test
  void aBodyOfAnotherEpochHasNoEffect() {
    region.apply(put("k", "before"));
    ClientCommand late = untagged(putBody("k", body(0, 0)));

    assertThat(region.applyAt(new Position(EPOCH + 1, 2), late)).isEqualTo(Result.SUPERSEDED);
    assertThat(stored("k")).contains(inline("before"));
  }

  /** The client repeats the request with the same sequence, and the repetition takes effect. */
  @Test
  void aBodyOfAnotherEpochLeavesTheSessionOfItsClientAlone() {
    ClientCommand late = by(ANN, 1, 1, putBody("k", body(0, 0)));
    assertThat(region.applyAt(new Position(EPOCH + 1, 1), late)).isEqualTo(Result.SUPERSEDED);
    assertThat(region.store.sessionCount()).isZero();

    BodyReference again = new BodyReference(EPOCH + 1, 0, 0, 100_000, bytes("layout"));
    ClientCommand repeated = by(ANN, 1, 1, putBody("k", again));
    assertThat(region.applyAt(new Position(EPOCH + 1, 2), repeated)).isEqualTo(Result.DONE);
    assertThat(stored("k")).contains(stored(again));
    assertThat(region.applyAt(new Position(EPOCH + 2, 3), late))
        .as("superseded, though the request has a result")
        .isEqualTo(Result.SUPERSEDED);
    assertThat(region.applyAt(new Position(EPOCH + 1, 2), repeated))
        .as("delivered again")
        .isEqualTo(Result.DONE);
    assertThat(region.applyAt(new Position(EPOCH + 1, 1), late))
        .as("delivered again")
        .isEqualTo(Result.SUPERSEDED);
  }

  @Test
  void aRepeatedRequestTakesEffectOnce() {
    region.apply(by(ANN, 1, 1, putBody("k", body(0, 0))));
    region.apply(by(ANN, 2, 1, put("k", "newer")));
    assertThat(region.apply(by(ANN, 1, 1, putBody("k", body(1, 1))))).isEqualTo(Result.DONE);
    assertThat(stored("k")).contains(inline("newer"));
  }

  static List<Operation.OnKey> needingTheValue() {
    return List.of(
        append("k", "x"),
        append("k", "x", 3),
        getAndPut("k", "x"),
        compareAndSet("k", Optional.of("body"), "y"),
        new Operation.CompareAndSet(Key.utf8("k"), Optional.of(bytes("body")), Optional.empty()),
        compareAndSet("k", Optional.of("x"), "y"),
        compareAndSet("k", Optional.empty(), "y"));
  }

  @ParameterizedTest
  @MethodSource("needingTheValue")
  void anOperationThatNeedsABodyHasNoEffectAndCanBeRepeated(Operation.OnKey operation) {
    region.apply(putBody("k", body(0, 0)));
    ClientCommand request = by(ANN, 1, 1, operation);
    Result needed = new Result.NeedsBody(body(0, 0));
    assertThat(region.apply(request)).isEqualTo(needed);
    assertThat(region.apply(request)).as("repeated").isEqualTo(needed);
    assertThat(stored("k")).contains(stored(body(0, 0)));
    assertThat(region.applyOne(operation)).as("without a session").isEqualTo(needed);

    region.apply(put("k", "body"));
    Operation.Resolved same = BodyResolution.resolve(operation, body(0, 0), bytes("body"));
    Result expected = Result.decode(same.result());
    assertThat(region.apply(request)).as("under the same sequence").isEqualTo(expected);
    region.apply(put("k", "later"));
    assertThat(region.apply(request)).as("recorded now").isEqualTo(expected);
    assertThat(region.get("k")).contains("later");
  }

  /** The leader computes what the state machine computes where the value is in its row. */
  @ParameterizedTest
  @MethodSource("needingTheValue")
  void theOutcomeOnABodyIsThatOnAValueInItsRow(Operation.OnKey operation) {
    region.apply(put("k", "body"));
    Result expected = region.applyOne(operation);
    Optional<String> value = region.get("k");

    region.apply(putBody("k", body(0, 0)));
    Operation.Resolved resolved = BodyResolution.resolve(operation, body(0, 0), bytes("body"));
    assertThat(region.apply(by(ANN, 1, 1, resolved))).isEqualTo(expected);
    if (resolved.change() instanceof ValueChange.None) {
      assertThat(value).contains("body");
      assertThat(stored("k")).contains(stored(body(0, 0)));
    } else {
      assertThat(region.get("k")).isEqualTo(value);
    }
  }

  private static Operation.Resolved resolved(
      long expectedEpoch, long expectedNumber, ValueChange change, Result result) {
    return new Operation.Resolved(
        Key.utf8("k"), expectedEpoch, expectedNumber, change, result.encoded());
  }

  private static ValueChange putting(String value) {
    return new ValueChange.Put(bytes(value));
  }

  @Test
  void aResolvedRequestTakesEffectOnceAndItsResultIsRecorded() throws IOException {
    region.apply(putBody("k", body(0, 0)));
    ClientCommand request = by(ANN, 1, 1, getAndPut("k", "new"));
    assertThat(region.apply(request)).isInstanceOf(Result.NeedsBody.class);
    Result previous = value("p".repeat(1000));
    ClientCommand outcome = by(ANN, 1, 1, resolved(EPOCH, 0, putting("new"), previous));
    assertThat(region.apply(outcome)).isEqualTo(previous);

    region.apply(putBody("k", body(1, 1)));
    assertThat(region.apply(outcome)).as("repeated").isEqualTo(previous);
    assertThat(region.apply(request)).as("repeated by the client").isEqualTo(previous);
    assertThat(region.apply(by(ANN, 1, 1, resolved(EPOCH, 1, putting("again"), previous))))
        .as("resolved again on the newer body")
        .isEqualTo(previous);
    region.close();
    open();
    assertThat(region.apply(request)).as("after a restart").isEqualTo(previous);
    assertThat(stored("k")).contains(stored(body(1, 1)));
  }

  @Test
  void anOutcomeIsAppliedOnlyToTheBodyFromWhichItWasComputed() {
    ClientCommand early = by(ANN, 1, 1, resolved(EPOCH, 0, putting("x"), Result.DONE));
    assertThat(region.apply(early)).as("no value").isEqualTo(Result.SUPERSEDED);
    region.apply(put("k", "small"));
    assertThat(region.apply(early)).as("no body").isEqualTo(Result.SUPERSEDED);
    assertThat(region.get("k")).contains("small");
    region.apply(putBody("k", body(1, 1)));
    assertThat(region.apply(early)).as("another number").isEqualTo(Result.SUPERSEDED);
    ClientCommand other = by(ANN, 1, 1, resolved(EPOCH - 1, 1, putting("x"), Result.DONE));
    assertThat(region.apply(other)).as("another epoch").isEqualTo(Result.SUPERSEDED);
    assertThat(stored("k")).contains(stored(body(1, 1)));

    assertThat(region.apply(by(ANN, 1, 1, resolved(EPOCH, 1, putting("x"), Result.DONE))))
        .as("under the same sequence")
        .isEqualTo(Result.DONE);
    assertThat(region.get("k")).contains("x");
  }

  @Test
  void anOutcomeLeavesRemovesOrReplacesTheBody() {
    Result swapped = new Result.Swap(true, Optional.empty());
    region.apply(putBody("k", body(0, 0)));
    assertThat(region.applyOne(resolved(EPOCH, 0, ValueChange.NONE, Result.DONE)))
        .isEqualTo(Result.DONE);
    assertThat(stored("k")).contains(stored(body(0, 0)));
    assertThat(region.applyOne(resolved(EPOCH, 0, new ValueChange.PutBody(body(1, 1)), number(5))))
        .isEqualTo(number(5));
    assertThat(stored("k")).contains(stored(body(1, 1)));
    assertThat(region.applyOne(resolved(EPOCH, 1, ValueChange.DELETE, swapped))).isEqualTo(swapped);
    assertThat(stored("k")).isEmpty();
  }

  /** The new body has the epoch of its position; the one that it replaces may be older. */
  @Test
  void theTermRuleHoldsForTheNewBodyOfAnOutcome() {
    region.apply(putBody("k", body(0, 0)));
    Position next = new Position(EPOCH + 1, 2);
    ValueChange late = new ValueChange.PutBody(body(1, 1));
    assertThat(region.applyAt(next, by(ANN, 1, 1, resolved(EPOCH, 0, late, Result.DONE))))
        .isEqualTo(Result.SUPERSEDED);
    assertThat(region.store.sessionCount()).isZero();
    assertThat(stored("k")).contains(stored(body(0, 0)));

    BodyReference again = new BodyReference(EPOCH + 1, 0, 0, 100_000, bytes("layout"));
    ValueChange inTime = new ValueChange.PutBody(again);
    ClientCommand repeated = by(ANN, 1, 1, resolved(EPOCH, 0, inTime, Result.DONE));
    assertThat(region.applyAt(new Position(EPOCH + 1, 3), repeated)).isEqualTo(Result.DONE);
    assertThat(stored("k")).contains(stored(again));
  }

  @Test
  void aRegionWithoutBodiesRefusesAnOutcome() throws IOException {
    try (TestRegion plain = TestRegion.open(directory.resolve("plain"))) {
      assertThat(plain.applyOne(resolved(EPOCH, 0, putting("x"), Result.DONE)))
          .isInstanceOf(Result.Refused.class);
    }
  }

  static List<Operation> batchesThatNeedABody() {
    return List.of(
        new Operation.Batch(List.of(put("other", "x"), append("k", "x"))),
        new Operation.Batch(List.of(increment("k", 1), append("k", "x"))));
  }

  @ParameterizedTest
  @MethodSource("batchesThatNeedABody")
  void aBatchThatNeedsABodyIsRefusedAndChangesNothing(Operation batch) {
    region.apply(putBody("k", body(0, 0)));
    Result refused = region.apply(by(ANN, 1, 1, batch));
    assertThat(refused).isInstanceOf(Result.Refused.class);
    assertThat(((Result.Refused) refused).reason()).contains("body").contains("read it and put it");
    assertThat(stored("k")).contains(stored(body(0, 0)));
    assertThat(stored("other")).isEmpty();
    assertThat(region.apply(by(ANN, 1, 1, batch))).as("repeated").isEqualTo(refused);
  }

  @Test
  void anAppendToABodyThatItsBatchOverwritesTakesEffect() {
    region.apply(putBody("put", body(0, 0)), putBody("deleted", body(1, 0)));
    Operation batch =
        new Operation.Batch(
            List.of(
                put("put", "a"), append("put", "b"), delete("deleted"), append("deleted", "c")));
    assertThat(region.applyOne(batch)).isEqualTo(Result.DONE);
    assertThat(region.rows()).isEqualTo(Map.of("put", "ab", "deleted", "c"));
  }

  @Test
  void anAppendAfterABodyInTheSameWriteNeedsIt() {
    assertThat(region.apply(putBody("k", body(0, 0)), append("k", "x")))
        .containsExactly(Result.DONE, new Result.NeedsBody(body(0, 0)));
  }

  @Test
  void aBodyIsNoNumber() {
    region.apply(putBody("k", body(0, 0)), put("text", "x"));
    Result ofText = region.applyOne(incrementAndGet("text", 1));
    assertThat(ofText).isInstanceOf(Result.Refused.class);
    assertThat(region.applyOne(incrementAndGet("k", 1))).isEqualTo(ofText);
    assertThat(region.applyOne(increment("k", 1))).isEqualTo(Result.DONE);
    assertThat(region.applyOne(new Operation.Batch(List.of(increment("k", 1)))))
        .isEqualTo(Result.DONE);
    assertThat(stored("k")).contains(stored(body(0, 0)));
  }

  @Test
  void readsOfValuesReportThatAValueIsABody() {
    region.apply(putBody("body", body(0, 0)), put("empty", ""), put("value", "v"));
    assertThatThrownBy(() -> region.get("body")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> region.rows()).isInstanceOf(IllegalStateException.class);
    assertThat(region.get("value")).contains("v");
    assertThat(cached("value")).contains(new byte[] {'v'});
    assertThat(cached("empty")).contains(new byte[0]);
    assertThat(cached("body")).isEmpty();
    assertThat(cached("none")).isEmpty();
    assertThat(stored("none")).isEmpty();
  }

  private StoredCut cut(KeyRange range, ScanOrder order, int bytesMax) {
    return region.store.cutStored(range, order, 10, bytesMax, ScanPlan.MERGE);
  }

  @Test
  void scansDistinguishBodiesAndCountTheirLength() {
    region.apply(put("a", "1"), putBody("b", body(0, 0)), put("c", "3"), putBody("d", body(1, 0)));
    StoredCut.Row a = new StoredCut.Row(Key.utf8("a"), inline("1"));
    StoredCut.Row b = new StoredCut.Row(Key.utf8("b"), stored(body(0, 0)));
    StoredCut.Row c = new StoredCut.Row(Key.utf8("c"), inline("3"));
    StoredCut.Row d = new StoredCut.Row(Key.utf8("d"), stored(body(1, 0)));

    StoredCut all = cut(KeyRange.ALL, ScanOrder.FORWARD, 1 << 20);
    assertThat(all.rows()).containsExactly(a, b, c, d);
    assertThat(all.continueAt()).isEmpty();
    assertThat(all.position()).isEqualTo(region.store.applied());
    assertThat(cut(KeyRange.ALL, ScanOrder.REVERSE, 1 << 20).rows()).containsExactly(d, c, b, a);

    StoredCut first = cut(KeyRange.ALL, ScanOrder.FORWARD, 100_000);
    assertThat(first.rows()).containsExactly(a);
    StoredCut second = cut(KeyRange.from(first.continueAt().get()), ScanOrder.FORWARD, 100_003);
    assertThat(second.rows()).containsExactly(b, c);
    assertThat(second.continueAt()).contains(Key.utf8("c").next());
    StoredCut none = cut(KeyRange.from(Key.utf8("x")), ScanOrder.FORWARD, 100);
    assertThat(none.rows()).isEmpty();
  }

  @Test
  void rowsWithReferencesSurviveARestartAndASnapshot() throws IOException {
    region.apply(by(ANN, 1, 1, putBody("body", body(0, 0))));
    region.apply(put("value", "v"));
    Path exported = Files.createDirectory(directory.resolve("exported"));
    Position at = region.store.exportSnapshot(exported);
    region.close();
    open();
    assertThat(stored("body")).contains(stored(body(0, 0)));
    assertThat(region.get("value")).contains("v");

    try (TestRegion target = TestRegion.open(directory.resolve("target"), TestRegion.BODIES)) {
      target.store.install(exported, at);
      assertThat(target.store.getStored(Key.utf8("body"))).contains(stored(body(0, 0)));
      assertThat(target.get("value")).contains("v");
      assertThat(target.applyAt(TestRegion.at(5), untagged(putBody("body", body(1, 1)))))
          .isEqualTo(Result.DONE);
      assertThat(target.store.getStored(Key.utf8("body"))).contains(stored(body(1, 1)));
    }
  }

  private static BodyReference withLayout(int layoutBytes) {
    return new BodyReference(EPOCH, 3, 2, 1 << 20, ByteBuffer.allocate(layoutBytes));
  }

  @Test
  void layoutsOfAnyLengthAreStored() {
    region.apply(putBody("none", withLayout(0)));
    region.apply(putBody("longest", withLayout(BodyReference.LAYOUT_BYTES_MAX)));
    assertThat(stored("none")).contains(stored(withLayout(0)));
    assertThat(stored("longest")).contains(stored(withLayout(BodyReference.LAYOUT_BYTES_MAX)));
  }
}
