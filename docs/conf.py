"""The site, from the pages beside this file, the docstrings and `results/published`; `make docs` builds it."""

import sys
from pathlib import Path

import frugal

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

project = "Frugal"
author = "The Frugal developers"
copyright = author
version = release = frugal.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "frugal_site",
]
exclude_patterns = ["_build", "assumptions", "examples", "joss"]
templates_path = ["_templates"]
default_role = "literal"  # docstrings set names in single backticks

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
napoleon_numpy_docstring = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "abort_on_example_error": True,
    "run_stale_examples": True,  # else only those whose own file has changed, whatever changed in the library
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1e9,  # seconds differ between builds
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "Frugal"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_prev_next": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
ALONE = ("index", "start", "claims_judged", "comparisons", "changelog", "contributing")
html_sidebars = {page: [] for page in ALONE}  # nothing stands beside them
