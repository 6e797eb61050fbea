"""Studies that regenerate five documents and compare strategies; `registry` lists them."""
