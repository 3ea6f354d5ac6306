package io.quorate.protocol.operation;

import io.quorate.consensus.BodyReference;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Random operations of every kind, determined by a seed. */
final class RandomOperations {
  private static final Operation.Kind[] KINDS = Operation.Kind.values();

  /** Those that a batch can hold. */
  private static final Operation.Kind[] RESULT_FREE = {
    Operation.Kind.PUT, Operation.Kind.DELETE, Operation.Kind.APPEND, Operation.Kind.INCREMENT
  };

  private final Random random;

  RandomOperations(long seed) {
    this.random = new Random(seed);
  }

  Operation next() {
    return of(KINDS[random.nextInt(KINDS.length)]);
  }

  private Operation of(Operation.Kind kind) {
    return switch (kind) {
      case PUT -> new Operation.Put(key(), value());
      case DELETE -> new Operation.Delete(key());
      case APPEND ->
          new Operation.Append(key(), value(), random.nextInt(Limits.VALUE_BYTES_MAX + 1));
      case INCREMENT -> new Operation.Increment(key(), random.nextLong());
      case INCREMENT_AND_GET -> new Operation.IncrementAndGet(key(), random.nextLong());
      case GET_AND_PUT -> new Operation.GetAndPut(key(), value());
      case COMPARE_AND_SET -> new Operation.CompareAndSet(key(), optional(), optional());
      case BATCH ->
          new Operation.Batch(
              IntStream.range(0, random.nextInt(6)).mapToObj(i -> resultFree()).toList());
      case EXPIRE_SESSIONS ->
          new Operation.ExpireSessions(new Position(random.nextLong(), random.nextLong()));
      case PUT_BODY -> new Operation.PutBody(key(), reference());
      case RESOLVED ->
          new Operation.Resolved(
              key(),
              random.nextLong(),
              random.nextLong(),
              change(),
              new Result.Value(optional()).encoded());
      case SPLIT -> new Operation.Split(key(), group());
      case FREEZE -> new Operation.Freeze(group());
      case UNFREEZE -> new Operation.Unfreeze(group());
      case ABSORB -> {
        Key start = key();
        Optional<Key> end = random.nextBoolean() ? Optional.of(start.next()) : Optional.empty();
        yield new Operation.Absorb(group(), new KeyRange(start, end), value());
      }
      case END_SESSION -> new Operation.EndSession();
      case DIGEST ->
          new Operation.Digest(Stream.generate(this::key).limit(5).distinct().sorted().toList());
    };
  }

  private GroupId group() {
    return new GroupId(random.nextInt(Integer.MAX_VALUE));
  }

  private ValueChange change() {
    return switch (random.nextInt(4)) {
      case 0 -> ValueChange.NONE;
      case 1 -> ValueChange.DELETE;
      case 2 -> new ValueChange.Put(value());
      default -> new ValueChange.PutBody(reference());
    };
  }

  private BodyReference reference() {
    long floor = random.nextInt(1000);
    return new BodyReference(
        random.nextLong(), floor + random.nextInt(1000), floor, random.nextInt(1 << 30), value());
  }

  ClientCommand nextTagged() {
    long floor = random.nextInt(1000);
    ClientId client = new ClientId(random.nextLong(), random.nextLong());
    return new ClientCommand(new RequestId(client, floor + random.nextInt(1000), floor), next());
  }

  private Operation.OnKey resultFree() {
    return (Operation.OnKey) of(RESULT_FREE[random.nextInt(RESULT_FREE.length)]);
  }

  private Key key() {
    return Key.wrap(bytes(random.nextInt(40)));
  }

  private Optional<ByteBuffer> optional() {
    return random.nextBoolean() ? Optional.of(value()) : Optional.empty();
  }

  /** A value whose buffer may extend beyond it on both sides. */
  private ByteBuffer value() {
    int length = random.nextInt(60);
    int before = random.nextInt(3);
    return ByteBuffer.wrap(bytes(before + length + random.nextInt(3)), before, length);
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
