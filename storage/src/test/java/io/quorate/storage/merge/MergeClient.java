package io.quorate.storage.merge;

import io.quorate.model.GroupId;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.KnownPosition;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.storage.split.ModelClient;
import io.quorate.storage.split.ModelClient.Write;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** A client that sends increments, repeats those without a response, and follows the topology. */
final class MergeClient {
  /** A request on its way to a region. */
  record Request(GroupId region, ClientCommand command, long attempt) {}

  /** What the client knows of a write. */
  private static final class Progress {
    /** The attempt that may still have a response; 0 if there is none. */
    long attempt;

    /** Whether an attempt may have taken effect, or may still. */
    boolean inDoubt;

    /** The position that was known when the write began, whatever region it is sent to. */
    final KnownPosition known;

    Progress(KnownPosition known) {
      this.known = known;
    }
  }

  private final ModelClient writes;
  private final Optional<MergeMutation> mutation;
  private final ModelHistory history;
  private final Map<Long, Progress> progress = new HashMap<>();
  private final Map<GroupId, KnownPosition> positions = new HashMap<>();
  private int version;
  private long attempts;

  MergeClient(
      int id, ModelTopology topology, ModelHistory history, Optional<MergeMutation> mutation) {
    this.writes = new ModelClient(id, topology.starts(), Optional.empty());
    this.version = topology.version();
    this.history = history;
    this.mutation = mutation;
  }

  boolean isIdle() {
    return writes.outstanding.isEmpty();
  }

  void learn(ModelTopology topology) {
    if (topology.version() > version) {
      version = topology.version();
      writes.learn(topology.starts());
    }
  }

  /** Begins an increment, unless the window of the region is full. */
  void begin(int key) {
    writes.begin(key).ifPresent(this::begun);
  }

  private void begun(Write write) {
    progress.put(write.sequence, new Progress(position(write)));
  }

  private KnownPosition position(Write write) {
    return positions.getOrDefault(new GroupId(writes.regionOf(write)), KnownPosition.NONE);
  }

  /** Sends any outstanding write, perhaps again. */
  Optional<Request> sendAny(Random random) {
    List<Write> outstanding = List.copyOf(writes.outstanding.values());
    return outstanding.isEmpty()
        ? Optional.empty()
        : send(outstanding.get(random.nextInt(outstanding.size())));
  }

  List<Request> sendAll() {
    return List.copyOf(writes.outstanding.values()).stream()
        .flatMap(write -> send(write).stream())
        .toList();
  }

  private Optional<Request> send(Write write) {
    Progress known = progress.get(write.sequence);
    // The attempt before has no response in time.
    known.inDoubt |= known.attempt != 0;
    boolean isDoubted = known.inDoubt && !is(MergeMutation.NEW_NUMBER_IN_DOUBT);
    Optional<Write> next = Optional.of(write);
    if (!isDoubted && writes.isBelowFloor(write)) {
      // As after a merge. Every attempt was rejected, so no region can execute the old number.
      end(write);
      history.failed(writes.id, write.sequence);
      next = writes.begin(write.key);
      next.ifPresent(this::begun);
    }
    return next.map(this::request);
  }

  private Request request(Write write) {
    long attempt = ++attempts;
    progress.get(write.sequence).attempt = attempt;
    GroupId region = new GroupId(writes.regionOf(write));
    KnownPosition known =
        is(MergeMutation.POSITION_OF_ATTEMPT)
            ? position(write)
            : progress.get(write.sequence).known;
    RequestId tag =
        new RequestId(new ClientId(1, writes.id), write.sequence, writes.floor(write), known);
    Operation operation = new Operation.Increment(ModelKeys.key(write.key), 1);
    return new Request(region, new ClientCommand(tag, operation), attempt);
  }

  private void end(Write write) {
    writes.end(write);
    progress.remove(write.sequence);
  }

  private void endUnknown(Write write) {
    history.indeterminate(writes.id, write.sequence, write.key);
    end(write);
  }

  private boolean is(MergeMutation expected) {
    return mutation.equals(Optional.of(expected));
  }

  /** Ends a write without a result, as its deadline has passed. */
  void abandonAny(Random random) {
    List<Write> outstanding = List.copyOf(writes.outstanding.values());
    if (!outstanding.isEmpty()) {
      Write write = outstanding.get(random.nextInt(outstanding.size()));
      Progress known = progress.get(write.sequence);
      if (known.inDoubt || known.attempt != 0) {
        endUnknown(write);
      } else {
        history.failed(writes.id, write.sequence);
        end(write);
      }
    }
  }

  /** Gives up every write, and ends the sessions of the client in all regions that it knows. */
  List<Request> close(Random random) {
    while (!writes.outstanding.isEmpty()) {
      abandonAny(random);
    }
    RequestId tag = new RequestId(new ClientId(1, writes.id), 1, 1);
    return writes.regions().stream()
        .map(GroupId::new)
        .map(region -> new Request(region, new ClientCommand(tag, new Operation.EndSession()), 0))
        .toList();
  }

  /**
   * Receives the response to an attempt. Where it shows how the write ended, it counts also if
   * another attempt has begun.
   */
  void receive(RequestId tag, MergeNode.Decision decision) {
    if (decision.index() > positions.getOrDefault(decision.region(), KnownPosition.NONE).index()) {
      positions.put(
          decision.region(), new KnownPosition(decision.region().value(), decision.index()));
    }
    long attempt = decision.entry().attempt();
    Write write = writes.outstanding.get(tag.sequence());
    if (write == null) {
      return;
    }
    Progress known = progress.get(write.sequence);
    switch (decision.outcome()) {
      case EXECUTED, REPEATED -> {
        history.acknowledged(writes.id, write.sequence, write.key);
        end(write);
      }
      case OUT_OF_RANGE -> {
        if (attempt == known.attempt) {
          known.attempt = 0;
        }
      }
      case FORGOTTEN -> endUnknown(write);
      // No copy of it takes effect any more; if none before may have, the write begins anew.
      case OUTDATED -> {
        if (known.inDoubt || attempt != known.attempt) {
          endUnknown(write);
        } else {
          history.failed(writes.id, write.sequence);
          end(write);
        }
      }
      // After a merge. Another attempt may take effect when the floor has risen.
      case BEYOND_WINDOW -> {
        if (is(MergeMutation.REFUSED_BEYOND_WINDOW)) {
          history.failed(writes.id, write.sequence);
          end(write);
        } else {
          endUnknown(write);
        }
      }
      case RESHAPED, UNCHANGED, EXPIRED -> throw new AssertionError("No response of a write");
    }
  }
}
