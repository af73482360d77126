"""What produced a result: versions, options, seed and the checksums of every input file."""

import hashlib
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

__all__ = ["Provenance", "file_checksum", "record_provenance"]

_PACKAGES = ("metaeval", "numpy", "scipy", "pandas", "xarray", "statsmodels", "numba", "pymc", "arviz")


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Enough to repeat a result years later.

    Attributes
    ----------
    command : str
        The command or function that was asked.
    options : mapping
        Every option with the value it had, defaults included.
    random_source : str or None
        As `metaeval.draws.resolve_rng` describes it: "seed 0".
    inputs : mapping of str to str
        File name to SHA-256 checksum.
    versions : mapping of str to str
        Package name to version, and Python's own.
    platform : str
        Operating system and processor.
    created : str
        Time in UTC, ISO 8601, whole seconds.
    """

    command: str
    options: Mapping[str, object] = field(default_factory=dict)
    random_source: str | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    platform: str = ""
    created: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the record as plain dictionaries, ready for JSON."""
        return {
            "command": self.command,
            "options": dict(self.options),
            "random_source": self.random_source,
            "inputs": dict(self.inputs),
            "versions": dict(self.versions),
            "platform": self.platform,
            "created": self.created,
        }


def file_checksum(path: str | Path) -> str:
    """Return the SHA-256 checksum of a file as hexadecimal digits."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def record_provenance(
    command: str,
    *,
    options: Mapping[str, object] | None = None,
    random_source: str | None = None,
    inputs: Iterable[str | Path] = (),
) -> Provenance:
    """Record what is about to be done: call it before the work, so that the inputs are what was read.

    Parameters
    ----------
    command : str
        The command or function asked.
    options : mapping, optional
        Options with their values.
    random_source : str, optional
        Description of the generator.
    inputs : iterable of paths
        Files to record with a checksum.

    Returns
    -------
    Provenance
    """
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return Provenance(
        command=command,
        options=dict(options or {}),
        random_source=random_source,
        inputs={str(path): file_checksum(path) for path in inputs},
        versions=versions,
        platform=f"{platform.system()} {platform.machine()}",
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
