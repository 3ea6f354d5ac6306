package io.quorate.storage;

import io.quorate.model.GroupId;
import io.quorate.storage.body.BodyStore;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes all bodies of a region. Blocks until that is durable. */
final class BodyRemovals {
  private static final Logger LOG = LoggerFactory.getLogger(BodyRemovals.class);

  private BodyRemovals() {}

  /** Removes those of a region that leaves this node. */
  static void removeAll(BodyStore bodies, GroupId group) throws IOException {
    await(bodies.removeAll(group), group);
  }

  /** Removes those of a region that has no state, unless it is about to begin by a split. */
  static void removeUnused(BodyStore bodies, GroupId group) throws IOException {
    long before = bodies.bytesOf(group);
    await(bodies.removeUnlessLinked(group), group);
    long removed = before - bodies.bytesOf(group);
    if (removed > 0) {
      LOG.info("Bodies without a replica were removed region={} bytes={}", group, removed);
    }
  }

  private static void await(CompletableFuture<Void> removal, GroupId group) throws IOException {
    try {
      removal.join();
    } catch (CompletionException e) {
      throw new IOException("The bodies of region " + group + " were not removed.", e.getCause());
    }
  }
}
