"""The order of the scripts in the gallery: that of examples/order.txt."""

from pathlib import Path

ORDER = Path(__file__).parents[2] / "examples" / "order.txt"


class GalleryOrder:
    """Sort key for sphinx-gallery, which passes the folder of the scripts."""

    def __init__(self, folder):
        self.names = ORDER.read_text(encoding="utf-8").split()

    def __call__(self, script):
        return self.names.index(script)
