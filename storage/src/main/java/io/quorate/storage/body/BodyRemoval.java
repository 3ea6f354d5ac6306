package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tasks that remove bodies. */
final class BodyRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(BodyRemoval.class);

  private BodyRemoval() {}

  /** Removes a body; a power failure may undo it. */
  static final class Single extends WriterTask.Small {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final WriterState state;
    private final BodyId body;

    Single(WriterState state, BodyId body) {
      super(false);
      this.state = state;
      this.body = body;
    }

    CompletableFuture<Void> done() {
      return done;
    }

    @Override
    public void append(List<Runnable> whenDurable) throws IOException {
      state.hasGarbage(state.index().remove(body));
      state.segments().lost().remove(body);
      // Again, after writes of the same group that precede it.
      whenDurable.add(
          () -> {
            state.hasGarbage(state.index().remove(body));
            done.complete(null);
          });
      state.appendRemoval(body);
    }

    @Override
    public void fail(IOException failure) {
      LOG.warn("A removed body returns with the next start body={}", body, failure);
      done.completeExceptionally(failure);
    }
  }

  /**
   * Removes bodies of a group, and what is known to be lost of it. The bodies stay in the index,
   * for a repetition to find, until the records are durable. A task that writes a body of the group
   * has its effect before, so it is not in the same group of tasks.
   */
  static final class OfGroup extends WriterTask.Small {
    /** Bodies that are written meanwhile do not wait for all removals of a group. */
    private static final int BODIES_MAX = 4096;

    private final CompletableFuture<Boolean> durable = new CompletableFuture<>();
    private final WriterState state;
    private final GroupId group;

    OfGroup(WriterState state, GroupId group) {
      super(true);
      this.state = state;
      this.group = group;
    }

    /** Completes with whether there may be more bodies of the group. */
    CompletableFuture<Boolean> durable() {
      return durable;
    }

    @Override
    public void append(List<Runnable> whenDurable) throws IOException {
      List<BodyId> some = state.index().first(group, BODIES_MAX);
      for (BodyId body : some) {
        state.appendRemoval(body);
      }
      whenDurable.add(
          () -> {
            some.forEach(body -> state.hasGarbage(state.index().remove(body)));
            state.segments().lost().removeAll(group);
            durable.complete(some.size() == BODIES_MAX);
          });
    }

    @Override
    public void fail(IOException failure) {
      durable.completeExceptionally(failure);
    }

    @Override
    public boolean isCopy() {
      return true;
    }
  }
}
