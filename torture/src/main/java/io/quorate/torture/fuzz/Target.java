package io.quorate.torture.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A decoder, and what it must fulfil for every input: it throws nothing but what it declares,
 * allocates no more than in proportion to the input, and what it has decoded has an encoding that
 * decodes to the same.
 *
 * @param name as on the command line
 * @param declared what the decoder may throw
 */
public record Target(
    String name,
    Decoder decoder,
    Optional<Encoder> encoder,
    List<Class<? extends Throwable>> declared) {
  /** What an input may allocate whatever its length: an exception with its message, for example. */
  private static final long ALLOCATED_MIN = 512 << 10;

  private static final long ALLOCATED_BY_BYTE = 256;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Decodes an input, and throws what its decoder throws. */
  @FunctionalInterface
  public interface Decoder {
    Object decode(byte[] input) throws Throwable;
  }

  /** Encodes what the decoder has returned. */
  @FunctionalInterface
  public interface Encoder {
    byte[] encode(Object value) throws Throwable;
  }

  /** A decoder has broken a rule. */
  public static final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Violation(String target, byte[] input, String what, Throwable cause) {
      super(
          String.format(
              Locale.ROOT,
              "%s: %s; the input is %s",
              target,
              what,
              HexFormat.of().formatHex(input)),
          cause);
    }
  }

  public Target {
    declared = List.copyOf(declared);
  }

  /**
   * Checks one input. On the thread of the caller; does not block.
   *
   * @return whether it was decoded
   * @throws Violation if the decoder has broken a rule
   */
  public boolean check(byte[] input) {
    long bound = ALLOCATED_MIN + ALLOCATED_BY_BYTE * input.length;
    long allocated = allocatedBy(input);
    if (allocated > bound) {
      // The first input loads classes.
      allocated = allocatedBy(input);
    }
    if (allocated > bound) {
      throw violation(input, allocated + " bytes were allocated, more than " + bound, null);
    }
    Optional<Object> value = decoded(input);
    if (value.isPresent() && encoder.isPresent()) {
      requireSame(input, value.get(), encoder.get());
    }
    return value.isPresent();
  }

  private long allocatedBy(byte[] input) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    decoded(input);
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  private Optional<Object> decoded(byte[] input) {
    try {
      return Optional.of(decoder.decode(input.clone()));
    } catch (Throwable e) {
      if (declared.stream().anyMatch(type -> type.isInstance(e))) {
        return Optional.empty();
      }
      throw violation(input, "it threw " + e, e);
    }
  }

  private void requireSame(byte[] input, Object value, Encoder to) {
    try {
      byte[] encoded = to.encode(value);
      byte[] again = to.encode(decoder.decode(encoded.clone()));
      if (!Arrays.equals(encoded, again)) {
        throw violation(input, value + " is encoded as what is decoded otherwise", null);
      }
    } catch (Violation e) {
      throw e;
    } catch (Throwable e) {
      throw violation(input, value + " was decoded, and its encoding is not: " + e, e);
    }
  }

  private Violation violation(byte[] input, String what, Throwable cause) {
    return new Violation(name, input, what, cause);
  }
}
