package io.quorate.client;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Opcode;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.Position;
import io.quorate.operation.Limits;
import io.quorate.operation.ScanPage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A read of as many rows as one answer holds, from the region where the range starts. */
final class ScanRequest implements Request<ScanResult> {
  private final Guarantee guarantee;
  private final KeyRange range;
  private final ReadNeeds needs;
  private final int rowsMax;
  private final int bytesMax;
  private final int bytes;

  /**
   * @throws InvalidRequestException if no row is asked for, or a key of the range is too long
   */
  ScanRequest(ReadNeeds needs, KeyRange range, int rowsMax, int bytesMax) {
    if (rowsMax < 1) {
      throw new InvalidRequestException(
          "A scan asks for at least 1 row; this one asks for " + rowsMax + ".");
    }
    requireShort(range.start());
    range.end().ifPresent(ScanRequest::requireShort);
    this.needs = needs;
    this.guarantee = needs.guarantee();
    this.range = range;
    this.rowsMax = rowsMax;
    this.bytesMax = bytesMax;
    // The part of the range that is sent may end where a region does, at any key there can be.
    this.bytes =
        DataFrames.size(new DataFrames.Scan(guarantee, range, rowsMax, bytesMax))
            + Integer.BYTES
            + Limits.KEY_BYTES_MOST;
  }

  private static void requireShort(Key key) {
    if (key.size() > Limits.KEY_BYTES_MOST) {
      throw new InvalidRequestException(
          "A key has at most "
              + Limits.KEY_BYTES_MOST
              + " bytes; this one has "
              + key.size()
              + ".");
    }
  }

  @Override
  public Opcode opcode() {
    return Opcode.SCAN;
  }

  @Override
  public CallReport.Kind kind() {
    return CallReport.Kind.SCAN;
  }

  @Override
  public Key key() {
    return range.start();
  }

  @Override
  public void requireWithin(ClusterMap map, RegionDescriptor region) {
    // What lies beyond the region is left to the next page.
    needs.requireMet(map);
  }

  @Override
  public boolean isForReplicas(ClusterMap map) {
    return map.reads().byReplicas();
  }

  @Override
  public int bodyBytes() {
    return bytes;
  }

  @Override
  public long costBytes() {
    return bytesMax;
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
    Optional<Key> beyond = region.range().end().filter(range::isBeforeEnd);
    return new ScanResult(rows, page.continueAt().or(() -> beyond).map(Key::bytes), position);
  }
}
