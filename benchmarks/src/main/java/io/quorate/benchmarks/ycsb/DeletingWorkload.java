package io.quorate.benchmarks.ycsb;

import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import site.ycsb.DB;
import site.ycsb.WorkloadException;
import site.ycsb.generator.ExponentialGenerator;
import site.ycsb.workloads.CoreWorkload;

/**
 * The core workload with deletes, which YCSB does not have. {@code deleteproportion} is the
 * proportion of deletes among the operations, 0 by default. The other proportions are relative to
 * each other, and should add up to the rest. A delete chooses its key as the other operations do.
 */
public final class DeletingWorkload extends CoreWorkload {
  static final String DELETE_PROPORTION = "deleteproportion";

  private double deleteProportion;

  @Override
  public void init(Properties properties) throws WorkloadException {
    super.init(properties);
    String text = properties.getProperty(DELETE_PROPORTION, "0");
    try {
      deleteProportion = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      deleteProportion = Double.NaN;
    }
    if (!(deleteProportion >= 0 && deleteProportion <= 1)) {
      throw new WorkloadException(DELETE_PROPORTION + " is from 0 to 1, not " + text + ".");
    }
    if (keychooser instanceof ExponentialGenerator) {
      throw new WorkloadException(
          "Deletes do not support "
              + REQUEST_DISTRIBUTION_PROPERTY
              + "=exponential, which chooses keys from the last one backwards.");
    }
  }

  @Override
  public boolean doTransaction(DB db, Object threadState) {
    if (ThreadLocalRandom.current().nextDouble() >= deleteProportion) {
      return super.doTransaction(db, threadState);
    }
    db.delete(table, buildKeyName(existingKey()));
    return true;
  }

  /** The number of a key that has been inserted; it may have been deleted since. */
  private long existingKey() {
    long number;
    do {
      number = keychooser.nextValue().longValue();
    } while (number > transactioninsertkeysequence.lastValue());
    return number;
  }
}
