package io.quorate.server.verification.canary;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.none;

import io.quorate.server.verification.agent.NodeLog;
import java.lang.instrument.Instrumentation;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.utility.JavaModule;

/**
 * Methods with something around them, which may take their place.
 *
 * @param advice a class with the methods that Byte Buddy copies into those
 */
record Mutation(
    ElementMatcher<? super TypeDescription> types,
    ElementMatcher<? super MethodDescription> methods,
    Class<?> advice) {

  Mutation(String className, String method, Class<?> advice) {
    this(named(className), named(method), advice);
  }

  static void install(Instrumentation instrumentation, Mutation... mutations) {
    for (Mutation mutation : mutations) {
      new AgentBuilder.Default()
          .disableClassFormatChanges()
          // Classes of the JDK too.
          .ignore(none())
          .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
          .with(new Complaints())
          .type(mutation.types)
          .transform(
              (builder, type, loader, module, domain) ->
                  builder.visit(Advice.to(mutation.advice).on(mutation.methods)))
          .installOn(instrumentation);
    }
  }

  /** A canary that does not break anything must not be taken for one that nobody hears. */
  private static final class Complaints extends AgentBuilder.Listener.Adapter {
    @Override
    public void onTransformation(
        TypeDescription type,
        ClassLoader loader,
        JavaModule module,
        boolean loaded,
        DynamicType result) {
      NodeLog.say("Changed " + type.getName());
    }

    @Override
    public void onError(
        String typeName, ClassLoader loader, JavaModule module, boolean loaded, Throwable failure) {
      NodeLog.say("Could not change " + typeName + ": " + failure);
      Runtime.getRuntime().halt(1);
    }
  }
}
