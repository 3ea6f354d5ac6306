package io.quorate.torture.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kept inputs of each decoder, and mutations of them. */
class TargetsTest {
  private static final int MUTATIONS = 1000;

  /** Each one that is answered costs two keys and a signature. */
  private static final int HANDSHAKES = 100;

  static List<String> names() {
    return FuzzTargets.all().stream().map(Target::name).toList();
  }

  @ParameterizedTest
  @MethodSource("names")
  void keptInputsAndMutationsBreakNoRule(String name) {
    Target target = FuzzTargets.named(name).orElseThrow();
    List<byte[]> corpus = Corpus.of(name);
    corpus.forEach(target::check);
    long seed = System.nanoTime();
    Mutations mutations = new Mutations(corpus, seed);
    for (int i = 0; i < (name.equals("tls-handshake") ? HANDSHAKES : MUTATIONS); i++) {
      byte[] input = mutations.next();
      assertThat(target).as("seed %d, input %d", seed, i).satisfies(each -> each.check(input));
    }
  }

  /** Otherwise all mutations end at the first field. */
  @ParameterizedTest
  @MethodSource("names")
  void aKeptInputIsDecoded(String name) {
    Target target = FuzzTargets.named(name).orElseThrow();
    assertThat(Corpus.of(name)).anyMatch(target::check);
  }

  @Test
  void aNameIsThatOfOneTarget() {
    assertThat(names()).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aBrokenRuleIsFound(int rule) {
    List<Target.Decoder> decoders =
        List.of(
            input -> input[0],
            input -> new byte[1 << 20],
            input -> input.length == 0 ? new byte[1] : new byte[2]);
    Target target =
        new Target("broken", decoders.get(rule), Optional.of(value -> (byte[]) value), List.of());
    assertThatThrownBy(() -> target.check(new byte[0]))
        .isInstanceOf(Target.Violation.class)
        .hasMessageContaining("broken");
  }
}
