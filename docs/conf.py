"""Settings of the documentation site: ``make docs`` builds it into docs/_build/html. It needs no network."""

import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small graphs: threads would only wait for each other
os.environ["SKDEGFAIR_DATA"] = ""  # the site is the same with and without the paper's data
sys.path[:0] = [str(Path(__file__).parent / "_ext"), str(Path(__file__).parents[1])]

import skdegfair  # noqa: E402

project = "skdegfair"
author = "The skdegfair developers"
copyright = "the skdegfair developers, BSD 3-clause license"
version = release = skdegfair.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "capabilities",
    "run_code",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_ext", "**/GALLERY_HEADER.rst"]
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(sklearn|skorch|torch|optuna|scipy|numpy|pandas|matplotlib)\..*")  # no inventories from the network
]
maximum_signature_line_length = 88


# -- API reference ---------------------------------------------------------------------------------

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_inherit_docstrings = False  # those of torch.nn.Module refer to pages of torch
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# -- Gallery ---------------------------------------------------------------------------------------
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "within_subsection_order": "gallery_order.GalleryOrder",
    "ignore_pattern": r"^(?!.*plot_).*\.py$",
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("skdegfair",),
    "reference_url": {"skdegfair": None},
    "download_all_examples": False,
    "remove_config_comments": True,
    "min_reported_time": 10**9,  # times of one machine say little
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
}

# -- HTML ------------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = "skdegfair"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "skdegfair"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button-field"],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "getting_started": [], "changes": [], "command_line": []}

# Without a screen, and with the warnings of this package visible as errors of the build.
os.environ.setdefault("MPLBACKEND", "Agg")
warnings.filterwarnings("ignore", category=FutureWarning, module=r"sphinx.*")


def skip_members_of_other_libraries(app, what, name, obj, skip, options):
    """Estimators inherit methods such as set_fit_request, whose docstrings refer to pages of scikit-learn."""
    function = getattr(obj, "fget", obj)
    home = getattr(function, "__objclass__", function).__module__ if hasattr(function, "__module__") else project
    generated = name.startswith("set_") and name.endswith("_request")
    return True if generated or not str(home).startswith(project) else skip


def setup(app):
    app.connect("autodoc-skip-member", skip_members_of_other_libraries)
