package io.quorate.ratis.patches;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class that takes the place of the class of Ratis with the same name, to tell the two
 * apart. Part of {@link ClassesInPlace}, which lists them.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface InPlaceOfRatis {}
