"""`python -m frugal`."""

import sys

from frugal.cli import main

if __name__ == "__main__":
    sys.exit(main())
