package io.quorate.torture.fuzz;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Methods that packages keep to themselves: a decoder is tested where it is called. */
final class Hidden {
  private final Method method;

  private Hidden(Method method) {
    this.method = method;
    method.setAccessible(true);
  }

  /** A method of a class whose name begins after {@code io.quorate}. */
  static Hidden of(String type, String name, Class<?>... parameters) {
    return of(type("io.quorate." + type), name, parameters);
  }

  static Hidden of(Class<?> type, String name, Class<?>... parameters) {
    try {
      return new Hidden(type.getDeclaredMethod(name, parameters));
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("A decoder has another name now", e);
    }
  }

  /** A new object of a class with one constructor, whose name begins after {@code io.quorate}. */
  static Object make(String type, Object... arguments) throws Throwable {
    return make(type("io.quorate." + type).getDeclaredConstructors()[0], arguments);
  }

  /** Calls a constructor, and throws what it throws. */
  static Object make(Constructor<?> constructor, Object... arguments) throws Throwable {
    constructor.setAccessible(true);
    try {
      return constructor.newInstance(arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  static Class<?> type(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("A decoder has another name now", e);
    }
  }

  /** Calls it, and throws what it throws. */
  Object call(Object receiver, Object... arguments) throws Throwable {
    try {
      return method.invoke(receiver, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
