package io.quorate.server.verification.torture;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.workload.RecordingClient;
import io.quorate.server.verification.workload.Workload;
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

/** Threads that run workloads until they are told to stop. Used by one thread. */
final class Load {
  private static final int THINK_MILLIS_MAX = 12;

  private final List<RecordingClient> clients;
  private final ExecutorService threads;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final List<Future<Void>> workers = new ArrayList<>();

  Load(List<RecordingClient> clients) {
    this.clients = List.copyOf(clients);
    this.threads = Executors.newFixedThreadPool(clients.size() / 2);
  }

  /** Starts a thread for each pair of clients; the workloads are dealt to them in turn. */
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
    } while (!stopping.await(random.nextInt(THINK_MILLIS_MAX), TimeUnit.MILLISECONDS));
  }

  /** Lets every thread end what it does; blocks until all have. */
  void stop() throws InterruptedException {
    stopping.countDown();
    join();
  }

  /** Performs these actions once each, in any order; blocks until all have ended. */
  void perform(Collection<Action> actions) throws InterruptedException {
    Queue<Action> left = new ConcurrentLinkedQueue<>(actions);
    for (RecordingClient client : clients.subList(0, clients.size() / 2)) {
      workers.add(
          threads.submit(
              () -> {
                for (Action next = left.poll(); next != null; next = left.poll()) {
                  client.perform(next);
                }
                return null;
              }));
    }
    join();
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

  /** Ends the threads, which have nothing left to do after {@link #stop}. */
  void close() {
    threads.shutdownNow();
  }
}
