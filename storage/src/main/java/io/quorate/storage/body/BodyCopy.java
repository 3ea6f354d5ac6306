package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A task that repeats what is stored, in another place or for another group. */
abstract class BodyCopy implements WriterTask {
  private final CompletableFuture<Void> durable = new CompletableFuture<>();
  private final long bytes;

  private BodyCopy(long bytes) {
    this.bytes = bytes;
  }

  final CompletableFuture<Void> durable() {
    return durable;
  }

  @Override
  public void fail(IOException failure) {
    durable.completeExceptionally(failure);
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public boolean isDeferred() {
    return false;
  }

  @Override
  public boolean isCopy() {
    return true;
  }

  @Override
  public boolean isLazy() {
    return false;
  }

  /** Copies a record for a body, if the body is still at its place. */
  static final class Move extends BodyCopy {
    private final WriterState state;
    private final BodyId body;
    private final StoredBody from;
    private final ByteBuffer content;

    Move(WriterState state, BodyId body, StoredBody from, ByteBuffer content) {
      super(from.header().length());
      this.state = state;
      this.body = body;
      this.from = from;
      this.content = content;
    }

    @Override
    public void append(List<Runnable> whenDurable) throws IOException {
      if (!isCurrent()) {
        durable().complete(null);
        return;
      }
      StoredBody to = state.segments().append(from.header().of(body), List.of(content));
      whenDurable.add(
          () -> {
            if (isCurrent()) {
              state.index().put(body, to);
            } else {
              // Removed in the same group: the removal must be kept as long as this record.
              state.index().addDeadRecord(body);
              state.hasGarbage(to.place().segment());
            }
            durable().complete(null);
          });
    }

    private boolean isCurrent() {
      return state.index().isAt(body, from.place());
    }
  }

  /**
   * Adds bodies of one group to another one. The index has the links at once, since a removal of
   * the same group of records must not let the content go. Nobody uses them before they are
   * durable.
   */
  static final class Links extends BodyCopy {
    private final WriterState state;
    private final GroupId from;
    private final List<BodyId> bodies;
    private final GroupId to;
    private final long epochMax;

    Links(WriterState state, GroupId from, List<BodyId> bodies, GroupId to, long epochMax) {
      super(0);
      this.state = state;
      this.from = from;
      this.bodies = bodies;
      this.to = to;
      this.epochMax = epochMax;
    }

    @Override
    public void append(List<Runnable> whenDurable) throws IOException {
      BodySegments segments = state.segments();
      if (segments.lost().link(from, to, body -> body.epoch() <= epochMax)) {
        segments.saveLost();
      }
      BodyIndex index = state.index();
      for (BodyId body : bodies) {
        Optional<StoredBody> stored = index.get(body);
        BodyId link = body.in(to);
        if (stored.isPresent() && index.get(link).isEmpty()) {
          state.appendLink(link, stored.get().place());
          index.put(link, stored.get().linked());
        }
      }
      whenDurable.add(() -> durable().complete(null));
    }
  }

  /** Repeats the record of a removal or of a link. */
  static final class Kept extends BodyCopy {
    private final WriterState state;
    private final BodyId body;

    Kept(WriterState state, BodyId body) {
      super(0);
      this.state = state;
      this.body = body;
    }

    @Override
    public void append(List<Runnable> whenDurable) throws IOException {
      Optional<Place> linked = state.index().linked(body);
      if (linked.isPresent()) {
        state.appendLink(body, linked.get());
        // In place of the present one.
        state.index().addDeadRecord(body);
      } else if (state.index().get(body).isEmpty()) {
        state.appendRemoval(body);
      }
      whenDurable.add(() -> durable().complete(null));
    }
  }
}
