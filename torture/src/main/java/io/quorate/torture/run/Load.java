package io.quorate.torture.run;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.workload.RecordingClient;
import io.quorate.torture.workload.Workload;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Client threads that run workloads until {@link #stop}. Used by one thread. */
final class Load {
  private static final int THINK_TIME_MILLIS_MAX = 12;

  private final List<RecordingClient> clients;
  private final ExecutorService threads;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final List<Future<Void>> workers = new ArrayList<>();

  Load(List<RecordingClient> clients) {
    this.clients = List.copyOf(clients);
    this.threads = Executors.newFixedThreadPool(clients.size() / 2);
  }

  /** Starts a thread for each pair of clients; workloads are assigned round-robin. */
  void start(List<Workload> workloads, long seed) {
    for (int i = 0; i < clients.size() / 2; i++) {
      Workload workload = workloads.get(i % workloads.size());
      RecordingClient own = clients.get(2 * i);
      RecordingClient other = clients.get(2 * i + 1);
      boolean swapped = i / workloads.size() % 2 == 1;
      Random random = new Random(seed + i);
      workers.add(
          threads.submit(
              () -> {
                work(workload, swapped ? other : own, swapped ? own : other, random);
                return null;
              }));
    }
  }

  private void work(Workload workload, RecordingClient own, RecordingClient other, Random random)
      throws InterruptedException {
    do {
      workload.step(own, other, random);
    } while (!stopping.await(random.nextInt(THINK_TIME_MILLIS_MAX), TimeUnit.MILLISECONDS));
  }

  /** Stops every thread after its current step; blocks until all have stopped. */
  void stop() throws InterruptedException {
    stopping.countDown();
    join();
  }

  /**
   * Performs each action once, in any order; blocks until all are complete.
   *
   * @return those that did not succeed
   */
  List<Action> perform(Collection<Action> actions) throws InterruptedException {
    Queue<Action> remaining = new ConcurrentLinkedQueue<>(actions);
    Queue<Action> failed = new ConcurrentLinkedQueue<>();
    for (RecordingClient client : clients.subList(0, clients.size() / 2)) {
      workers.add(
          threads.submit(
              () -> {
                for (Action next = remaining.poll(); next != null; next = remaining.poll()) {
                  if (!(client.perform(next) instanceof Outcome.Ok)) {
                    failed.add(next);
                  }
                }
                return null;
              }));
    }
    join();
    return List.copyOf(failed);
  }

  private void join() throws InterruptedException {
    try {
      for (Future<Void> worker : workers) {
        worker.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("A workload failed", e.getCause());
    } finally {
      workers.clear();
    }
  }

  /** Ends the threads, which are idle after {@link #stop}. */
  void close() {
    threads.shutdownNow();
  }
}
