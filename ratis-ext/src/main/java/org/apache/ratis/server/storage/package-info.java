/**
 * Classes that take the place of those of Ratis. Only what cannot be exchanged through an interface
 * or a setting of Ratis belongs here; {@code io.quorate.ratis.patches} lists all of them.
 */
package org.apache.ratis.server.storage;
