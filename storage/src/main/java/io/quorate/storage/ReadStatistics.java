package io.quorate.storage;

import java.util.OptionalDouble;

/**
 * How a region is read, since it was first opened by this process.
 *
 * @param readIndex the position that a read waited for last, as an index; -1 before the first
 * @param rowNanos what reading one row in a scan cost lately; empty before the first
 * @param applyNanos what applying one position cost lately; empty before the first
 * @param merged scans that stepped through rows and changes side by side
 * @param immediate scans that read past pending removals, by the cost model
 * @param relaxed scans that waited until removals were applied, by the cost model
 */
public record ReadStatistics(
    long readIndex,
    OptionalDouble rowNanos,
    OptionalDouble applyNanos,
    long merged,
    long immediate,
    long relaxed) {}
