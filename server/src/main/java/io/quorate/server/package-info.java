/** The {@code quorate} program. */
package io.quorate.server;
