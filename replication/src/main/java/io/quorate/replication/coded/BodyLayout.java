package io.quorate.replication.coded;

import io.quorate.common.DecodeException;
import io.quorate.consensus.BodyReference;
import io.quorate.model.NodeId;
import io.quorate.replication.erasure.CodeShape;
import io.quorate.replication.erasure.CodedValueHeader;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * How a body is restored: its code, its checksums, and which node was sent which fragment. Integers
 * are encoded big-endian; the length of the body is not part of it:
 *
 * <pre>
 * layout   := version(u8) k(u8) m(u8) value-checksum(i32) fragment{k + m} checksum(i32)
 * fragment := checksum(i32) node-length(u8) node(ASCII)
 * </pre>
 *
 * @param nodes the node of each fragment, by index
 */
record BodyLayout(CodedValueHeader header, List<NodeId> nodes) {
  private static final byte VERSION = 1;

  private static final int FIXED_BYTES = 3 + 2 * Integer.BYTES;

  /**
   * @throws IllegalArgumentException if the number of nodes is not that of the fragments
   */
  BodyLayout {
    nodes = List.copyOf(nodes);
    if (nodes.size() != header.shape().fragments()) {
      throw new IllegalArgumentException(
          "A body in a code " + header.shape() + " is not on " + nodes.size() + " nodes.");
    }
  }

  ByteBuffer encode() {
    List<byte[]> names =
        nodes.stream().map(node -> node.value().getBytes(StandardCharsets.US_ASCII)).toList();
    int size = FIXED_BYTES + names.stream().mapToInt(name -> Integer.BYTES + 1 + name.length).sum();
    CodeShape shape = header.shape();
    ByteBuffer to = ByteBuffer.allocate(size);
    to.put(VERSION).put((byte) shape.dataFragments()).put((byte) shape.parityFragments());
    to.putInt(header.valueChecksum());
    for (int i = 0; i < names.size(); i++) {
      to.putInt(header.fragmentChecksums().get(i));
      to.put((byte) names.get(i).length).put(names.get(i));
    }
    return to.putInt(checksum(to.slice(0, to.position()))).flip();
  }

  /**
   * Decodes the layout of a reference.
   *
   * @throws DecodeException if it is incomplete, of another version, or not what was encoded
   */
  static BodyLayout of(BodyReference reference) {
    ByteBuffer from = reference.layout();
    try {
      byte version = from.get();
      if (version != VERSION) {
        throw new DecodeException("The layout of a body has the unknown version " + version + ".");
      }
      int checked = from.limit() - Integer.BYTES;
      if (checked < 0 || checksum(from.slice(0, checked)) != from.getInt(checked)) {
        throw new DecodeException("The layout of a body does not match its checksum.");
      }
      return decode(from.limit(checked), reference.length());
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new DecodeException("The layout of a body is incomplete or invalid.");
    }
  }

  private static BodyLayout decode(ByteBuffer from, int valueBytes) {
    CodeShape shape = new CodeShape(Byte.toUnsignedInt(from.get()), Byte.toUnsignedInt(from.get()));
    int valueChecksum = from.getInt();
    List<Integer> checksums = new ArrayList<>();
    List<NodeId> nodes = new ArrayList<>();
    for (int i = 0; i < shape.fragments(); i++) {
      checksums.add(from.getInt());
      byte[] name = new byte[Byte.toUnsignedInt(from.get())];
      from.get(name);
      nodes.add(new NodeId(new String(name, StandardCharsets.US_ASCII)));
    }
    if (from.hasRemaining()) {
      throw new DecodeException("The layout of a body has bytes beyond its end.");
    }
    return new BodyLayout(new CodedValueHeader(shape, valueBytes, valueChecksum, checksums), nodes);
  }

  private static int checksum(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}
