"""The directive ``run``: Python code that is executed when the site is built, with what it printed or drew.

.. code-block:: rst

    .. run::
       :html: report
       :figure: accuracy by degree

       print("shown below the code")

The blocks of one page share their names, in order. ``html`` names a variable whose notebook view is shown. ``figure``
shows the current matplotlib figure, and is its alternative text. ``hide-code`` shows the results alone.
"""

import contextlib
import io
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective


class Run(SphinxDirective):
    has_content = True
    option_spec = {
        "html": directives.unchanged_required,
        "figure": directives.unchanged_required,
        "hide-code": directives.flag,
    }

    def run(self):
        names = self.env.temp_data.setdefault("run_code_names", {})
        code, printed = "\n".join(self.content), io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"{self.env.docname}, line {self.lineno}", "exec"), names)
        shown = []
        if "hide-code" not in self.options:
            shown.append(nodes.literal_block(code, code, language="python"))
        if printed.getvalue():
            text = printed.getvalue().rstrip()
            shown.append(nodes.literal_block(text, text, language="none", classes=["run-output"]))
        if "figure" in self.options:
            shown.append(self.figure())
        if "html" in self.options:
            html = names[self.options["html"]]._repr_html_()
            shown.append(nodes.raw("", f'<div class="run-html">{html}</div>', format="html"))
        return shown

    def figure(self):
        import matplotlib.pyplot as plt

        folder = Path(self.env.app.srcdir) / "generated" / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.env.docname.replace('/', '-')}-{self.lineno}.svg"
        plt.gcf().savefig(path)
        plt.close("all")
        uri = self.env.relfn2path(f"/{path.relative_to(self.env.app.srcdir).as_posix()}")[0]
        return nodes.image(uri=uri, alt=self.options["figure"], classes=["run-figure"])


def setup(app):
    app.add_directive("run", Run)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
