package io.quorate.torture.canary;

import io.quorate.torture.testbed.agent.Defect;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Arrays;
import net.bytebuddy.asm.Advice;

/** The applied position is written in a batch of its own, before the batch with the data. */
public final class TwoBatches implements Defect {
  /** Whether this thread is writing the separate batch. */
  private static final ThreadLocal<Boolean> WRITING_SEPARATELY =
      ThreadLocal.withInitial(() -> false);

  @Override
  public void install(Instrumentation instrumentation) {
    Mutation.install(
        instrumentation,
        new Mutation("io.quorate.storage.rocks.MetaRows", "putApplied", SeparateBatch.class));
  }

  /** Writes the position separately instead of adding it to the given batch. */
  static final class SeparateBatch {
    private SeparateBatch() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter(
        @Advice.This Object rows,
        @Advice.FieldValue("database") Object database,
        @Advice.AllArguments Object[] arguments) {
      return writeSeparately(rows, database, arguments);
    }
  }

  /** Called from the changed method. Returns false if that method is to run unchanged. */
  public static boolean writeSeparately(Object rows, Object database, Object[] arguments) {
    if (WRITING_SEPARATELY.get()) {
      return false;
    }
    WRITING_SEPARATELY.set(true);
    try {
      Class<?> batchClass = method(rows, "putApplied").getParameterTypes()[0];
      Class<?> scratchClass = Class.forName(batchClass.getName() + "$Scratch");
      Constructor<?> newScratch = scratchClass.getDeclaredConstructor();
      newScratch.setAccessible(true);
      Method newBatch = method(database, "batch");
      try (AutoCloseable batch =
          (AutoCloseable) newBatch.invoke(database, newScratch.newInstance())) {
        method(rows, "putApplied").invoke(rows, batch, arguments[1], arguments[2]);
        method(database, "write").invoke(database, batch);
      }
      return true;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    } finally {
      WRITING_SEPARATELY.set(false);
    }
  }

  private static Method method(Object target, String name) {
    Method method =
        Arrays.stream(target.getClass().getDeclaredMethods())
            .filter(candidate -> candidate.getName().equals(name))
            .findFirst()
            .orElseThrow();
    method.setAccessible(true);
    return method;
  }
}
