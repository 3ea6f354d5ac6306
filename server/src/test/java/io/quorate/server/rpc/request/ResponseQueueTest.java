package io.quorate.server.rpc.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ResponseQueueTest {
  private static final int HIGH = 256 << 10;
  private static final int LONG = 10 << 20;

  private final AtomicInteger written = new AtomicInteger();
  private final Unread unread = new Unread();
  private final EmbeddedChannel channel = new EmbeddedChannel(unread);
  private final ResponseQueue responses = new ResponseQueue(channel);

  /** A client that reads nothing until it is told to: flushes wait. */
  private static final class Unread extends ChannelOutboundHandlerAdapter {
    boolean reads;
    long writtenBytes;

    @Override
    public void write(ChannelHandlerContext context, Object frame, ChannelPromise promise) {
      writtenBytes += ((ByteBuf) frame).readableBytes();
      context.write(frame, promise);
    }

    @Override
    public void flush(ChannelHandlerContext context) {
      if (reads) {
        context.flush();
      }
    }
  }

  private ByteBuf send(int bytes) {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    responses.send(Unpooled.wrappedBuffer(content), written::incrementAndGet);
    channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(HIGH / 2, HIGH));
    return Unpooled.wrappedBuffer(content);
  }

  private ByteBuf received() {
    ByteBuf all = Unpooled.buffer();
    for (ByteBuf piece = channel.readOutbound(); piece != null; piece = channel.readOutbound()) {
      all.writeBytes(piece);
      piece.release();
    }
    return all;
  }

  @Test
  void aLongFrameIsWrittenAsTheClientReads() {
    ByteBuf first = send(LONG);
    ByteBuf second = send(100);
    channel.runPendingTasks();
    assertThat(unread.writtenBytes).as("not all of it").isBetween(1L, 2L * HIGH);
    assertThat(written).hasValue(0);

    unread.reads = true;
    ByteBuf all = Unpooled.buffer();
    while (written.get() < 2) {
      channel.flush();
      responses.resume();
      channel.runPendingTasks();
      all.writeBytes(received());
    }
    assertThat(all).isEqualTo(Unpooled.wrappedBuffer(first, second));
  }

  @Test
  void theRestOfAFrameIsDroppedWhenTheConnectionCloses() {
    ByteBuf frame = Unpooled.buffer(LONG).writeZero(LONG);
    responses.send(frame, written::incrementAndGet);
    send(100);
    channel.runPendingTasks();
    assertThat(written).hasValue(0);
    channel.close();
    responses.resume();
    channel.runPendingTasks();
    assertThat(written).as("both frames are over").hasValue(2);
    assertThat(frame.refCnt()).isZero();
  }
}
