package io.quorate.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class CommandTest {
  private final Command.Source source = new Command.Source("ada");
  private final Command command = new Command(ByteBuffer.allocate(1), source, 7);

  @Test
  void eitherItBeginsOrItIsWithdrawn() {
    assertThat(command.withdraw()).as("before it waits").isFalse();
    command.awaitBegin();
    assertThat(command.withdraw()).isTrue();
    assertThat(command.begin()).isFalse();

    Command other = new Command(ByteBuffer.allocate(1), source, 7);
    other.awaitBegin();
    assertThat(other.begin()).isTrue();
    assertThat(other.withdraw()).isFalse();
  }

  @Test
  void nothingBeginsForASourceThatHasLeft() {
    command.awaitBegin();
    source.leave();
    assertThat(command.begin()).isFalse();
    Command ofAnother = new Command(ByteBuffer.allocate(1), new Command.Source("ada"), 7);
    ofAnother.awaitBegin();
    assertThat(ofAnother.begin()).isTrue();
  }
}
