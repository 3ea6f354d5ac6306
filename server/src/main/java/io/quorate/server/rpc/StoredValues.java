package io.quorate.server.rpc;

import io.quorate.consensus.BodyReplication;
import io.quorate.protocol.operation.ScanPage;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.storage.command.StoredValue;
import io.quorate.storage.read.StoredCut;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The bytes of values that may be bodies. Any thread; nothing blocks. */
final class StoredValues {
  private StoredValues() {}

  /** The length of the values of a page in bytes. */
  static long length(StoredCut cut) {
    return cut.rows().stream().mapToLong(row -> row.value().length()).sum();
  }

  /** What a client receives whose request would exceed the limits on bytes in flight. */
  static RequestRejected tooLarge(Duration retryAfter) {
    return RequestRejected.overloaded(
        "The values that are being read and sent use up the bytes that may be in flight"
            + " (rpc.connection-bytes, rpc.node-bytes); repeat the request later.",
        retryAfter);
  }

  /**
   * The bytes of a value.
   *
   * @return completes at once if the value is in its row; otherwise as {@link BodyReplication#read}
   */
  static CompletionStage<ByteBuffer> bytes(StoredValue value, BodyReplication bodies) {
    return value instanceof StoredValue.Body body
        ? bodies.read(body.reference())
        : CompletableFuture.completedFuture(((StoredValue.Inline) value).bytes());
  }

  /**
   * The page of a scan with the bytes of all its values, whose bodies are read at the same time;
   * the limit of a page bounds their bytes.
   *
   * @return fails if one of the bodies cannot be read
   */
  static CompletionStage<ScanPage> page(StoredCut cut, BodyReplication bodies) {
    List<CompletableFuture<ByteBuffer>> values = new ArrayList<>(cut.rows().size());
    for (StoredCut.Row row : cut.rows()) {
      values.add(bytes(row.value(), bodies).toCompletableFuture());
    }
    return CompletableFuture.allOf(values.toArray(CompletableFuture[]::new))
        .thenApply(
            all -> {
              List<ScanPage.Row> rows = new ArrayList<>(values.size());
              for (int i = 0; i < values.size(); i++) {
                rows.add(new ScanPage.Row(cut.rows().get(i).key(), values.get(i).join()));
              }
              return new ScanPage(rows, cut.continueAt());
            });
  }
}
