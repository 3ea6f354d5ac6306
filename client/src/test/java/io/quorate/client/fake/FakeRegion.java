package io.quorate.client.fake;

import io.quorate.consensus.ProposeResult;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.operation.ScanPage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** The state of one region: a sorted map, with sessions for the deduplication of writes. */
public final class FakeRegion {
  private static final class Session {
    private final Map<Long, ProposeResult> results = new HashMap<>();
    private long floor;
  }

  private final int id;
  private KeyRange range;
  private final TreeMap<Key, byte[]> rows = new TreeMap<>();
  private final Map<ClientId, Session> sessions = new HashMap<>();
  private long index = -1;
  private int duplicates;

  FakeRegion(int id, KeyRange range) {
    this.id = id;
    this.range = range;
  }

  public int id() {
    return id;
  }

  public synchronized KeyRange range() {
    return range;
  }

  /** Gives the keys from one on, and a copy of the sessions, to a new region. */
  synchronized FakeRegion split(Key at, int childId) {
    FakeRegion child = new FakeRegion(childId, new KeyRange(at, range.end()));
    child.rows.putAll(rows.tailMap(at, true));
    rows.tailMap(at, true).clear();
    sessions.forEach(
        (client, session) -> {
          Session copy = new Session();
          copy.results.putAll(session.results);
          copy.floor = session.floor;
          child.sessions.put(client, copy);
        });
    range = KeyRange.of(range.start(), at);
    return child;
  }

  /** Receives the keys and the sessions of the region after it. */
  synchronized void absorb(FakeRegion right) {
    rows.putAll(right.rows);
    right.sessions.forEach(
        (client, moved) -> {
          Session session = sessions.computeIfAbsent(client, absent -> new Session());
          session.results.putAll(moved.results);
          session.floor = Math.max(session.floor, moved.floor);
        });
    duplicates += right.duplicates;
    range = new KeyRange(range.start(), right.range.end());
  }

  /** The number of clients with a session. */
  public synchronized int sessions() {
    return sessions.size();
  }

  /** The number of requests that had already taken effect. */
  public synchronized int duplicates() {
    return duplicates;
  }

  public synchronized Position position() {
    return new Position(1, index);
  }

  public synchronized Optional<byte[]> get(Key key) {
    return Optional.ofNullable(rows.get(key));
  }

  synchronized ProposeResult apply(ClientCommand request) {
    if (request.operation() instanceof Operation.EndSession) {
      sessions.remove(request.tag().client());
      return new ProposeResult(position(), Result.DONE.encoded());
    }
    if (!hasKeysOf(request.operation())) {
      return new ProposeResult(position(), Result.OUT_OF_RANGE.encoded());
    }
    RequestId tag = request.tag();
    Session session = sessions.computeIfAbsent(tag.client(), absent -> new Session());
    ProposeResult earlier = session.results.get(tag.sequence());
    if (earlier != null) {
      duplicates++;
      return earlier;
    }
    index++;
    if (tag.sequence() < session.floor) {
      return new ProposeResult(position(), Result.FORGOTTEN.encoded());
    }
    session.floor = Math.max(session.floor, tag.floor());
    // After a merge there are results below the floor that the client may still request.
    session.results.keySet().removeIf(sequence -> sequence < tag.floor());
    ProposeResult result = new ProposeResult(position(), execute(request.operation()).encoded());
    session.results.put(tag.sequence(), result);
    return result;
  }

  synchronized ScanPage scan(KeyRange requestedRange, ScanOrder order, int rowsMax, int bytesMax) {
    NavigableMap<Key, byte[]> ordered = new TreeMap<>(order);
    KeyRange bounded = requestedRange.intersect(range);
    rows.forEach(
        (key, value) -> {
          if (bounded.contains(key)) {
            ordered.put(key, value);
          }
        });
    List<ScanPage.Row> page = new ArrayList<>();
    int bytes = 0;
    Key last = Key.EMPTY;
    for (Map.Entry<Key, byte[]> row : ordered.entrySet()) {
      if (page.size() == rowsMax || bytes >= bytesMax) {
        return new ScanPage(page, Optional.of(order.boundAfter(last)));
      }
      last = row.getKey();
      page.add(new ScanPage.Row(last, ByteBuffer.wrap(row.getValue())));
      bytes += last.size() + row.getValue().length;
    }
    return new ScanPage(page, Optional.empty());
  }

  private boolean hasKeysOf(Operation operation) {
    return operation instanceof Operation.Batch batch
        ? batch.operations().stream().allMatch(this::hasKeysOf)
        : range.contains(((Operation.OnKey) operation).key());
  }

  private Result execute(Operation operation) {
    return operation instanceof Operation.Batch batch
        ? execute(batch)
        : execute((Operation.OnKey) operation);
  }

  private Result execute(Operation.Batch batch) {
    batch.operations().forEach(this::execute);
    return Result.DONE;
  }

  private Result execute(Operation.OnKey operation) {
    Key key = operation.key();
    Optional<byte[]> current = get(key);
    return switch (operation.kind()) {
      case PUT -> put(key, bytes(((Operation.Put) operation).value()));
      case DELETE -> {
        rows.remove(key);
        yield Result.DONE;
      }
      case APPEND ->
          put(
              key,
              concat(current.orElse(new byte[0]), bytes(((Operation.Append) operation).suffix())));
      case GET_AND_PUT -> {
        put(key, bytes(((Operation.GetAndPut) operation).value()));
        yield new Result.Value(current.map(ByteBuffer::wrap));
      }
      case INCREMENT -> {
        add(key, current, ((Operation.Increment) operation).delta());
        yield Result.DONE;
      }
      case INCREMENT_AND_GET -> add(key, current, ((Operation.IncrementAndGet) operation).delta());
      case COMPARE_AND_SET -> compareAndSet((Operation.CompareAndSet) operation, current);
      case BATCH,
          EXPIRE_SESSIONS,
          PUT_BODY,
          RESOLVED,
          SPLIT,
          FREEZE,
          UNFREEZE,
          ABSORB,
          END_SESSION,
          DIGEST ->
          throw new AssertionError("No client proposes it on a key: " + operation);
    };
  }

  private Result put(Key key, byte[] value) {
    rows.put(key, value);
    return Result.DONE;
  }

  private Result add(Key key, Optional<byte[]> current, long delta) {
    try {
      String text = current.map(FakeRegion::text).orElse("0");
      long sum = Math.addExact(Long.parseLong(text), delta);
      rows.put(key, Long.toString(sum).getBytes(StandardCharsets.US_ASCII));
      return new Result.Number(sum);
    } catch (NumberFormatException | ArithmeticException e) {
      return new Result.Refused("The value of " + key + " is not a number that can be added to.");
    }
  }

  private Result compareAndSet(Operation.CompareAndSet cas, Optional<byte[]> current) {
    boolean matches = cas.expected().equals(current.map(ByteBuffer::wrap));
    if (!matches) {
      return new Result.Swap(false, current.map(ByteBuffer::wrap));
    }
    if (cas.replacement().isPresent()) {
      rows.put(cas.key(), bytes(cas.replacement().get()));
    } else {
      rows.remove(cas.key());
    }
    return new Result.Swap(true, Optional.empty());
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private static byte[] concat(byte[] a, byte[] b) {
    byte[] joined = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, joined, a.length, b.length);
    return joined;
  }
}
