package io.quorate.server.topology;

import io.quorate.model.GroupId;
import io.quorate.model.Key;

/**
 * A planned split of a region. It is never taken back, since the region may have divided already.
 *
 * @param at the first key of the new region
 * @param child the new region
 */
public record PlannedSplit(Key at, GroupId child) {}
