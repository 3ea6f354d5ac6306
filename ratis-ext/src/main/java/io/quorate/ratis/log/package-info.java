/** A fence around what Ratis makes of damaged log files: it drops a cut end without a word. */
package io.quorate.ratis.log;
