package io.quorate.torture.fuzz;

import static io.quorate.torture.fuzz.FuzzTargets.reads;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.quorate.common.Budget;
import io.quorate.consensus.EngineSettings;
import io.quorate.protocol.frame.CheckedFrame;
import io.quorate.protocol.frame.FrameChecksum;
import io.quorate.protocol.tls.Tls;
import io.quorate.protocol.wire.FrameDecoder;
import io.quorate.protocol.wire.Frames;
import io.quorate.protocol.wire.Preamble;
import io.quorate.replication.transport.TransportSettings;
import io.quorate.replication.transport.handshake.PeerFrames;
import io.quorate.server.rpc.request.DecodedFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * What splits the bytes of a connection, in a pipeline of Netty. The first byte of an input says
 * how the others arrive: the lowest bit whether checksums are left as they are, the next whether
 * the handshake of nodes is complete, and the others the length of the parts.
 */
final class StreamTargets {
  private static final int FRAME_BYTES_MAX = 4096;
  private static final int PART_BYTES_MIN = 16;
  private static final Duration PERIOD = Duration.ofSeconds(10);

  private StreamTargets() {}

  static List<Target> all() {
    return List.of(
        reads(
            "client-frame",
            input -> {
              byte[] bytes = arriving(input);
              if (hasChecksums(input)) {
                addChecksums(bytes, 0, Frames.HEADER_BYTES);
              }
              return through(new FrameDecoder(FRAME_BYTES_MAX), input, bytes);
            },
            DecoderException.class),
        reads("request-frame", StreamTargets::requests),
        reads("peer-frame", peers(), DecoderException.class),
        reads("tls-handshake", StreamTargets::handshake, SSLException.class));
  }

  private static byte[] arriving(byte[] input) {
    return Arrays.copyOfRange(input, Math.min(1, input.length), input.length);
  }

  private static boolean hasChecksums(byte[] input) {
    return input.length > 0 && (input[0] & 1) == 0;
  }

  private static int partBytes(byte[] input) {
    return PART_BYTES_MIN * (1 + (input.length == 0 ? 0 : (input[0] & 0xff) >> 2));
  }

  /**
   * Sends bytes through a handler, and closes its channel.
   *
   * @return what the handler has passed on; released
   * @throws Throwable what the handler threw, without the exception of Netty around it
   */
  private static List<Object> through(ChannelHandler handler, byte[] input, byte[] bytes)
      throws Throwable {
    List<Object> passed = new ArrayList<>();
    EmbeddedChannel channel = new EmbeddedChannel(handler);
    try {
      int part = partBytes(input);
      for (int from = 0; from < bytes.length; from += part) {
        channel.writeInbound(
            Unpooled.copiedBuffer(bytes, from, Math.min(part, bytes.length - from)));
      }
    } catch (DecoderException e) {
      throw e.getCause() == null ? e : e.getCause();
    } finally {
      for (Object each = channel.readInbound(); each != null; each = channel.readInbound()) {
        passed.add(each);
        ReferenceCountUtil.release(each);
      }
      channel.finishAndReleaseAll();
    }
    return passed;
  }

  /** Sets the checksums of all frames from an index on that are whole, and of a header after. */
  private static void addChecksums(byte[] bytes, int from, int headerBytes) {
    ByteBuf all = Unpooled.wrappedBuffer(bytes);
    int start = from;
    while (bytes.length - start >= CheckedFrame.PREFIX_BYTES + headerBytes) {
      int header = start + CheckedFrame.PREFIX_BYTES;
      FrameChecksum sum =
          FrameChecksum.ofThisThread().add(all, start, Integer.BYTES).add(all, header, headerBytes);
      all.setInt(start + Integer.BYTES, sum.value());
      int length = all.getInt(start);
      if (length < headerBytes || length > bytes.length - header - FrameChecksum.BYTES) {
        return;
      }
      sum.add(all, header + headerBytes, length - headerBytes);
      all.setInt(header + length, sum.value());
      start = header + length + FrameChecksum.BYTES;
    }
  }

  /** What is counted for frames is not counted any more when they and the connection ended. */
  private static Object requests(byte[] input) throws Throwable {
    byte[] bytes = arriving(input);
    if (hasChecksums(input)) {
      addChecksums(bytes, Preamble.BYTES, Frames.HEADER_BYTES);
    }
    List<Budget> budgets = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      budgets.add(new Budget(8, 2 * FRAME_BYTES_MAX));
    }
    ChannelHandler reader =
        (ChannelHandler)
            Hidden.make(
                "server.rpc.FrameReader",
                FRAME_BYTES_MAX,
                PERIOD,
                Hidden.make("server.rpc.FrameReader$Budgets", budgets.toArray()));
    List<Object> frames = through(reader, input, bytes);
    for (Object frame : frames) {
      if (frame instanceof DecodedFrame.Complete complete) {
        complete.permit().release();
      }
    }
    if (budgets.stream().anyMatch(each -> each.requests() != 0 || each.bytes() != 0)) {
      throw new IllegalStateException("a frame is counted that has ended");
    }
    return frames;
  }

  private static Target.Decoder peers() {
    TransportSettings settings = TransportSettings.from(EngineSettings.defaults("raft"));
    Hidden completed = Hidden.of("replication.transport.PeerFrameReader", "handshakeCompleted");
    return input -> {
      byte[] bytes = arriving(input);
      if (hasChecksums(input)) {
        addChecksums(bytes, addGreetingChecksum(bytes), PeerFrames.HEADER_BYTES);
      }
      ChannelHandler reader =
          (ChannelHandler) Hidden.make("replication.transport.PeerFrameReader", settings);
      if (input.length > 0 && (input[0] & 2) != 0) {
        completed.call(reader);
      }
      return through(reader, input, bytes);
    };
  }

  /**
   * Sets the checksum of the first frame if it is whole; its length includes the checksum.
   *
   * @return where the next frame begins
   */
  private static int addGreetingChecksum(byte[] bytes) {
    ByteBuf all = Unpooled.wrappedBuffer(bytes);
    if (bytes.length < Integer.BYTES) {
      return bytes.length;
    }
    int length = all.getInt(0);
    if (length <= FrameChecksum.BYTES || length > bytes.length - Integer.BYTES) {
      return bytes.length;
    }
    all.setInt(length, FrameChecksum.ofThisThread().add(all, 0, length).value());
    return Integer.BYTES + length;
  }

  /** What a handshake needs, read when there is one: other decoders do without. */
  private static final class Server {
    private static final Tls TLS = tls();

    private Server() {}
  }

  private static Object handshake(byte[] input) throws Throwable {
    return through(new SslHandler(Server.TLS.accepting()), input, arriving(input));
  }

  /** With the last one of the kept certificates. */
  private static Tls tls() {
    List<byte[]> certificates = Corpus.of("certificates");
    byte[] certificate = certificates.get(certificates.size() - 1);
    try {
      Path directory = Files.createTempDirectory("quorate-fuzz");
      List<Path> files =
          List.of(
              Files.write(directory.resolve(Tls.AUTHORITIES), certificate),
              Files.write(directory.resolve(Tls.CERTIFICATE), certificate),
              Files.write(directory.resolve(Tls.KEY), Corpus.of("private-key").get(0)));
      Tls tls = Tls.load(directory);
      for (Path file : files) {
        Files.delete(file);
      }
      Files.delete(directory);
      return tls;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
