package io.quorate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Role;
import io.quorate.model.Role.Administration;
import io.quorate.model.Role.DataRight;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.PlannedSplit;
import io.quorate.protocol.wire.v1.Region;
import io.quorate.protocol.wire.v1.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class VisibleTopologyTest {
  private static final int ROUNDS = 20_000;
  private static final String LETTERS = "abc";

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  @Test
  void itRoutesWhatIsGrantedAndHasNoOtherBound() {
    for (int round = 0; round < ROUNDS; round++) {
      Topology whole = topology();
      List<Role.Grant> grants = grants();
      Permissions permissions = Permissions.of(List.of(new Role("r", grants, Set.of())));
      Topology shown = VisibleTopology.of(whole, permissions);
      String round1 = "seed " + seed + ", " + grants + " of " + whole;

      assertIsWithoutGap(shown, round1);
      for (Region region : shown.getRegionsList()) {
        Key start = Key.wrap(region.getStart().toByteArray());
        boolean isGranted =
            grants.stream().anyMatch(grant -> KeyRange.ofPrefix(grant.prefix()).contains(start));
        assertThat(start.isEmpty() || isGranted).as(round1).isTrue();
        assertThat(region.hasSplit()).as(round1).isFalse();
      }
      for (int i = 0; i < 20; i++) {
        Key key = key();
        if (grants.stream().anyMatch(grant -> KeyRange.ofPrefix(grant.prefix()).contains(key))) {
          assertThat(regionOf(shown, key)).as(round1).isEqualTo(regionOf(whole, key));
        }
      }
    }
  }

  @Test
  void whoAdministersSeesAll() {
    Topology whole = topology();
    Role role = new Role("r", List.of(), Set.of(Administration.VERIFY));
    Topology shown = VisibleTopology.of(whole, Permissions.of(List.of(role)));
    assertThat(shown.getRegionsList()).isEqualTo(whole.getRegionsList());
    assertThat(shown.getNodes(0).getId()).isEqualTo("n1");
    assertThat(shown.getNodes(0).hasDisk()).isFalse();
    assertThat(VisibleTopology.of(whole, Permissions.EVERYTHING)).isSameAs(whole);
  }

  private static void assertIsWithoutGap(Topology topology, String as) {
    List<Region> regions = topology.getRegionsList();
    assertThat(regions).as(as).isNotEmpty();
    assertThat(regions.get(0).getStart().isEmpty()).as(as).isTrue();
    for (int i = 0; i + 1 < regions.size(); i++) {
      assertThat(regions.get(i).getEnd()).as(as).isEqualTo(regions.get(i + 1).getStart());
    }
    assertThat(regions.get(regions.size() - 1).hasEnd()).as(as).isFalse();
  }

  private static int regionOf(Topology topology, Key key) {
    return topology.getRegionsList().stream()
        .filter(
            region ->
                new KeyRange(
                        Key.wrap(region.getStart().toByteArray()),
                        region.hasEnd()
                            ? Optional.of(Key.wrap(region.getEnd().toByteArray()))
                            : Optional.empty())
                    .contains(key))
        .findFirst()
        .orElseThrow()
        .getId();
  }

  private Topology topology() {
    TreeSet<Key> bounds = new TreeSet<>();
    for (int i = random.nextInt(8); i > 0; i--) {
      bounds.add(key());
    }
    bounds.remove(Key.EMPTY);
    List<Key> starts = new ArrayList<>(bounds);
    starts.add(0, Key.EMPTY);
    Topology.Builder topology =
        Topology.newBuilder()
            .addNodes(Node.newBuilder().setId("n1").setDisk(ByteString.copyFromUtf8("disk")));
    for (int i = 0; i < starts.size(); i++) {
      Region.Builder region =
          Region.newBuilder()
              .setId(i + 1)
              .setStart(ByteString.copyFrom(starts.get(i).bytes()))
              .setSplit(PlannedSplit.newBuilder().setAt(ByteString.copyFromUtf8("secret")));
      if (i + 1 < starts.size()) {
        region.setEnd(ByteString.copyFrom(starts.get(i + 1).bytes()));
      }
      topology.addRegions(region);
    }
    return topology.build();
  }

  private List<Role.Grant> grants() {
    List<Role.Grant> grants = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      DataRight right = DataRight.values()[random.nextInt(DataRight.values().length)];
      grants.add(new Role.Grant(key(), Set.of(right)));
    }
    return grants;
  }

  private Key key() {
    StringBuilder key = new StringBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      key.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return Key.utf8(key.toString());
  }
}
