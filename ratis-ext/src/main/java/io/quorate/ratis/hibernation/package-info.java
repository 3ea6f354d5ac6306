/** Groups that are not in use stop, and start again when they are used. */
package io.quorate.ratis.hibernation;
