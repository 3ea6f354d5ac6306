package io.quorate.storage.read;

import java.util.OptionalDouble;

/**
 * Read statistics of a region, since this process first opened it.
 *
 * @param readIndex index of the position that the last read waited for; -1 before the first
 * @param rowNanos recent cost of reading one row in a scan; empty before the first
 * @param applyNanos recent cost of applying one position; empty before the first
 * @param merged scans that merged rows and changes
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
