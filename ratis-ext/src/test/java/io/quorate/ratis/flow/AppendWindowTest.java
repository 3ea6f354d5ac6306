package io.quorate.ratis.flow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AppendWindowTest {
  private final AppendWindow window = new AppendWindow(100);

  /** Entries 8 to 10 in two requests; the follower has acknowledged all entries before. */
  @BeforeEach
  void fill() {
    assertThat(window.isFull(7, 8)).isFalse();
    window.sent(9, 60);
    assertThat(window.isFull(7, 10)).isFalse();
    window.sent(10, 70);
    assertThat(window.isFull(7, 11)).isTrue();
  }

  @Test
  void anAcknowledgementFreesCapacity() {
    assertThat(window.isFull(8, 11)).as("a part of a request").isTrue();
    assertThat(window.isFull(9, 11)).isFalse();
  }

  @Test
  void rejectedRequestsDoNotCount() {
    window.clear();
    assertThat(window.isFull(7, 55)).isFalse();
    window.sent(60, 99);
    assertThat(window.isFull(7, 61)).isFalse();
    window.sent(61, 1);
    assertThat(window.isFull(7, 62)).isTrue();
  }

  @Test
  void entriesToBeSentAgainDoNotCount() {
    assertThat(window.isFull(7, 10)).isFalse();
    window.sent(10, 70);
    assertThat(window.isFull(7, 11)).isTrue();
    assertThat(window.isFull(7, 8)).isFalse();
    window.sent(8, 99);
    assertThat(window.isFull(7, 9)).isFalse();
  }
}
