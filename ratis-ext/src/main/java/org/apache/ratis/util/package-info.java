/**
 * A class that takes the place of one of Ratis. Only what cannot be exchanged through an interface
 * or a setting of Ratis belongs here.
 */
package org.apache.ratis.util;
