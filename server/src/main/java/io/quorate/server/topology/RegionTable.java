package io.quorate.server.topology;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Every region with data. Together they cover every key once. Immutable. */
public final class RegionTable {
  private final List<RegionAssignment> regions;
  private final NavigableMap<Key, RegionAssignment> byStart = new TreeMap<>();
  private final Map<GroupId, RegionAssignment> byId = new HashMap<>();

  /**
   * @param regions in any order
   * @throws IllegalArgumentException if a key is in no region or in two, or an id is used twice
   */
  public RegionTable(List<RegionAssignment> regions) {
    List<RegionAssignment> ordered = new ArrayList<>(regions);
    ordered.sort(Comparator.comparing(region -> region.range().start()));
    this.regions = List.copyOf(ordered);
    Optional<Key> expected = Optional.of(Key.EMPTY);
    for (RegionAssignment region : ordered) {
      if (!Optional.of(region.range().start()).equals(expected) || region.range().isEmpty()) {
        throw new IllegalArgumentException(
            "Regions cover every key once: region "
                + region.id()
                + " is "
                + region.range()
                + " where a region must start at "
                + expected.map(Key::toString).orElse("nowhere"));
      }
      if (region.id().equals(RegionAssignment.METADATA) || byId.containsKey(region.id())) {
        throw new IllegalArgumentException(
            "Region ids are 1 or greater and used once: " + region.id());
      }
      byStart.put(region.range().start(), region);
      byId.put(region.id(), region);
      expected = region.range().end();
    }
    if (ordered.isEmpty() || expected.isPresent()) {
      throw new IllegalArgumentException(
          "Regions cover every key once: none has the keys from "
              + expected.map(Key::toString).orElse("the beginning"));
    }
  }

  /** The table with another description of one of its regions. */
  public RegionTable with(RegionAssignment changed) {
    return new RegionTable(
        regions.stream().map(each -> each.id().equals(changed.id()) ? changed : each).toList());
  }

  /**
   * The table after planned splits.
   *
   * @param children the regions that begin by them; those that no split is planned for are ignored
   */
  public RegionTable divided(Set<GroupId> children) {
    return new RegionTable(
        regions.stream()
            .flatMap(
                each ->
                    each.split().map(PlannedSplit::child).filter(children::contains).isPresent()
                        ? Stream.of(each.divided(), each.child())
                        : Stream.of(each))
            .toList());
  }

  /**
   * The table after planned merges.
   *
   * @param merges their numbers; those that are not planned are ignored
   */
  public RegionTable merged(Set<GroupId> merges) {
    return new RegionTable(
        regions.stream()
            .flatMap(
                each -> {
                  Optional<PlannedMerge> done =
                      each.merge().filter(planned -> merges.contains(planned.number()));
                  if (done.isEmpty()) {
                    return Stream.of(each);
                  }
                  return each.isToBeAbsorbed()
                      ? Stream.empty()
                      : Stream.of(each.merged(byId.get(done.get().absorbed())));
                })
            .toList());
  }

  /** In key order. */
  public List<RegionAssignment> regions() {
    return regions;
  }

  public Optional<RegionAssignment> byId(GroupId id) {
    return Optional.ofNullable(byId.get(id));
  }

  /** The region that contains the key. */
  public RegionAssignment byKey(Key key) {
    return byStart.floorEntry(key).getValue();
  }

  /**
   * The region with the keys immediately below those of another one.
   *
   * @throws java.util.NoSuchElementException if that is the first region
   */
  public RegionAssignment before(RegionAssignment region) {
    return Optional.ofNullable(byStart.lowerEntry(region.range().start())).orElseThrow().getValue();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RegionTable table && table.regions.equals(regions);
  }

  @Override
  public int hashCode() {
    return regions.hashCode();
  }

  @Override
  public String toString() {
    return "RegionTable" + regions;
  }
}
