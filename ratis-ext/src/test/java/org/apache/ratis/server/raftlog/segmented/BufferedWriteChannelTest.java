package org.apache.ratis.server.raftlog.segmented;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.FillAhead;
import io.quorate.ratis.RatisEngineProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BufferedWriteChannelTest {
  private static final int BUFFER_BYTES = 16;

  @TempDir private Path directory;

  @Test
  void ratisUsesTheClassOfThisModule() {
    assertThat(BufferedWriteChannel.class.getProtectionDomain().getCodeSource().getLocation())
        .isEqualTo(RatisEngineProvider.class.getProtectionDomain().getCodeSource().getLocation());
  }

  @Test
  void aFileOfALogEndsWhereItsEntriesEndWhenItIsClosed() throws IOException {
    Path file = directory.resolve("log_inprogress_0");
    LogEntryProto entry =
        LogEntryProto.newBuilder()
            .setStateMachineLogEntry(
                StateMachineLogEntryProto.newBuilder()
                    .setLogData(ByteString.copyFrom(new byte[8 << 10])))
            .build();
    int framing = 2 + Integer.BYTES;
    int length = entry.getSerializedSize() + framing;
    int entries = FillAhead.STEP_BYTES / length + 1;
    int end = SegmentedRaftLogFormat.getHeaderLength() + entries * length;
    try (SegmentedRaftLogOutputStream log =
        new SegmentedRaftLogOutputStream(
            file.toFile(), false, 1 << 20, 1 << 19, ByteBuffer.allocateDirect(16 << 10))) {
      for (int i = 0; i < entries; i++) {
        log.write(entry);
        log.flush();
      }
      assertThat(file).hasSize(end + FillAhead.STEP_BYTES);
    }
    assertThat(file).hasSize(end);
  }

  @Test
  void aFileThatIsClosedTwiceIsCutOnce() throws IOException {
    Path file = directory.resolve("file");
    BufferedWriteChannel channel = open(file, false);
    write(channel, "one");
    channel.flush();
    channel.close();
    Files.writeString(file, "one and two");
    channel.close();
    assertThat(file).content().isEqualTo("one and two");
  }

  @Test
  void recordsAreInTheirOrderWhetherOrNotTheyFitTogetherIntoTheBuffer() throws IOException {
    Path file = directory.resolve("file");
    try (BufferedWriteChannel channel = open(file, false)) {
      channel.writeToChannel(bytes("head "));
      write(channel, "one ");
      assertThat(file).content().isEqualTo("head ");
      assertThat(channel.writeBufferPosition()).isEqualTo("one ".length());
      write(channel, "two and three ");
      assertThat(file).content().isEqualTo("head one ");
      channel.flush();
    }
    assertThat(file).content().isEqualTo("head one two and three ");
    try (BufferedWriteChannel channel = open(file, true)) {
      write(channel, "four");
      channel.flush();
    }
    assertThat(file).content().isEqualTo("head one two and three four");
    open(file, false).close();
    assertThat(file).isEmptyFile();
  }

  @Test
  void aRecordThatIsLongerThanTheBufferIsRejectedWithoutAnEffect() throws IOException {
    Path file = directory.resolve("file");
    try (BufferedWriteChannel channel = open(file, false)) {
      assertThatThrownBy(() -> write(channel, "x".repeat(BUFFER_BYTES + 1)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("17 bytes");
      write(channel, "next");
      channel.flush();
    }
    assertThat(file).content().isEqualTo("next");
  }

  private static BufferedWriteChannel open(Path file, boolean append) throws IOException {
    return BufferedWriteChannel.open(
        file.toFile(), append, ByteBuffer.allocateDirect(BUFFER_BYTES));
  }

  private static void write(BufferedWriteChannel channel, String record) throws IOException {
    channel.writeToBuffer(record.length(), buffer -> buffer.put(bytes(record)));
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }
}
