package io.quorate.client;

import io.quorate.common.Nulls;
import java.util.Optional;

/**
 * What a {@link BulkWriter} has written since it was opened.
 *
 * @param succeeded the writes that are done
 * @param failed the writes that failed; {@link QuorateException#mayHaveTakenEffect} of each failure
 *     said whether it may have changed something
 * @param firstFailure the failure that was reported first; empty if no write failed
 */
public record BulkResult(long succeeded, long failed, Optional<QuorateException> firstFailure) {
  public BulkResult {
    Nulls.refuse(firstFailure, "firstFailure");
  }
}
