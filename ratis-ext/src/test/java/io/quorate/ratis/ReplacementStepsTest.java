package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReplacementStepsTest {
  private static final NodeId C = new NodeId("C");

  @Test
  void aMemberThatRespondsIsRemovedAfterTheAddition() {
    assertThat(ReplacementSteps.of(nodes("A B C"), nodes("A B D"), C::equals))
        .containsExactly(nodes("A B C D"), nodes("A B D"));
  }

  @Test
  void aSilentMemberIsRemovedFirst() {
    assertThat(ReplacementSteps.of(nodes("A B C"), nodes("D A B"), node -> !node.equals(C)))
        .containsExactly(nodes("A B"), nodes("D A B"));
  }

  @Test
  void anAdditionOrARemovalIsOneStep() {
    assertThat(ReplacementSteps.of(nodes("A B"), nodes("A B D"), node -> true))
        .containsExactly(nodes("A B D"));
    assertThat(ReplacementSteps.of(nodes("A B C D"), nodes("A B D"), node -> true))
        .containsExactly(nodes("A B D"));
    assertThat(ReplacementSteps.of(nodes("A B D"), nodes("D B A"), node -> true))
        .containsExactly(nodes("D B A"));
  }

  private static List<NodeId> nodes(String names) {
    return Stream.of(names.split(" ")).map(NodeId::new).toList();
  }
}
