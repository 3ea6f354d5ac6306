package io.quorate.benchmarks.ycsb;

import io.quorate.client.CompareAndSetResult;
import io.quorate.client.IndeterminateException;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.KeyValue;
import io.quorate.client.OverloadedException;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.RefusedException;
import io.quorate.client.UnavailableException;
import io.quorate.common.DecodeException;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * Executes the operations of YCSB on a cluster. A record is one key ({@link RecordKeys}) with one
 * value ({@link RecordCodec}). {@link BindingOptions} lists the properties. YCSB creates an
 * instance for each of its threads; all of them share one client.
 *
 * <p><b>Reads</b> and scans unpack only the requested fields. A scan never returns records of
 * another table.
 *
 * <p><b>Insert</b> replaces a record that exists. <b>Delete</b> of a missing record succeeds.
 *
 * <p><b>Update</b> of some fields keeps the others: it reads the record, replaces the fields, and
 * writes the record with a compare-and-set, which is repeated if the record has changed since it
 * was read. This takes two round trips, and the second request carries the record twice. It returns
 * {@code NOT_FOUND} if the record is missing. If YCSB writes all fields ({@code
 * writeallfields=true}), an update is one put, and inserts a missing record.
 *
 * <p><b>Failures</b> return the status of {@link #status}. The first one of each operation and
 * status is printed on standard error, in a line that begins with {@link #NOTICE}.
 */
public final class QuorateBinding extends DB {
  /** The prefix of the lines that the binding writes to standard error. */
  public static final String NOTICE = "quorate: ";

  private static final Set<String> REPORTED = ConcurrentHashMap.newKeySet();

  private BindingOptions options;
  private SharedClient shared;
  private QuorateClient client;

  /** The properties of a measurement of this cluster, which may be configured for weaker reads. */
  public static Map<String, String> properties(String addresses) {
    return Map.of(
        BindingOptions.AT, addresses, BindingOptions.ALLOW_WEAKER_READS, Boolean.toString(true));
  }

  /** Connects to the cluster. Blocks. */
  @Override
  public void init() throws DBException {
    try {
      options = BindingOptions.of(getProperties());
      shared = SharedClient.open(options.client());
      client = shared.client();
    } catch (IllegalArgumentException | QuorateException e) {
      report("init", e.getMessage());
      throw new DBException(e.getMessage(), e);
    }
  }

  @Override
  public void cleanup() {
    shared.close();
  }

  @Override
  public Status read(
      String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
    return execute(
        "READ",
        () -> {
          Optional<byte[]> record = client.get(RecordKeys.key(table, key));
          record.ifPresent(value -> unpack(value, fields, result));
          return record.isPresent() ? Status.OK : Status.NOT_FOUND;
        });
  }

  @Override
  public Status scan(
      String table,
      String startKey,
      int count,
      Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    return execute(
        "SCAN",
        () -> {
          KeyRange fromKey = KeyRange.from(Key.wrap(RecordKeys.key(table, startKey)));
          byte[] prefix = RecordKeys.prefix(table).getBytes(StandardCharsets.UTF_8);
          for (KeyValue row : client.scan(fromKey, count)) {
            if (!RecordKeys.isIn(prefix, row.key())) {
              break;
            }
            HashMap<String, ByteIterator> record = new HashMap<>();
            unpack(row.value(), fields, record);
            result.add(record);
          }
          return Status.OK;
        });
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    return execute(
        "UPDATE",
        () -> {
          Map<String, ByteBuffer> changes = buffers(values);
          byte[] recordKey = RecordKeys.key(table, key);
          return changes.size() >= options.fieldCount()
              ? put(recordKey, changes)
              : change(recordKey, changes);
        });
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    return execute("INSERT", () -> put(RecordKeys.key(table, key), buffers(values)));
  }

  @Override
  public Status delete(String table, String key) {
    return execute(
        "DELETE",
        () -> {
          client.delete(RecordKeys.key(table, key));
          return Status.OK;
        });
  }

  private Status put(byte[] key, Map<String, ByteBuffer> fields) {
    client.put(key, RecordCodec.encode(fields));
    return Status.OK;
  }

  private Status change(byte[] key, Map<String, ByteBuffer> changes) {
    long start = System.nanoTime();
    Optional<byte[]> present = client.get(key);
    while (present.isPresent()) {
      Map<String, ByteBuffer> fields = RecordCodec.decode(present.get());
      fields.putAll(changes);
      CompareAndSetResult<byte[]> result =
          client.compareAndSet(key, present.get(), RecordCodec.encode(fields));
      if (result.swapped()) {
        return Status.OK;
      }
      if (System.nanoTime() - start >= options.client().deadline().toNanos()) {
        report(
            "UPDATE returned " + Status.SERVICE_UNAVAILABLE.getName(),
            "The record was changed by other updates until the deadline.");
        return Status.SERVICE_UNAVAILABLE;
      }
      present = result.current();
    }
    return Status.NOT_FOUND;
  }

  private static void unpack(byte[] record, Set<String> fields, Map<String, ByteIterator> result) {
    Predicate<String> isRequested = fields == null ? name -> true : fields::contains;
    RecordCodec.decode(record, isRequested)
        .forEach(
            (name, value) ->
                result.put(
                    name,
                    new ByteArrayByteIterator(
                        value.array(), value.arrayOffset() + value.position(), value.remaining())));
  }

  private static Map<String, ByteBuffer> buffers(Map<String, ByteIterator> values) {
    Map<String, ByteBuffer> buffers = new LinkedHashMap<>();
    values.forEach((name, value) -> buffers.put(name, ByteBuffer.wrap(value.toArray())));
    return buffers;
  }

  private static Status execute(String operation, Supplier<Status> call) {
    try {
      return call.get();
    } catch (QuorateException | DecodeException | IllegalArgumentException e) {
      Status status = status(e);
      report(operation + " returned " + status.getName(), e.getMessage());
      return status;
    }
  }

  /**
   * The status of a failure. After {@code UNEXPECTED_STATE} a write may have taken effect; after
   * any other status it has had no effect.
   */
  static Status status(RuntimeException failure) {
    if (failure instanceof IndeterminateException) {
      return Status.UNEXPECTED_STATE;
    } else if (failure instanceof UnavailableException || failure instanceof OverloadedException) {
      return Status.SERVICE_UNAVAILABLE;
    } else if (failure instanceof RefusedException) {
      return Status.FORBIDDEN;
    } else if (failure instanceof InvalidRequestException
        || failure instanceof IllegalArgumentException) {
      return Status.BAD_REQUEST;
    }
    return Status.ERROR;
  }

  private static void report(String what, String reason) {
    if (REPORTED.add(what)) {
      System.err.println(NOTICE + what + ": " + reason);
    }
  }
}
