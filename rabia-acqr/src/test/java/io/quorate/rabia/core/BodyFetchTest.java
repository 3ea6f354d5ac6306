package io.quorate.rabia.core;

import static io.quorate.rabia.core.VirtualGroup.MILLI;
import static io.quorate.rabia.core.VirtualGroup.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.rabia.core.Settings.Bounds;
import io.quorate.rabia.core.Settings.Policy;
import io.quorate.rabia.core.Settings.Timing;
import io.quorate.rabia.protocol.Message;
import org.junit.jupiter.api.Test;

/** Bodies are sent over a slow link about once, not once in every tick. */
class BodyFetchTest {
  private static final int BATCHES = 200;

  private final VirtualGroup group =
      new VirtualGroup(3, new Settings(Policy.OWNED, 1024, Timing.DEFAULT, Bounds.DEFAULT));

  private static boolean isBody(Message message) {
    return message instanceof Message.Content || message instanceof Message.FetchedBody;
  }

  private int bodies() {
    return group.sent(Message.Content.class) + group.sent(Message.FetchedBody.class);
  }

  @Test
  void fromAnOwnerWithASlowLink() {
    group.node(2).crash();
    group.setLink((from, to, message) -> isBody(message) ? 100 * MILLI : 0);
    group.offer(SECOND, 10 * MILLI, 0, 1);
    group.run(3 * SECOND);

    assertThat(group.node(0).executedBatches()).isEqualTo(BATCHES);
    // Each body has two receivers; some content is repeated before the delay is known.
    assertThat(bodies()).isLessThan(2 * BATCHES * 5 / 4);
  }

  @Test
  void toAReplicaThatReceivesAllBodiesLate() {
    group.setLink((from, to, message) -> isBody(message) && to == 2 ? 100 * MILLI : 0);
    group.offer(SECOND, 10 * MILLI, 0, 1);
    group.run(3 * SECOND);

    assertThat(group.node(2).executedBatches()).isEqualTo(BATCHES);
    assertThat(bodies()).isLessThan(2 * BATCHES * 5 / 4);
  }
}
