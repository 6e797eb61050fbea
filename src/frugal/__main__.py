"""`python -m frugal`."""

import sys

from frugal.cli import main

sys.exit(main())
