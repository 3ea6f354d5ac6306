/** Three Ratis servers in one JVM without our engine, to show what they do with and without it. */
package io.quorate.ratis.bare;
