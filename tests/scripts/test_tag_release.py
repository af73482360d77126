"""`make tag`: a release is named only where every file that names it agrees."""

import shutil
import subprocess

import pytest

FILES = {
    "pyproject.toml": 'version = "1.2.0"\n',
    "CITATION.cff": "version: 1.2.0\ndate-released: 2027-01-31\n",
    "scripts/conda/meta.yaml": '  version: "1.2.0"\n',
    "CHANGELOG.md": "# Changelog\n\n## 1.2.0 (2027-01-31)\n\n## 1.1.0 (2026-12-24)\n",
}
GIT = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]


def tag(checkout, folder, changed):
    """Return what the script says of a repository with these files, and its tags."""
    for name, text in {**FILES, **changed}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    shutil.copy(checkout / "scripts" / "tag_release.sh", folder / "scripts")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run([*GIT, *words], cwd=folder, check=True)
    if "loose.txt" in changed:
        (folder / "loose.txt").write_text("changed since")
    names = {f"GIT_{who}_{what}": "ada@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    words = ["env", *(f"{name}={value}" for name, value in names.items()), "sh", "scripts/tag_release.sh"]
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    tags = subprocess.run([*GIT, "tag"], cwd=folder, capture_output=True, text=True, check=True).stdout.split()
    return ended, tags


def test_a_release_is_tagged(checkout, tmp_path):
    """The tag bears the version."""
    ended, tags = tag(checkout, tmp_path, {})
    assert (ended.returncode, tags) == (0, ["v1.2.0"]), ended.stderr


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"CITATION.cff": "version: 1.1.0\ndate-released: 2027-01-31\n"}, "CITATION.cff names another version"),
        ({"CITATION.cff": "version: 1.2.0\ndate-released: 2027-02-01\n"}, "another day than 2027-01-31"),
        ({"scripts/conda/meta.yaml": '  version: "1.1.0"\n'}, "meta.yaml names another version"),
        ({"CHANGELOG.md": "## 1.2.0 (not yet released)\n"}, "needs the heading"),
        ({"loose.txt": "a"}, "commit what git status lists"),
    ],
)
def test_nothing_is_tagged_where_files_disagree(checkout, tmp_path, changed, says):
    """The reason names the file."""
    ended, tags = tag(checkout, tmp_path, changed)
    assert (ended.returncode, tags, says in ended.stderr) == (1, [], True), ended.stderr
