package io.quorate.ratis.hibernation;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemberNamesTest {
  private static final NodeId FIRST = new NodeId("n1");
  private static final NodeId SECOND = new NodeId("n2");

  /** Equal requests have equal bytes. */
  @Test
  void theOrderInWhichMembersWereAddedDoesNotMatter() {
    assertThat(MemberNames.encode(List.of(SECOND, FIRST)))
        .isEqualTo(MemberNames.encode(List.of(FIRST, SECOND)));
  }
}
