package io.quorate.storage;

import static io.quorate.storage.TestRegion.append;
import static io.quorate.storage.TestRegion.delete;
import static io.quorate.storage.TestRegion.getAndPut;
import static io.quorate.storage.TestRegion.increment;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.put;

import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.KnownPosition;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** A random log: batches of requests by a few clients, some of which are repeated. */
public final class RandomHistory {
  public static final int WINDOW = 8;
  private static final int KEYS = 12;
  private static final int CLIENTS = 4;

  public final List<List<ClientCommand>> batches = new ArrayList<>();
  private final Random random;
  private final long[] lastSequences = new long[CLIENTS];

  public RandomHistory(long seed, int size) {
    this.random = new Random(seed);
    for (int i = 0; i < size; i++) {
      List<ClientCommand> batch = new ArrayList<>();
      for (int left = random.nextInt(5); left > 0; left--) {
        batch.add(request(i));
      }
      batches.add(batch);
    }
  }

  public Model newModel() {
    return new Model(WINDOW);
  }

  /** The model after the batches up to and including an index. */
  Model modelAt(long index) {
    Model model = newModel();
    for (int i = 0; i <= index; i++) {
      for (ClientCommand request : batches.get(i)) {
        model.apply(request, TestRegion.at(i));
      }
    }
    return model;
  }

  private ClientCommand request(int index) {
    if (random.nextInt(5) == 0) {
      return TestRegion.untagged(operation(index));
    }
    int client = random.nextInt(CLIENTS);
    long last = lastSequences[client];
    boolean repeats = last > 0 && random.nextInt(4) == 0;
    long sequence = repeats ? Math.max(1, last - random.nextInt(6)) : last + 1;
    lastSequences[client] = Math.max(last, sequence);
    long floor = Math.max(0, sequence - random.nextInt(12));
    return new ClientCommand(
        new RequestId(new ClientId(7, client), sequence, floor, known(index)), operation(index));
  }

  private KnownPosition known(int index) {
    return random.nextInt(8) == 0 || index == 0
        ? KnownPosition.NONE
        : KnownPosition.of(
            TestRegion.GROUP, TestRegion.at(Math.max(0, index - 1 - random.nextInt(30))));
  }

  private Operation operation(int index) {
    if (random.nextInt(60) == 0) {
      return new Operation.EndSession();
    }
    return switch (random.nextInt(20)) {
      case 0 -> new Operation.ExpireSessions(new Position(0, index - random.nextInt(20)));
      case 1, 2 -> {
        List<Operation.OnKey> parts = new ArrayList<>();
        for (int left = random.nextInt(4); left > 0; left--) {
          parts.add(resultFree());
        }
        yield new Operation.Batch(parts);
      }
      case 3, 4, 5 -> incrementAndGet(key(), delta());
      case 6, 7, 8 -> getAndPut(key(), value());
      case 9, 10, 11, 12 ->
          new Operation.CompareAndSet(Key.utf8(key()), optionalValue(), optionalValue());
      default -> resultFree();
    };
  }

  private Operation.OnKey resultFree() {
    return switch (random.nextInt(6)) {
      case 0 -> delete(key());
      case 1, 2 -> append(key(), value(), random.nextBoolean() ? 300 : random.nextInt(300));
      case 3 -> increment(key(), delta());
      default -> put(key(), value());
    };
  }

  private String key() {
    return "key" + random.nextInt(KEYS);
  }

  private long delta() {
    return random.nextInt(10) == 0 ? Long.MAX_VALUE : random.nextInt(100) - 50;
  }

  private String value() {
    return switch (random.nextInt(4)) {
      case 0 -> "";
      case 1 -> Integer.toString(random.nextInt(3));
      case 2 -> "v" + random.nextInt(3);
      default -> "w".repeat(random.nextInt(200));
    };
  }

  private Optional<ByteBuffer> optionalValue() {
    return random.nextBoolean()
        ? Optional.empty()
        : Optional.of(TestRegion.bytes(Integer.toString(random.nextInt(3))));
  }
}
