"""Take the picture in README.md: the head of a report and its main section, as headless Chromium shows them.

`make picture` runs it on the report that `make demo` wrote, so the picture is what a reader of README.md gets.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
LEFT_OUT = "<style>#collection, #precision-recall, #summary p:nth-of-type(n + 3) { display: none }</style>"
"""What stands between the first words and discriminative power, which would fill the picture."""


def take_picture(page: Path, picture: Path, *, width: int, height: int) -> None:
    """Write what a browser shows of `page` as a PNG of few colours.

    Parameters
    ----------
    page : Path
        A report.
    picture : Path
        The PNG to write.
    width, height : int
        Size of the window in CSS pixels.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"no browser found; install one of: {', '.join(BROWSERS)} (Debian: apt install chromium)")
    with tempfile.TemporaryDirectory() as folder:
        copy, shot = Path(folder) / "page.html", Path(folder) / "page.png"
        copy.write_text(page.read_text("utf-8") + LEFT_OUT, "utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += [f"--user-data-dir={folder}/profile", f"--window-size={width},{height}", f"--screenshot={shot}"]
        command = [browser, *options, copy.as_uri()]
        subprocess.run(command, check=True, timeout=120, stderr=subprocess.DEVNULL)  # noqa: S603 - our own page
        picture.parent.mkdir(parents=True, exist_ok=True)
        Image.open(shot).convert("RGB").quantize(128).save(picture, optimize=True)


def main() -> None:
    """Read the options and take the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", nargs="?", type=Path, default=ROOT / "metaeval-report" / "index.html")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images" / "report.png")
    parser.add_argument("--width", type=int, default=1260)
    parser.add_argument("--height", type=int, default=1660)
    given = parser.parse_args()
    if not given.page.is_file():
        sys.exit(f"{given.page} is not there; run `make demo` first")
    take_picture(given.page, given.out, width=given.width, height=given.height)
    print(f"Wrote {given.out}")


if __name__ == "__main__":
    main()
