package io.quorate.protocol.operation;

import io.quorate.model.Key;
import io.quorate.model.Position;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * What one replica has of a region at one position. The digests of all replicas at a position are
 * equal; if they are not, at least one of them has lost or changed something, or has applied a
 * command differently.
 *
 * @param position of the command that requested it
 * @param parts of the rows, in key order; the first begins with the region
 * @param sessions the hash of the session rows
 * @param hash 128 bits of the parts and the sessions in hexadecimal digits, computed once because
 *     every status has it
 */
public record RegionDigest(Position position, List<Part> parts, String sessions, String hash) {
  /**
   * Consecutive rows.
   *
   * @param start the lowest key; the part ends where the next one begins, or with the region
   * @param rows their number
   * @param hash 128 bits in hexadecimal digits
   */
  public record Part(Key start, long rows, String hash) {}

  public RegionDigest {
    parts = List.copyOf(parts);
  }

  /** A digest with its hash. */
  public static RegionDigest of(Position position, List<Part> parts, String sessions) {
    StringBuilder text = new StringBuilder(sessions);
    for (Part part : parts) {
      text.append('\n').append(HexFormat.of().formatHex(part.start().bytes()));
      text.append(' ').append(part.rows()).append(' ').append(part.hash());
    }
    return new RegionDigest(position, parts, sessions, RowHash.of(text.toString()));
  }

  /**
   * The starts of the parts that differ from those of another digest at the same position; if the
   * parts are not the same ones, that of the first. Empty if the rows are equal.
   */
  public List<Key> differences(RegionDigest other) {
    List<Key> starts = new ArrayList<>();
    boolean isDividedAlike =
        parts.stream()
            .map(Part::start)
            .toList()
            .equals(other.parts().stream().map(Part::start).toList());
    for (int i = 0; i < parts.size(); i++) {
      if (!isDividedAlike || !parts.get(i).equals(other.parts().get(i))) {
        starts.add(parts.get(i).start());
      }
    }
    return isDividedAlike ? starts : List.of(parts.get(0).start());
  }

  /** The key at which the part ends that begins with a key; empty for the last one. */
  public Optional<Key> endOf(Key start) {
    return parts.stream().map(Part::start).filter(next -> next.compareTo(start) > 0).findFirst();
  }
}
