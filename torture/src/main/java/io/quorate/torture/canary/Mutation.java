package io.quorate.torture.canary;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.none;

import io.quorate.torture.testbed.agent.NodeLog;
import java.lang.instrument.Instrumentation;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.pool.TypePool;
import net.bytebuddy.utility.JavaModule;

/**
 * A change of methods by code that runs before and after them, and may replace them.
 *
 * @param advice the class whose methods Byte Buddy copies into the changed methods
 */
record Mutation(
    ElementMatcher<? super TypeDescription> types,
    ElementMatcher<? super MethodDescription> methods,
    Class<?> advice) {

  /**
   * A change of the methods of one name in one class.
   *
   * @throws IllegalArgumentException if there is no such class, or it has no such method: a canary
   *     that breaks nothing must not be mistaken for one that is not detected
   */
  Mutation(String className, String method, Class<?> advice) {
    this(named(className), named(method), advice);
    TypePool.Resolution type = TypePool.Default.ofSystemLoader().describe(className);
    if (!type.isResolved() || type.resolve().getDeclaredMethods().filter(methods).isEmpty()) {
      throw new IllegalArgumentException("There is no " + className + "." + method + ".");
    }
  }

  static void install(Instrumentation instrumentation, Mutation... mutations) {
    for (Mutation mutation : mutations) {
      new AgentBuilder.Default()
          .disableClassFormatChanges()
          // By default, classes of the JDK are not changed.
          .ignore(none())
          .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
          .with(new TransformationLog())
          .type(mutation.types)
          .transform(
              (builder, type, loader, module, domain) ->
                  builder.visit(Advice.to(mutation.advice).on(mutation.methods)))
          .installOn(instrumentation);
    }
  }

  /**
   * Logs every change, and ends the process if one fails: a canary that breaks nothing must not be
   * mistaken for one that is not detected.
   */
  private static final class TransformationLog extends AgentBuilder.Listener.Adapter {
    @Override
    public void onTransformation(
        TypeDescription type,
        ClassLoader loader,
        JavaModule module,
        boolean loaded,
        DynamicType result) {
      NodeLog.write("Changed " + type.getName());
    }

    @Override
    public void onError(
        String typeName, ClassLoader loader, JavaModule module, boolean loaded, Throwable failure) {
      NodeLog.write("Could not change " + typeName + ": " + failure);
      Runtime.getRuntime().halt(1);
    }
  }
}
