package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Fills a small file system with bodies, removes some, and checks that bodies are accepted again. A
 * separate process, since the file system is mounted for it alone. Exit code 0 on success.
 */
public final class FullDiskBodies {
  private static final int BODY_BYTES = 100_000;
  private static final BodyStoreOptions OPTIONS =
      new BodyStoreOptions(
          1 << 20,
          BodyStoreOptions.DEFAULT.pendingBodiesMax(),
          BodyStoreOptions.DEFAULT.pendingBytesMax(),
          BodyStoreOptions.DEFAULT.liveShareMin(),
          BodyStoreOptions.DEFAULT.slowSync(),
          BodyStoreOptions.DEFAULT.idle());

  /** A full disk fails writes, and no fsync. */
  private static final Queue<IOException> FAILED_SYNCS = new ConcurrentLinkedQueue<>();

  private FullDiskBodies() {}

  /**
   * @param arguments the file system
   */
  public static void main(String[] arguments) throws Exception {
    Path home = Path.of(arguments[0]).resolve("bodies");
    Set<Integer> acknowledged = new HashSet<>();
    try (BodyStore store = open(home)) {
      int next = 0;
      while (put(store, next)) {
        acknowledged.add(next++);
      }
      require(acknowledged.size() > 100, "The disk was full after " + acknowledged.size());
      require(!put(store, next), "A body was accepted by a full disk");
      // Segments that are removed as a whole: a copy of the rest would need space.
      List<BodyId> removed =
          acknowledged.stream().filter(i -> i < 80).map(FullDiskBodies::id).toList();
      store.remove(removed);
      acknowledged.removeIf(i -> i < 80);
      long until = System.nanoTime() + 60_000_000_000L;
      while (!put(store, ++next)) {
        require(System.nanoTime() - until < 0, "No body is accepted after others were removed");
      }
      acknowledged.add(next);
    }
    try (BodyStore store = open(home)) {
      for (int i : acknowledged) {
        byte[] found = store.get(id(i)).orElseThrow().array();
        require(Arrays.equals(found, content(i)), "Body " + i + " differs");
      }
    }
    require(FAILED_SYNCS.isEmpty(), "An fsync failed: " + FAILED_SYNCS);
  }

  private static BodyStore open(Path home) throws IOException {
    return BodyStore.open(home, OPTIONS, FAILED_SYNCS::add);
  }

  private static boolean put(BodyStore store, int number) {
    try {
      store.put(id(number), List.of(ByteBuffer.wrap(content(number)))).join();
      return true;
    } catch (CompletionException e) {
      String message = String.valueOf(e.getCause().getMessage());
      require(message.contains("No space left on device"), "Another failure: " + message);
      return false;
    }
  }

  private static BodyId id(int number) {
    return new BodyId(new GroupId(1), 1, number);
  }

  private static byte[] content(int number) {
    byte[] bytes = new byte[BODY_BYTES];
    Arrays.fill(bytes, (byte) number);
    return bytes;
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalStateException(message);
    }
  }
}
