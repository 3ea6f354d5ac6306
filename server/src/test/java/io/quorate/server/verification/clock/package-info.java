/** Wall clocks of nodes' own, which can jump. */
package io.quorate.server.verification.clock;
