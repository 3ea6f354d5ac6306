package io.quorate.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OpcodeTest {
  @ParameterizedTest
  @EnumSource
  void aCodeStandsForItsOpcode(Opcode opcode) {
    assertThat(Opcode.of(opcode.code())).contains(opcode);
  }

  @Test
  void otherCodesStandForNothing() {
    assertThat(Opcode.of(0)).isEmpty();
    assertThat(Opcode.of(Opcode.values().length + 1)).isEmpty();
  }
}
