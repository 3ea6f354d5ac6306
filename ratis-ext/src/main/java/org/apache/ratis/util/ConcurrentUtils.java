package org.apache.ratis.util;

import io.quorate.ratis.patches.InPlaceOfRatis;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.ratis.util.function.CheckedConsumer;
import org.apache.ratis.util.function.CheckedFunction;

/**
 * What Ratis 3.3.0 has in its class of this name, whose place it takes, with one difference: the
 * two thread pools of each replica are {@link ReplicaExecutor}s. See ADR 0087.
 *
 * <p>Upstream: not reported. Fails without it: {@code ThreadsOfGroupsTest}. Can go when Ratis has a
 * setting for the threads of replicas.
 */
@InPlaceOfRatis
public interface ConcurrentUtils {
  /** The ends of the names of pools of a replica. */
  private static boolean isOfReplica(String namePrefix) {
    return namePrefix.endsWith("-server") || namePrefix.endsWith("-client");
  }

  static ExecutorService newThreadPoolWithMax(boolean cached, int maximum, String namePrefix) {
    if (isOfReplica(namePrefix)) {
      return new ReplicaExecutor();
    }
    ThreadFactory threads = newThreadFactory(namePrefix);
    return cached
        ? newCachedThreadPool(maximum, threads)
        : Executors.newFixedThreadPool(maximum, threads);
  }

  static ExecutorService newCachedThreadPool(int maximum, ThreadFactory threads) {
    return maximum == 0
        ? Executors.newCachedThreadPool(threads)
        : new ThreadPoolExecutor(
            0, maximum, 60, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
  }

  static ExecutorService newSingleThreadExecutor(String name) {
    return Executors.newSingleThreadExecutor(task -> new Thread(task, name));
  }

  static ThreadFactory newThreadFactory(String namePrefix) {
    AtomicInteger created = new AtomicInteger();
    return task -> new Thread(task, namePrefix + "-thread" + created.incrementAndGet());
  }

  static void shutdownAndWait(ExecutorService executor) {
    shutdownAndWait(
        TimeDuration.ONE_DAY,
        executor,
        timeout -> {
          throw new IllegalStateException(executor + " has not ended after " + timeout);
        });
  }

  static void shutdownAndWait(
      TimeDuration wait, ExecutorService executor, Consumer<TimeDuration> whenTimedOut) {
    executor.shutdown();
    try {
      if (!executor.awaitTermination(wait.getDuration(), wait.getUnit()) && whenTimedOut != null) {
        whenTimedOut.accept(wait);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The function may be called once only, in the update. */
  static <E, X extends Throwable> E updateAndGet(
      AtomicReference<E> reference, CheckedFunction<E, E, X> update) throws X {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    E updated =
        reference.updateAndGet(
            value -> {
              try {
                return update.apply(value);
              } catch (Throwable e) {
                failure.set(e);
                return value;
              }
            });
    @SuppressWarnings("unchecked")
    X thrown = (X) failure.get();
    if (thrown != null) {
      throw thrown;
    }
    return updated;
  }

  static <E, X extends Throwable> CompletableFuture<Void> parallelForEachAsync(
      Stream<E> elements, int size, CheckedConsumer<? super E, X> action, Executor executor) {
    return JavaUtils.allOf(
        elements
            .map(
                element -> {
                  CompletableFuture<E> done = new CompletableFuture<>();
                  executor.execute(() -> accept(action, element, done));
                  return done;
                })
            .toList());
  }

  static <E, X extends Throwable> CompletableFuture<Void> parallelForEachAsync(
      Collection<E> elements, CheckedConsumer<? super E, X> action, Executor executor) {
    return parallelForEachAsync(elements.stream(), elements.size(), action, executor);
  }

  static <X extends Throwable> CompletableFuture<Void> parallelForEachAsync(
      int size, CheckedConsumer<Integer, X> action, Executor executor) {
    return parallelForEachAsync(IntStream.range(0, size).boxed(), size, action, executor);
  }

  static <E, X extends Throwable> void accept(
      CheckedConsumer<? super E, X> action, E element, CompletableFuture<E> done) {
    try {
      action.accept(element);
      done.complete(element);
    } catch (Throwable e) {
      done.completeExceptionally(e);
    }
  }
}
