package io.quorate.storage.session;

import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.TestRegion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Concurrent writes of one client, through several replicas that propose them in any order, late
 * and more than once: each takes effect once, and none for which the client still waits is rejected
 * as forgotten or as beyond the window.
 */
class SessionOrderTest {
  private static final ClientId CLIENT = new ClientId(1, 1);
  private static final int WINDOW = 6;
  private static final int STEPS = 3_000;

  @TempDir private Path directory;

  /** The writes that the client waits for. */
  private final TreeSet<Long> outstanding = new TreeSet<>();

  /** The requests that replicas have received and not yet proposed. */
  private final List<ClientCommand> inFlight = new ArrayList<>();

  private final Set<Long> completed = new HashSet<>();
  private long last;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void writesInAnyOrderTakeEffectOnce(long seed) throws IOException {
    Random random = new Random(seed);
    try (TestRegion region = TestRegion.open(directory, TestRegion.OPTIONS, WINDOW)) {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(5)) {
          case 0, 1 -> begin();
          case 2 -> resend(random);
          case 3 -> giveUp(random);
          default -> {}
        }
        // Most are proposed soon, a few after a very long time, by a replica that was unavailable.
        if (!inFlight.isEmpty() && random.nextInt(3) > 0) {
          execute(region, random);
        }
      }
      while (!inFlight.isEmpty()) {
        execute(region, random);
      }
      assertThat(completed).hasSizeGreaterThan(STEPS / 10);
      for (long sequence = 1; sequence <= last; sequence++) {
        boolean decided = completed.contains(sequence);
        assertThat(region.get("k" + sequence).orElse("0"))
            .as("write %d, seed %d", sequence, seed)
            .isIn(decided ? List.of("1") : List.of("0", "1"));
      }
    }
  }

  private long floor() {
    return outstanding.isEmpty() ? last + 1 : outstanding.first();
  }

  private void begin() {
    boolean hasCapacity = last + 1 - floor() < WINDOW;
    if (hasCapacity) {
      outstanding.add(++last);
      send(last);
    }
  }

  private void send(long sequence) {
    inFlight.add(by(CLIENT, sequence, floor(), incrementAndGet("k" + sequence, 1)));
  }

  private void resend(Random random) {
    if (!outstanding.isEmpty()) {
      send(List.copyOf(outstanding).get(random.nextInt(outstanding.size())));
    }
  }

  /** A write at its deadline: it may take effect or not, and is not sent again. */
  private void giveUp(Random random) {
    if (!outstanding.isEmpty() && random.nextInt(8) == 0) {
      outstanding.remove(outstanding.first());
    }
  }

  private void execute(TestRegion region, Random random) {
    int reach = random.nextInt(10) == 0 ? inFlight.size() : Math.min(4, inFlight.size());
    ClientCommand request = inFlight.remove(random.nextInt(reach));
    long sequence = request.tag().sequence();
    Result result = region.apply(request);
    if (outstanding.contains(sequence)) {
      assertThat(result).as("write %d, for which the client waits", sequence).isEqualTo(number(1));
      boolean responseArrives = random.nextInt(4) > 0;
      if (responseArrives) {
        outstanding.remove(sequence);
        completed.add(sequence);
      }
    }
  }
}
