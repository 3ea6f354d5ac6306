package org.apache.ratis.server.raftlog.segmented;

import io.quorate.common.DurableEnd;
import io.quorate.common.FillAhead;
import io.quorate.ratis.patches.InPlaceOfRatis;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.ratis.util.function.CheckedBiFunction;
import org.apache.ratis.util.function.CheckedConsumer;

/**
 * Writes a file of a log, with a buffer of its caller. It takes the place of the class of this name
 * in Ratis 3.3.0, which fills files with zeros in long steps ahead of the entries: each byte is
 * then written twice, and the fsync that follows a fill takes a hundred times as long as the
 * others. Here a file is filled in short steps, and only while fsyncs cover few bytes. See ADR
 * 0046. What is durable of a file is recorded beside it before an fsync counts. See ADR 0060.
 *
 * <p>Upstream: not reported. Fails without it: {@code BufferedWriteChannelTest}. Can go when Ratis
 * fills files in steps of which the caller decides the length, and records what is durable.
 *
 * <p>All methods block while the file is written. Not thread-safe.
 */
@InPlaceOfRatis
final class BufferedWriteChannel implements Closeable {
  private static final Pattern OPEN = Pattern.compile("log_inprogress_(\\d+)");

  private final String name;
  private final FileChannel channel;
  private final ByteBuffer buffer;
  private final FillAhead fill;

  /** Empty for a file that is not the newest one of a log. */
  private final Optional<DurableEnd> end;

  private final long segment;

  /** Whether bytes were written since the last fsync that succeeded. */
  private boolean isUnsynced;

  private BufferedWriteChannel(File file, FileChannel channel, ByteBuffer buffer)
      throws IOException {
    this.name = file.getName();
    this.channel = channel;
    this.buffer = buffer;
    Matcher open = OPEN.matcher(name);
    this.segment = open.matches() ? Long.parseLong(open.group(1)) : -1;
    this.end =
        open.matches()
            ? Optional.of(
                DurableEnd.open(file.toPath().toAbsolutePath().getParent(), System::nanoTime))
            : Optional.empty();
    this.fill = new FillAhead(channel, channel.position());
  }

  /**
   * Opens or creates a file.
   *
   * @param append whether to write after the content of the file, which ends with its last entry,
   *     rather than to replace it
   * @param buffer empty, and of the opened file until that is closed
   */
  static BufferedWriteChannel open(File file, boolean append, ByteBuffer buffer)
      throws IOException {
    FileChannel channel =
        FileChannel.open(
            file.toPath(),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    try {
      if (!append) {
        channel.truncate(0);
      }
      channel.position(channel.size());
      BufferedWriteChannel opened = new BufferedWriteChannel(file, channel, buffer);
      if (append) {
        // It was verified and written again before.
        opened.recordDurable();
      }
      return opened;
    } catch (IOException | RuntimeException e) {
      try {
        channel.close();
      } catch (IOException failure) {
        e.addSuppressed(failure);
      }
      throw e;
    }
  }

  int writeBufferPosition() {
    return buffer.position();
  }

  /**
   * Adds bytes to the buffer, which is written to the file before if it has no capacity for them.
   *
   * @param size how many bytes {@code write} adds
   * @throws IOException if the buffer is shorter than that, or the file cannot be written
   */
  void writeToBuffer(int size, CheckedConsumer<ByteBuffer, IOException> write) throws IOException {
    if (size > buffer.capacity()) {
      throw new IOException(
          "A record of " + size + " bytes exceeds the buffer of " + buffer.capacity() + " bytes.");
    }
    if (size > buffer.remaining()) {
      writeBuffer();
    }
    int end = buffer.position() + size;
    write.accept(buffer);
    if (buffer.position() != end) {
      throw new IllegalStateException(
          "A record ends at " + buffer.position() + " in the buffer instead of at " + end + ".");
    }
  }

  /** Writes bytes while the buffer is empty. */
  void writeToChannel(ByteBuffer bytes) throws IOException {
    if (buffer.position() != 0) {
      throw new IllegalStateException("The buffer contains bytes that precede these.");
    }
    write(bytes);
  }

  /** Does nothing: {@link #flush} fills the file. */
  void preallocateIfNecessary(
      long size, CheckedBiFunction<FileChannel, Long, Long, IOException> preallocate) {
    // Nothing is allocated before it is known how many bytes an fsync covers.
  }

  /** Makes durable what was written, with that in the buffer. */
  void flush() throws IOException {
    writeBuffer();
    if (isUnsynced) {
      fill.beforeSync(channel.position());
      channel.force(false);
      isUnsynced = false;
      recordDurable();
    }
  }

  private void recordDurable() throws IOException {
    if (end.isPresent()) {
      end.get().reached(segment, channel.position());
    }
  }

  /**
   * As {@link #flush}. Ratis calls it only if a setting allows acknowledgements before the fsync,
   * which is off.
   */
  CompletableFuture<Void> asyncFlush(ExecutorService executor) throws IOException {
    flush();
    return CompletableFuture.completedFuture(null);
  }

  private void writeBuffer() throws IOException {
    buffer.flip();
    write(buffer);
    buffer.clear();
  }

  private void write(ByteBuffer bytes) throws IOException {
    isUnsynced |= bytes.hasRemaining();
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  /**
   * Closes the file, which ends with its last entry then; bytes that are only in the buffer are not
   * written. After a crash zeros may follow the entries.
   */
  @Override
  public void close() throws IOException {
    if (!channel.isOpen()) {
      return;
    }
    try (channel) {
      if (end.isPresent()) {
        try (DurableEnd closing = end.get()) {
          closing.release();
        }
      }
      channel.truncate(channel.position());
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
