/** What everyone who keeps files that must survive power loss does with them. */
package io.quorate.consensus.disk;
