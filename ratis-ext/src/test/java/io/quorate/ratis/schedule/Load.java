package io.quorate.ratis.schedule;

import io.quorate.common.Failures;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.operation.Result;
import io.quorate.ratis.schedule.ScheduleNode.Running;
import io.quorate.ratis.schedule.Write.Fate;
import io.quorate.storage.command.StoredValue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** Clients that write and read a few keys at any node that accepts it, until they are stopped. */
final class Load {
  private static final int KEYS = 4;
  private static final int WRITERS = 3;
  private static final int ATTEMPTS_MAX = 6;
  private static final int SMALL_BYTES_MAX = 2_000;
  private static final int LARGE_BYTES_MIN = 4_096;
  private static final int LARGE_BYTES_MAX = 48_000;

  /** Far longer than any outcome takes: one that does not come is a finding. */
  private static final long OUTCOME_SECONDS_MAX = 20;

  private static final long READ_MILLIS_MAX = 2_000;
  private static final long RETRY_MILLIS = 5;
  private static final AtomicLong NUMBERS = new AtomicLong(1);

  private final ScheduleCluster cluster;
  private final Ledger ledger;
  private final List<Thread> threads = new ArrayList<>();
  private final List<String> problems = new CopyOnWriteArrayList<>();
  private volatile boolean stopped;

  Load(ScheduleCluster cluster, Ledger ledger) {
    this.cluster = cluster;
    this.ledger = ledger;
  }

  void start(Random random) {
    for (int i = 0; i < WRITERS; i++) {
      // One of them never repeats a request.
      Optional<ClientId> session = i == 0 ? Optional.empty() : Optional.of(ClientId.random());
      Random own = new Random(random.nextLong());
      run("writer-" + i, () -> write(own, session));
    }
    Random own = new Random(random.nextLong());
    run("reader", () -> read(own));
  }

  private interface Task {
    void run() throws InterruptedException;
  }

  private void run(String name, Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (InterruptedException | RuntimeException e) {
                problems.add(name + " ended: " + e);
              }
            },
            name);
    threads.add(thread);
    thread.start();
  }

  /** Waits until every write has an outcome. */
  List<String> stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
    return problems;
  }

  static Key key(int number) {
    return Key.utf8("k" + number);
  }

  private void write(Random random, Optional<ClientId> session) throws InterruptedException {
    for (long sequence = 1; !stopped; sequence++) {
      int bytes =
          random.nextInt(3) == 0
              ? random.nextInt(Long.BYTES, SMALL_BYTES_MAX)
              : random.nextInt(LARGE_BYTES_MIN, LARGE_BYTES_MAX);
      Write write =
          new Write(NUMBERS.getAndIncrement(), key(random.nextInt(KEYS)), bytes, System.nanoTime());
      ledger.begin(write);
      long number = sequence;
      RequestId tag =
          session.map(client -> new RequestId(client, number, number)).orElse(RequestId.NONE);
      put(random, write, tag);
    }
  }

  /** Puts a value, and repeats a request that has a session. */
  private void put(Random random, Write write, RequestId tag) throws InterruptedException {
    boolean isUnknown = false;
    int attempts = tag.isTracked() ? ATTEMPTS_MAX : 1;
    for (int i = 0; i < attempts; i++) {
      Optional<Running> node = choose(random);
      if (node.isEmpty()) {
        TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        continue;
      }
      Attempt attempt = attempt(node.get(), write, tag);
      if (attempt.fate() == Fate.DONE) {
        // A repeated request may have taken effect at the position of an earlier attempt.
        ledger.end(
            write,
            Fate.DONE,
            isUnknown ? OptionalLong.empty() : attempt.index(),
            System.nanoTime());
        return;
      }
      isUnknown |= attempt.fate() == Fate.UNKNOWN;
      TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
    }
    ledger.end(
        write, isUnknown ? Fate.UNKNOWN : Fate.REFUSED, OptionalLong.empty(), System.nanoTime());
  }

  private record Attempt(Fate fate, OptionalLong index) {
    static Attempt of(Fate fate) {
      return new Attempt(fate, OptionalLong.empty());
    }
  }

  /** Also a leader that has been replaced and has not noticed. */
  private Optional<Running> choose(Random random) {
    List<ScheduleNode> serving = cluster.nodes().stream().filter(ScheduleNode::isServing).toList();
    return serving.isEmpty()
        ? Optional.empty()
        : serving.get(random.nextInt(serving.size())).running();
  }

  private Attempt attempt(Running node, Write write, RequestId tag) throws InterruptedException {
    try {
      CompletableFuture<ProposeResult> outcome = propose(node, write, tag).toCompletableFuture();
      CompletableFuture.anyOf(outcome.handle((done, failure) -> done), node.ended())
          .get(OUTCOME_SECONDS_MAX, TimeUnit.SECONDS);
      if (!outcome.isDone()) {
        // A client of a node that was killed receives nothing.
        return Attempt.of(Fate.UNKNOWN);
      }
      ProposeResult result = outcome.get();
      if (Result.isSuperseded(result.result())) {
        return Attempt.of(Fate.REFUSED);
      }
      if (!Result.decode(result.result()).equals(Result.DONE)) {
        problems.add("Result " + Result.decode(result.result()) + " of " + write);
        return Attempt.of(Fate.UNKNOWN);
      }
      return new Attempt(Fate.DONE, OptionalLong.of(result.position().index()));
    } catch (ExecutionException e) {
      return Attempt.of(fate(Failures.unwrap(e.getCause()), write));
    } catch (TimeoutException e) {
      problems.add("No outcome within " + OUTCOME_SECONDS_MAX + " s: " + write);
      return Attempt.of(Fate.UNKNOWN);
    } catch (RuntimeException e) {
      return Attempt.of(fate(e, write));
    }
  }

  private Fate fate(Throwable failure, Write write) {
    if (!(failure instanceof ConsensusException known)) {
      problems.add("A proposal failed with " + failure + ": " + write);
      return Fate.UNKNOWN;
    }
    return switch (known.kind()) {
      case INDETERMINATE, FATAL -> Fate.UNKNOWN;
      case REDIRECT, OVERLOADED, UNAVAILABLE, INVALID -> Fate.REFUSED;
    };
  }

  private static CompletionStage<ProposeResult> propose(Running node, Write write, RequestId tag) {
    BodyReplication bodies = node.bodies();
    ByteBuffer value = write.value();
    return write.bytes() >= bodies.bodyBytesMin()
        ? bodies.propose(value, body -> command(tag, new Operation.PutBody(write.key(), body)))
        : node.group().propose(command(tag, new Operation.Put(write.key(), value)));
  }

  private static Command command(RequestId tag, Operation operation) {
    return new Command(new ClientCommand(tag, operation).encoded());
  }

  /** Writes a value that all nodes can be awaited to have; retries until it is acknowledged. */
  Position mark() throws InterruptedException {
    Random random = new Random(0);
    long deadline = System.nanoTime() + ScheduleCluster.PATIENCE.toNanos();
    while (System.nanoTime() - deadline < 0) {
      Optional<Running> node = choose(random);
      if (node.isPresent()) {
        try {
          return node.get()
              .group()
              .propose(
                  command(
                      RequestId.NONE,
                      new Operation.Put(Key.utf8("marker"), ByteBuffer.allocate(Long.BYTES))))
              .toCompletableFuture()
              .get(OUTCOME_SECONDS_MAX, TimeUnit.SECONDS)
              .position();
        } catch (ExecutionException | TimeoutException e) {
          // The leader has changed.
        }
      }
      TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
    }
    throw new IllegalStateException("No write was acknowledged after the faults had ended");
  }

  private void read(Random random) throws InterruptedException {
    while (!stopped) {
      Optional<Running> node = choose(random);
      Key key = key(random.nextInt(KEYS));
      if (node.isPresent()) {
        readOnce(node.get(), key);
      }
      TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
    }
  }

  private void readOnce(Running node, Key key) throws InterruptedException {
    long start = System.nanoTime();
    try {
      Optional<ByteBuffer> value = read(node, key, true);
      ledger.read(key, value, start, System.nanoTime());
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      // It was not served. A node may end meanwhile, and a body may be removed after the row.
    }
  }

  /** Reads a value as a server does, linearizable or from the state of the node. */
  static Optional<ByteBuffer> read(Running node, Key key, boolean isLinearizable)
      throws ExecutionException, TimeoutException, InterruptedException {
    if (isLinearizable) {
      Position index = within(node.group().readIndex(Guarantee.LINEARIZABLE, KeyScope.key(key)));
      within(node.store().awaitReadable(index));
    }
    Optional<StoredValue> stored = node.store().getStored(key);
    return stored.isPresent() ? Optional.of(content(node, stored.get())) : Optional.empty();
  }

  private static ByteBuffer content(Running node, StoredValue stored)
      throws ExecutionException, TimeoutException, InterruptedException {
    return stored instanceof StoredValue.Body body
        ? within(node.bodies().read(body.reference()))
        : ((StoredValue.Inline) stored).bytes();
  }

  private static <T> T within(CompletionStage<T> stage)
      throws ExecutionException, TimeoutException, InterruptedException {
    return stage.toCompletableFuture().get(READ_MILLIS_MAX, TimeUnit.MILLISECONDS);
  }
}
