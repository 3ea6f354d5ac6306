package io.quorate.ratis.log;

import io.quorate.common.DamagedLogException;
import java.io.IOException;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.CodedInputStream;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/** The encoding of entries in the log. */
final class LogEntries {
  private LogEntries() {}

  /**
   * Decodes an entry, whose data then refer to the bytes: these must not change.
   *
   * @throws DamagedLogException if it is not what {@code toByteArray} has made
   */
  static LogEntryProto decode(byte[] bytes) throws IOException {
    CodedInputStream from = UnsafeByteOperations.unsafeWrap(bytes).newCodedInput();
    from.enableAliasing(true);
    try {
      return LogEntryProto.parseFrom(from);
    } catch (InvalidProtocolBufferException e) {
      throw new DamagedLogException("An entry of the log cannot be decoded: " + e.getMessage());
    }
  }
}
