/**
 * A class that takes the place of one of Ratis, and a check that it does. Only what cannot be
 * exchanged through an interface or a setting of Ratis belongs here.
 */
package org.apache.ratis.server.storage;
