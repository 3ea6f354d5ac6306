/** What clusters on one machine need of it. */
package io.quorate.loopback;
