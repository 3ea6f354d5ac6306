package io.quorate.ratis.patches;

import io.quorate.common.DurableEnd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLogOutputStream;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.io.TempDir;

/** Files of a Raft log, as Ratis writes them, and their verification. */
abstract class LogVerifierCase {
  static final int ENTRY_MAX = 1 << 20;
  static final int PREALLOCATED = 8 << 10;
  static final int SECTOR = 512;

  @TempDir Path directory;

  byte value = (byte) 0xd7;

  /** Of the last file. */
  SegmentedRaftLogOutputStream out;

  /** The offset at which each entry ends; the end of the header is at index 0. */
  final List<Integer> ends = new ArrayList<>();

  /** After a power loss the recorded end of what was durable may be an earlier one. */
  void markUpTo(int entries) throws IOException {
    DurableEnd.replace(directory, new DurableEnd.Mark(0, ends.get(entries), true));
  }

  void inspect() throws IOException {
    inspect(0);
  }

  long inspect(long durableIndex) throws IOException {
    return new LogVerifier(ENTRY_MAX).inspect(directory, durableIndex);
  }

  /** Writes a file as a killed process of a former version leaves it: longer than its entries. */
  Path write(String name, long first, int count, int dataBytes) throws IOException {
    Path file = writeEntries(name, first, count, dataBytes);
    int zeros = PREALLOCATED - (int) (Files.size(file) % PREALLOCATED);
    return Files.write(file, new byte[zeros], StandardOpenOption.APPEND);
  }

  Path writeEntries(String name, long first, int count, int dataBytes) throws IOException {
    Path file = directory.resolve(name);
    out =
        new SegmentedRaftLogOutputStream(
            file.toFile(), false, 1 << 20, PREALLOCATED, ByteBuffer.allocateDirect(ENTRY_MAX));
    byte[] data = new byte[dataBytes];
    Arrays.fill(data, value);
    ends.clear();
    ends.add(8);
    for (long index = first; index < first + count; index++) {
      LogEntryProto entry =
          LogEntryProto.newBuilder()
              .setTerm(1)
              .setIndex(index)
              .setStateMachineLogEntry(
                  StateMachineLogEntryProto.newBuilder().setLogData(ByteString.copyFrom(data)))
              .build();
      out.write(entry);
      int size = entry.getSerializedSize();
      ends.add(ends.get(ends.size() - 1) + size + (size < 128 ? 1 : 2) + 4);
    }
    out.flush();
    return file;
  }
}
