package io.quorate.replication.erasure;

import com.backblaze.erasure.Galois;
import com.backblaze.erasure.Matrix;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The layout of fragments, and the coefficients by which they follow from each other. Subclasses
 * differ in how they multiply.
 *
 * <p>Row i of the matrix has the coefficients of fragment i over the data fragments. It is a
 * Vandermonde matrix times the inverse of its upper square, as in Backblaze's coder: the upper rows
 * are then the identity, and any square of rows is still invertible.
 */
abstract class SystematicCode implements ErasureCode {
  private final CodeShape shape;
  private final Matrix matrix;
  private final byte[][] parityRows;

  SystematicCode(CodeShape shape) {
    this.shape = shape;
    this.matrix = matrix(shape);
    this.parityRows =
        IntStream.range(shape.dataFragments(), shape.fragments())
            .mapToObj(matrix::getRow)
            .toArray(byte[][]::new);
  }

  private static Matrix matrix(CodeShape shape) {
    int columns = shape.dataFragments();
    Matrix vandermonde = new Matrix(shape.fragments(), columns);
    for (int row = 0; row < shape.fragments(); row++) {
      for (int column = 0; column < columns; column++) {
        vandermonde.set(row, column, Galois.exp((byte) row, column));
      }
    }
    return vandermonde.times(vandermonde.submatrix(0, 0, columns, columns).invert());
  }

  /**
   * Computes each output as the sum of the inputs, each multiplied by a coefficient.
   *
   * @param rows the coefficients: {@code rows[o][i]} is that of input i in output o
   * @param inputs at least one; those shorter than an output are as if zeros followed; not moved
   * @param outputs at least one; filled with zeros, backed by accessible arrays; not moved
   */
  abstract void combine(byte[][] rows, List<ByteBuffer> inputs, List<ByteBuffer> outputs);

  @Override
  public final CodeShape shape() {
    return shape;
  }

  @Override
  public final List<Fragment> encode(ByteBuffer value) {
    int fragmentBytes = shape.fragmentBytes(value.remaining());
    List<ByteBuffer> contents = new ArrayList<>(shape.fragments());
    for (int i = 0; i < shape.dataFragments(); i++) {
      contents.add(part(value.slice(), i, fragmentBytes));
    }
    contents.addAll(parity(contents, fragmentBytes));
    return IntStream.range(0, contents.size())
        .mapToObj(i -> new Fragment(i, contents.get(i)))
        .toList();
  }

  private List<ByteBuffer> parity(List<ByteBuffer> data, int fragmentBytes) {
    if (isReplication()) {
      return Stream.generate(() -> data.get(0)).limit(shape.parityFragments()).toList();
    }
    List<ByteBuffer> parity =
        Stream.generate(() -> ByteBuffer.allocate(fragmentBytes))
            .limit(shape.parityFragments())
            .toList();
    if (!parity.isEmpty()) {
      combine(parityRows, data, parity);
    }
    return parity;
  }

  /** Whether all coefficients are 1: the only column of a Vandermonde matrix. */
  private boolean isReplication() {
    return shape.dataFragments() == 1;
  }

  /** The bytes of a value, from position 0 on, that are in a data fragment. */
  private static ByteBuffer part(ByteBuffer value, int index, int fragmentBytes) {
    int start = (int) Math.min((long) index * fragmentBytes, value.limit());
    return value.slice(start, Math.min(fragmentBytes, value.limit() - start));
  }

  @Override
  public final ByteBuffer decode(Collection<Fragment> fragments, int valueBytes) {
    int fragmentBytes = shape.fragmentBytes(valueBytes);
    SortedMap<Integer, ByteBuffer> chosen = choose(fragments, valueBytes);
    if (isReplication()) {
      return chosen.get(chosen.firstKey());
    }
    ByteBuffer value = ByteBuffer.allocate(valueBytes);
    List<Integer> missing = new ArrayList<>();
    List<ByteBuffer> missingParts = new ArrayList<>();
    for (int i = 0; i < shape.dataFragments(); i++) {
      ByteBuffer part = part(value, i, fragmentBytes);
      if (chosen.containsKey(i)) {
        part.put(chosen.get(i).duplicate());
      } else if (part.hasRemaining()) {
        missing.add(i);
        missingParts.add(part);
      }
    }
    restore(missing, missingParts, chosen);
    return value;
  }

  @Override
  public final Fragment reconstruct(Collection<Fragment> fragments, int index, int valueBytes) {
    requireIndex(index);
    SortedMap<Integer, ByteBuffer> chosen = choose(fragments, valueBytes);
    if (isReplication()) {
      return new Fragment(index, chosen.get(chosen.firstKey()));
    }
    if (chosen.containsKey(index)) {
      return new Fragment(index, chosen.get(index));
    }
    ByteBuffer content = ByteBuffer.allocate(shape.fragmentBytes(valueBytes, index));
    restore(List.of(index), List.of(content), chosen);
    return new Fragment(index, content);
  }

  /** As many different fragments as a value needs, by index, of the lengths that the code gives. */
  private SortedMap<Integer, ByteBuffer> choose(Collection<Fragment> fragments, int valueBytes) {
    SortedMap<Integer, ByteBuffer> chosen = new TreeMap<>();
    for (Fragment fragment : fragments) {
      requireIndex(fragment.index());
      chosen.putIfAbsent(fragment.index(), fragment.bytes());
    }
    if (chosen.size() < shape.dataFragments()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "A value in a code %s needs %d different fragments, not %d",
              shape,
              shape.dataFragments(),
              chosen.size()));
    }
    while (chosen.size() > shape.dataFragments()) {
      chosen.remove(chosen.lastKey());
    }
    chosen.forEach((index, content) -> requireLength(index, content.remaining(), valueBytes));
    return chosen;
  }

  private void requireLength(int index, int length, int valueBytes) {
    int expected = shape.fragmentBytes(valueBytes, index);
    if (length != expected) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "Fragment %d of a value of %d bytes in a code %s has %d bytes, not %d",
              index,
              valueBytes,
              shape,
              expected,
              length));
    }
  }

  private void requireIndex(int index) {
    if (index < 0 || index >= shape.fragments()) {
      throw new IllegalArgumentException("A code " + shape + " has no fragment " + index);
    }
  }

  /** Computes fragments, or their beginnings, from others. */
  private void restore(
      List<Integer> indexes, List<ByteBuffer> outputs, SortedMap<Integer, ByteBuffer> chosen) {
    if (outputs.stream().noneMatch(ByteBuffer::hasRemaining)) {
      return;
    }
    Matrix fromData = rows(chosen.keySet());
    Matrix fromChosen = rows(indexes).times(fromData.invert());
    byte[][] rows =
        IntStream.range(0, indexes.size()).mapToObj(fromChosen::getRow).toArray(byte[][]::new);
    combine(rows, List.copyOf(chosen.values()), outputs);
  }

  private Matrix rows(Collection<Integer> indexes) {
    return new Matrix(indexes.stream().map(matrix::getRow).toArray(byte[][]::new));
  }
}
