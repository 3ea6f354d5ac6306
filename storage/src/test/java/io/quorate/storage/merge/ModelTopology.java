package io.quorate.storage.merge;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The regions as region 0 stores them, with what is planned. Immutable.
 *
 * @param regions in key order
 */
record ModelTopology(int version, List<Region> regions) {
  /** What is planned for a region; one at a time. */
  sealed interface Plan {
    GroupId number();

    /** The number is the id of the child. */
    record Split(Key at, GroupId number) implements Plan {}

    /** Planned for both regions. */
    record Merge(GroupId number, GroupId absorbed, GroupId into) implements Plan {}
  }

  /** The assignment of a region. */
  record Region(GroupId id, KeyRange range, GroupId newestChange, Optional<Plan> plan) {
    private Region with(Plan planned) {
      return new Region(id, range, newestChange, Optional.of(planned));
    }

    private Region stable(KeyRange keys, GroupId newest) {
      return new Region(id, keys, newest, Optional.empty());
    }

    private Stream<GroupId> numbers() {
      return Stream.concat(Stream.of(id, newestChange), plan.map(Plan::number).stream());
    }
  }

  static ModelTopology of(GroupId region) {
    return new ModelTopology(
        1, List.of(new Region(region, KeyRange.ALL, region, Optional.empty())));
  }

  private ModelTopology next(Stream<Region> changed) {
    return new ModelTopology(
        version + 1, changed.sorted(Comparator.comparing(each -> each.range().start())).toList());
  }

  Optional<Region> region(GroupId id) {
    return regions.stream().filter(each -> each.id().equals(id)).findFirst();
  }

  /** The plans, each once. */
  List<Plan> plans() {
    return regions.stream().flatMap(each -> each.plan().stream()).distinct().toList();
  }

  /** The first keys of the regions, as clients know them. */
  TreeMap<Integer, Integer> starts() {
    TreeMap<Integer, Integer> starts = new TreeMap<>();
    regions.forEach(each -> starts.put(ModelKeys.number(each.range().start()), each.id().value()));
    return starts;
  }

  private GroupId greatestNumber() {
    return regions.stream().flatMap(Region::numbers).max(Comparator.naturalOrder()).orElseThrow();
  }

  private GroupId nextNumber() {
    return new GroupId(greatestNumber().value() + 1);
  }

  /** Plans the split of the region that has a key; the same topology if that is not possible. */
  ModelTopology splitPlanned(Key at) {
    Region whole =
        regions.stream().filter(each -> each.range().contains(at)).findFirst().orElseThrow();
    if (whole.range().start().equals(at) || whole.plan().isPresent()) {
      return this;
    }
    Plan plan = new Plan.Split(at, nextNumber());
    return next(regions.stream().map(each -> each.equals(whole) ? each.with(plan) : each));
  }

  /** Plans a merge of the region at an index with the one before it, unless one has a plan. */
  ModelTopology mergePlanned(int index) {
    Region into = regions.get(index - 1);
    Region absorbed = regions.get(index);
    if (into.plan().isPresent() || absorbed.plan().isPresent()) {
      return this;
    }
    Plan plan = new Plan.Merge(nextNumber(), absorbed.id(), into.id());
    return next(
        regions.stream().map(each -> each == into || each == absorbed ? each.with(plan) : each));
  }

  /** The topology in which a plan is complete; the same one if it is not planned any more. */
  ModelTopology completed(Plan plan) {
    if (!plans().contains(plan)) {
      return this;
    }
    return next(
        regions.stream()
            .flatMap(
                each ->
                    each.plan().equals(Optional.of(plan))
                        ? completed(each, plan)
                        : Stream.of(each)));
  }

  private Stream<Region> completed(Region region, Plan plan) {
    KeyRange range = region.range();
    if (plan instanceof Plan.Split split) {
      Region child =
          new Region(
              split.number(),
              new KeyRange(split.at(), range.end()),
              split.number(),
              Optional.empty());
      KeyRange lower = new KeyRange(range.start(), Optional.of(split.at()));
      return Stream.of(region.stable(lower, split.number()), child);
    }
    Plan.Merge merge = (Plan.Merge) plan;
    KeyRange whole =
        new KeyRange(range.start(), region(merge.absorbed()).orElseThrow().range().end());
    return region.id().equals(merge.absorbed())
        ? Stream.empty()
        : Stream.of(region.stable(whole, merge.number()));
  }

  /** The topology in which a merge is given up; the same one if it is not planned any more. */
  ModelTopology givenUp(Plan.Merge plan) {
    if (!plans().contains(plan)) {
      return this;
    }
    return next(
        regions.stream()
            .map(
                each -> {
                  if (each.id().equals(plan.absorbed())) {
                    return each.stable(each.range(), plan.number());
                  }
                  return each.id().equals(plan.into())
                      ? each.stable(each.range(), each.newestChange())
                      : each;
                }));
  }

  /** Whether a region was absorbed by another one: its number was used, and no region has it. */
  boolean isAbsorbed(GroupId region) {
    return region.compareTo(greatestNumber()) <= 0
        && region(region).isEmpty()
        && plans().stream()
            .noneMatch(plan -> plan instanceof Plan.Split && plan.number().equals(region));
  }
}
