/** Tests of the image, run by the container engine that is here; skipped where none answers. */
package io.quorate.server.container;
