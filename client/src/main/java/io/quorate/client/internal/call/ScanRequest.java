package io.quorate.client.internal.call;

import io.netty.buffer.ByteBuf;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.KeyValue;
import io.quorate.client.ScanResult;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.internal.topology.TopologySnapshot;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.Limits;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.operation.ScanPage;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A read of as many rows as one response can hold, from the region of the first of them. */
final class ScanRequest implements RegionRequest<ScanResult> {
  private final Guarantee guarantee;
  private final KeyRange range;
  private final ScanOrder order;
  private final Key key;
  private final ReadOptions readOptions;
  private final int rowsMax;
  private final int bytesMax;
  private final int bytes;

  /**
   * @throws InvalidRequestException if {@code rowsMax} is below 1, or a key of the range is too
   *     long
   */
  ScanRequest(ReadOptions readOptions, KeyRange range, ScanOrder order, int rowsMax, int bytesMax) {
    if (rowsMax < 1) {
      throw new InvalidRequestException(
          "A scan requests at least 1 row; this one requests " + rowsMax + ".");
    }
    requireShort(range.start());
    range.end().ifPresent(ScanRequest::requireShort);
    this.readOptions = readOptions;
    this.guarantee = readOptions.guarantee();
    this.range = range;
    this.order = order;
    this.key = order.firstKey(range);
    this.rowsMax = rowsMax;
    this.bytesMax = bytesMax;
    // The sent part of the range may end where the region does, at a key of any valid length.
    this.bytes =
        DataFrames.size(new DataFrames.Scan(guarantee, range, rowsMax, bytesMax))
            + Integer.BYTES
            + Limits.KEY_BYTES_MAX;
  }

  private static void requireShort(Key key) {
    if (key.size() > Limits.KEY_BYTES_MAX) {
      throw new InvalidRequestException(
          "A key has at most " + Limits.KEY_BYTES_MAX + " bytes; this one has " + key.size() + ".");
    }
  }

  @Override
  public Opcode opcode() {
    return switch (order) {
      case FORWARD -> Opcode.SCAN;
      case REVERSE -> Opcode.SCAN_REVERSE;
    };
  }

  @Override
  public boolean isWrite() {
    return false;
  }

  @Override
  public Key key() {
    return key;
  }

  @Override
  public void requireWithin(TopologySnapshot topology, RegionDescriptor region) {
    // The next page continues beyond the region.
    readOptions.requireSupported(topology);
  }

  @Override
  public boolean isForReplicas(TopologySnapshot topology) {
    return topology.reads().byReplicas();
  }

  @Override
  public int bodyBytes() {
    return bytes;
  }

  /** What the response has, unless its first row alone is larger. */
  @Override
  public long costBytes() {
    return bytesMax;
  }

  @Override
  public long waitingBytes() {
    return bytes;
  }

  @Override
  public void writeBody(ByteBuf to, RegionDescriptor region) {
    KeyRange part = range.intersect(region.range());
    DataFrames.writeScan(to, new DataFrames.Scan(guarantee, part, rowsMax, bytesMax));
  }

  @Override
  public ScanResult read(ByteBuf body, RegionDescriptor region) {
    Position position = DataFrames.readPosition(body);
    ScanPage page = DataFrames.readPage(body);
    List<KeyValue> rows = new ArrayList<>(page.rows().size());
    for (ScanPage.Row row : page.rows()) {
      rows.add(new KeyValue(row.key().bytes(), row.value().array()));
    }
    return new ScanResult(rows, page.continueAt().or(() -> boundBeyond(region)), position);
  }

  /** Where the scan continues after a region; empty if the range ends within the region. */
  private Optional<Key> boundBeyond(RegionDescriptor region) {
    return switch (order) {
      case FORWARD -> region.range().end().filter(range::isBeforeEnd);
      case REVERSE ->
          Optional.of(region.range().start()).filter(start -> start.compareTo(range.start()) > 0);
    };
  }
}
