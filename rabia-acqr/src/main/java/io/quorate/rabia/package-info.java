/** The Rabia engine. */
package io.quorate.rabia;
