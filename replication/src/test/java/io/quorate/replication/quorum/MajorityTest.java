package io.quorate.replication.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MajorityTest {
  @ParameterizedTest
  @CsvSource({"1,0,false", "1,1,true", "2,1,false", "2,2,true", "3,1,false", "3,2,true"})
  @CsvSource({"4,2,false", "4,3,true", "5,2,false", "5,3,true"})
  void isMoreThanHalfOfTheVoters(int voters, int agreed, boolean reached) {
    List<Integer> all = List.of(1, 2, 3, 4, 5).subList(0, voters);
    Majority<Integer> majority = new Majority<>(all, List.of());
    assertThat(majority.isReachedBy(Set.copyOf(all.subList(0, agreed)))).isEqualTo(reached);
  }

  @Test
  void aMemberThatIsNoVoterDoesNotCount() {
    Majority<String> majority = new Majority<>(List.of("a", "b", "c"), List.of());
    assertThat(majority.isReachedBy(Set.of("a", "x", "y"))).isFalse();
  }

  @Test
  void aConfigurationChangeNeedsBothMajorities() {
    Majority<String> majority = new Majority<>(List.of("a", "d", "e"), List.of("a", "b", "c"));
    assertThat(majority.isReachedBy(Set.of("a", "d", "e"))).isFalse();
    assertThat(majority.isReachedBy(Set.of("a", "b", "c"))).isFalse();
    assertThat(majority.isReachedBy(Set.of("a", "b", "d"))).isTrue();
  }
}
