package io.quorate.torture.fuzz;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.quorate.common.Bytes;
import io.quorate.torture.fuzz.Target.Decoder;
import io.quorate.torture.fuzz.Target.Encoder;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** All decoders of bytes from outside or from disk. */
public final class FuzzTargets {
  private static final List<Target> ALL =
      Stream.of(
              StreamTargets.all(),
              ClientTargets.all(),
              NodeTargets.all(),
              DiskTargets.all(),
              TextTargets.all())
          .flatMap(List::stream)
          .toList();

  private FuzzTargets() {}

  /** All of them, in the order of the documentation. */
  public static List<Target> all() {
    return ALL;
  }

  /** The target with a name; empty if there is none. */
  public static Optional<Target> named(String name) {
    return ALL.stream().filter(target -> target.name().equals(name)).findFirst();
  }

  /** A target whose values are not encoded, or by another side only. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  static Target reads(String name, Decoder decoder, Class<? extends Throwable>... declared) {
    return new Target(name, decoder, Optional.empty(), List.of(declared));
  }

  @SafeVarargs
  @SuppressWarnings("varargs")
  static Target target(
      String name, Decoder decoder, Encoder encoder, Class<? extends Throwable>... declared) {
    return new Target(name, decoder, Optional.of(encoder), List.of(declared));
  }

  /** A decoder of buffers of the JDK. */
  static Decoder buffer(Function<ByteBuffer, Object> decoder) {
    return input -> decoder.apply(ByteBuffer.wrap(input));
  }

  /** A decoder of buffers of Netty. */
  static Decoder netty(Function<ByteBuf, Object> decoder) {
    return input -> decoder.apply(Unpooled.wrappedBuffer(input));
  }

  /** A static method that its package keeps to itself. */
  static Decoder hidden(String type, String method) {
    Hidden decoder = Hidden.of(type, method, ByteBuffer.class);
    return input -> decoder.call(null, ByteBuffer.wrap(input));
  }

  /** An encoder that returns a buffer of the JDK. */
  static <T> Encoder into(Class<T> type, Function<T, ByteBuffer> encoder) {
    return value -> Bytes.of(encoder.apply(type.cast(value)));
  }

  /** An encoder that writes to a buffer of Netty. */
  static <T> Encoder written(Class<T> type, BiConsumer<ByteBuf, T> encoder) {
    return value -> {
      ByteBuf to = Unpooled.buffer();
      encoder.accept(to, type.cast(value));
      return ByteBufUtil.getBytes(to);
    };
  }
}
