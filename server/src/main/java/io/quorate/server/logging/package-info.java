/** Log lines that never make the thread that logs wait for their output. */
package io.quorate.server.logging;
