package io.quorate.operation;

import io.quorate.consensus.BodyReference;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.Position;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Random operations of every kind, determined by a seed. */
final class RandomOperations {
  private final Random random;

  RandomOperations(long seed) {
    this.random = new Random(seed);
  }

  Operation next() {
    return switch (random.nextInt(18)) {
      case 0 -> new Operation.IncrementAndGet(key(), random.nextLong());
      case 1 -> new Operation.GetAndPut(key(), value());
      case 2 -> new Operation.CompareAndSet(key(), optional(), optional());
      case 3 ->
          new Operation.Batch(
              IntStream.range(0, random.nextInt(6)).mapToObj(i -> resultFree()).toList());
      case 4 -> new Operation.ExpireSessions(new Position(random.nextLong(), random.nextLong()));
      case 5 -> new Operation.PutBody(key(), reference());
      case 6 ->
          new Operation.Resolved(
              key(),
              random.nextLong(),
              random.nextLong(),
              change(),
              new Result.Value(optional()).encoded());
      case 16 -> new Operation.EndSession();
      case 17 ->
          new Operation.Digest(Stream.generate(this::key).limit(5).distinct().sorted().toList());
      case 7 -> new Operation.Split(key(), group());
      case 8 -> new Operation.Freeze(group());
      case 9 -> new Operation.Unfreeze(group());
      case 10 -> {
        Key start = key();
        Optional<Key> end = random.nextBoolean() ? Optional.of(start.next()) : Optional.empty();
        yield new Operation.Absorb(group(), new KeyRange(start, end), value());
      }
      default -> resultFree();
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
    return switch (random.nextInt(4)) {
      case 0 -> new Operation.Put(key(), value());
      case 1 -> new Operation.Delete(key());
      case 2 -> new Operation.Append(key(), value(), random.nextInt(Limits.VALUE_BYTES_MAX + 1));
      default -> new Operation.Increment(key(), random.nextLong());
    };
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
