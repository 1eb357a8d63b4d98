"""The report in a real browser, if there is one."""

import shutil
import subprocess

import numpy as np
import pytest
from comparisons import EXAMPLE
from patience import HANGS

from polymargin import compare

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser") / "results"
    compare(**EXAMPLE, folder=folder, scaling=False)
    return folder / "report.html"


def browse(page, *options):
    profile = page.parent.parent / "profile"
    return subprocess.run(
        [
            CHROMIUM,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--user-data-dir={profile}",
            *options,
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=True,
    ).stdout


def test_parts(page):
    """What the browser made of the page has all parts in their places."""
    found = browse(page, "--dump-dom")
    for part in ("accuracy", "significance", "time", "convergence", "environment"):
        assert f'<section id="{part}">' in found
    assert found.count("<svg") == found.count("<figure>") == 1 + 2 * 3
    assert found.count("<table") == 7
    assert found.rstrip().endswith("</html>")


@pytest.mark.parametrize("width", [390, 1280])
def test_looks(page, width):
    """Neither blank nor wider than the window, on a phone and on a desk."""
    from matplotlib.image import imread

    picture = page.parent / f"{width}.png"
    browse(page, f"--window-size={width},2400", f"--screenshot={picture}")
    pixels = imread(picture)[..., :3]
    assert pixels.shape[1] == width
    ink = (pixels.min(axis=2) < 0.9).mean(axis=0)  # by column
    assert ink[: width // 100].max() == 0  # a margin on both sides
    assert ink[-(width // 100) :].max() == 0
    assert ink.mean() > 0.01
    for colour in ((0, 114, 178), (213, 94, 0), (0, 158, 115)):  # of three curves
        assert (np.round(255 * pixels) == colour).all(axis=2).any()
