package io.quorate.benchmarks.peers.etcd;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/** The fields of etcd's messages that a put and a get of one key need. */
final class EtcdMessages {
  private static final int REQUEST_KEY = 1;
  private static final int REQUEST_VALUE = 2;
  private static final int RESPONSE_ROWS = 2;
  private static final int ROW_VALUE = 5;

  private EtcdMessages() {}

  /** A {@code PutRequest}. */
  static byte[] put(byte[] key, byte[] value) {
    byte[] message =
        new byte
            [CodedOutputStream.computeByteArraySize(REQUEST_KEY, key)
                + CodedOutputStream.computeByteArraySize(REQUEST_VALUE, value)];
    try {
      CodedOutputStream out = CodedOutputStream.newInstance(message);
      out.writeByteArray(REQUEST_KEY, key);
      out.writeByteArray(REQUEST_VALUE, value);
      out.checkNoSpaceLeft();
      return message;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A {@code RangeRequest} of one key; it is linearizable, as is the default. */
  static byte[] get(byte[] key) {
    byte[] message = new byte[CodedOutputStream.computeByteArraySize(REQUEST_KEY, key)];
    try {
      CodedOutputStream out = CodedOutputStream.newInstance(message);
      out.writeByteArray(REQUEST_KEY, key);
      out.checkNoSpaceLeft();
      return message;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The value of the first row of a {@code RangeResponse}; empty if there is no row. */
  static Optional<byte[]> value(byte[] rangeResponse) {
    try {
      return field(rangeResponse, RESPONSE_ROWS).map(EtcdMessages::valueOfRow);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An empty value has no field. */
  private static byte[] valueOfRow(byte[] row) {
    try {
      return field(row, ROW_VALUE).orElse(new byte[0]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The first field with this number, which has a length. */
  private static Optional<byte[]> field(byte[] message, int number) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(message);
    int wanted = (number << 3) | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    int tag = in.readTag();
    while (tag != 0 && tag != wanted) {
      in.skipField(tag);
      tag = in.readTag();
    }
    return tag == 0 ? Optional.empty() : Optional.of(in.readByteArray());
  }
}
