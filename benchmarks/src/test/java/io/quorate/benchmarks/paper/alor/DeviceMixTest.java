package io.quorate.benchmarks.paper.alor;

import static io.quorate.benchmarks.paper.alor.DeviceClass.H;
import static io.quorate.benchmarks.paper.alor.DeviceClass.N;
import static io.quorate.benchmarks.paper.alor.DeviceClass.P;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceMixTest {

  @Test
  void theNotationOfThePaperIsParsed() {
    assertThat(DeviceMix.parse("1N2H3P").classes()).containsExactly(N, H, H, P, P, P);
    assertThat(DeviceMix.parse("1H3P").slowest()).isEqualTo(P);
    assertThat(DeviceMix.parse("2N1H").slowest()).isEqualTo(H);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "N", "1N2", "1X", "1N 2H"})
  void anyOtherTextIsRejected(String text) {
    assertThatThrownBy(() -> DeviceMix.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  /** With speeds of 3.4, 2.4 and 1. */
  @ParameterizedTest
  @CsvSource({"2H4P, 1.47", "1N2H3P, 1.87", "2N2H2P, 2.27", "3N2H1P, 2.67", "3P, 1.0"})
  void theCapacityBoundIsTheMeanSpeedOverTheLowest(String mix, double bound) {
    assertThat(MixSummary.capacityBound(DeviceMix.parse(mix))).isCloseTo(bound, within(0.005));
  }
}
