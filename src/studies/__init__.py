"""What regenerates five documents and compares strategies across them; `registry` leads to all of it."""
