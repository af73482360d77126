"""What a metric's numbers depend on besides the data: its code, and everything of its author's that the code uses.

Numbers that were kept are used again only where the code that made them is the same. A plug-in is often more than one
file, so the files it imports count too, however deep, and those that it names.
"""

import ast
import functools
import hashlib
import importlib.util
import inspect
import json
import platform
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import joblib
import numpy as np

from metaeval.errors import InvalidOptionError
from metaeval.metrics.resolved import AnyMetric, Metric

_PACKAGE = Path(__file__).resolve().parents[1]
_LONGEST = 500  # characters of a text that may be the name of a file
_STATING = ("metaeval", "numpy", "scipy", "numba", "statsmodels")
_PROVIDERS = ("ir-measures", "pytrec-eval-terrier", "pytrec-eval", "cwl-eval", "ranx", "pyndeval")
_PLAIN = (type(None), bool, int, float, complex, str, bytes, tuple, list, dict, np.ndarray, np.generic)


def metric_checksum(metrics: Iterable[AnyMetric]) -> str:
    """Return one checksum of all code that gives metrics their values."""
    parts: list[Any] = []
    for metric in metrics:
        if isinstance(metric, Metric):
            quantisation = None if metric.quantisation is None else metric.quantisation.function
            parts += [metric.spec.function, metric.spec.kernel, metric.spec.relevant, quantisation]
        else:
            parts.append(type(metric))
    return source_checksum(code for code in parts if code is not None)


def source_checksum(objects: Iterable[Callable[..., object]]) -> str:
    """Return the checksum of the code behind functions and classes, so that an edited plug-in is another one.

    Examples
    --------
    >>> source_checksum([len_of := lambda topic: 0.0]) == source_checksum([len_of])
    True
    """
    walk = _Walk()
    for definition in objects:
        walk.add(definition)
    return hashlib.sha256(json.dumps(sorted(walk.records), ensure_ascii=True).encode()).hexdigest()


def code_versions() -> dict[str, str]:
    """Return the versions that a number may depend on: Python's and those of packages, other measures' included.

    Examples
    --------
    >>> {"metaeval", "numpy", "python"} <= {*code_versions()}
    True
    """
    versions = {"python": platform.python_version()}
    for name in (*_STATING, *_PROVIDERS):
        version = _version(name)
        versions |= {name: version} if version else {}
    return versions


class _Walk:
    """Follows code from file to file and writes down what it meets."""

    def __init__(self) -> None:
        self.records: set[tuple[str, str]] = {("metaeval", _package_checksum())}
        self._seen: set[object] = set()

    def add(self, one: Any, *, inner: bool = False) -> None:  # noqa: ANN401 - a function, class or callable object
        """Write down the code of one function or class; an `inner` one was found in another and may be anybody's."""
        if isinstance(one, functools.partial):
            self._add_value("partial", (one.args, sorted(one.keywords.items())))
            self.add(one.func, inner=inner)
            return
        body = inspect.unwrap(getattr(one, "py_func", one))
        if not (inspect.isroutine(body) or isinstance(body, type)):
            self._add_value(type(body).__qualname__, getattr(body, "__dict__", {}))
            body = type(body)
        file = _file_of(body)
        if inner and (file is not None and _is_foreign(file)):
            self._add_foreign(str(getattr(body, "__module__", None) or ""))
            return
        code = getattr(body, "__code__", None)
        if code is not None:
            self._add_bound(body)
        if file is not None:
            self._add_file(file, _root_of(file))
        elif code is not None:
            self._add_code(body, code)
        elif not inner and not inspect.isbuiltin(body):
            raise InvalidOptionError(
                f"the code of {getattr(body, '__qualname__', body)!r} cannot be seen, so replicates cannot be kept "
                "with it; define it in a Python file, or leave out `keep`"
            )

    def _add_bound(self, function: Any) -> None:  # noqa: ANN401 - a function
        """Write down what a function got when it was made: values it closes over, and defaults."""
        cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
        for value in [*cells, function.__defaults__, function.__kwdefaults__]:
            self._add_value(function.__qualname__, value)

    def _add_value(self, name: str, value: Any) -> None:  # noqa: ANN401 - of any type
        if callable(value) and not isinstance(value, type):
            if id(value) not in self._seen:
                self._seen.add(id(value))
                self.add(value, inner=True)
        elif isinstance(value, _PLAIN) and value is not None:
            try:
                self.records.add((f"value of {name}", str(joblib.hash(value))))
            except Exception:  # noqa: BLE001 - pickling foreign objects inside may raise anything
                self.records.add((f"value of {name}", repr(type(value))))

    def _add_code(self, function: Any, code: CodeType) -> None:  # noqa: ANN401 - a function
        """Write down a function that stands in no file (typed in, or made by exec), and those it calls."""
        self.records.add((f"code of {function.__qualname__}", _code_checksum(code)))
        for name in _names_of(code):
            value = function.__globals__.get(name)
            if value is not None and not isinstance(value, ModuleType):
                self._add_value(name, value)

    def _add_file(self, file: Path, root: Path) -> None:
        """Write down a file and whatever it uses; `root` is the folder that its imports start from."""
        file = file.resolve()
        if file in self._seen or file.is_relative_to(_PACKAGE):
            return
        self._seen.add(file)
        try:
            content = file.read_bytes()
        except OSError as error:
            message = f"the code in {file} cannot be read ({error.strerror}), so replicates cannot be kept with it"
            raise InvalidOptionError(message) from error
        label = file.relative_to(root).as_posix() if file.is_relative_to(root) else file.name
        self.records.add((label, hashlib.sha256(content).hexdigest()))
        if file.suffix != ".py":
            return
        try:
            tree = ast.parse(content)
        except (SyntaxError, ValueError):
            return  # it is not imported as it stands
        folders = tuple(dict.fromkeys((file.parent, root)))
        package = (
            label.split("/")[0].removesuffix(".py") if _is_installed(root) else None
        )  # beside it lie others' packages
        for name in _imported(tree, file, root):
            if package in {None, name.split(".")[0]}:
                self._add_module(name, folders)
            else:
                self._add_foreign(name)
        for text in _texts(tree) if package is None else ():
            self._add_named(text, folders, root)
        self._add_loaded(file)

    def _add_module(self, name: str, folders: Sequence[Path]) -> None:
        """Write down a module by its dotted name, and the packages it stands in."""
        added = [self._add_from(name, folder) for folder in folders]  # in all of them
        if not any(added):
            self._add_foreign(name)

    def _add_from(self, name: str, folder: Path) -> bool:
        """Write down what a dotted name means below a folder; say whether there is anything."""
        parts = name.split(".")
        stems = [folder.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1)]
        files = [file for stem in stems for file in _module_files(stem)]
        for file in files:
            self._add_file(file, folder)
        return bool(files)

    def _add_foreign(self, name: str) -> None:
        """Write down a module from elsewhere: what was installed by its version, what was not by its content."""
        top = name.split(".", maxsplit=1)[0]
        if not top or top in sys.stdlib_module_names or ("foreign", name) in self._seen:
            return
        self._seen.add(("foreign", name))
        try:
            spec = importlib.util.find_spec(top)
        except (ImportError, ValueError, AttributeError):
            return
        if spec is None:
            return
        places = [Path(location) for location in spec.submodule_search_locations or ()]
        if spec.origin is not None and Path(spec.origin).is_file():
            places.append(Path(spec.origin))
        if any(_is_installed(path) for path in places):
            self.records.add((f"package {top}", _version(top) or str(getattr(sys.modules.get(top), "__version__", ""))))
            return
        for folder in {path.parent.parent if path.name == "__init__.py" else path.parent for path in places}:
            self._add_from(name, folder)

    def _add_named(self, text: str, folders: Sequence[Path], root: Path) -> None:
        """Write down a file, or a module of the author's own, that a literal text names."""
        for folder in (*folders, Path.cwd()):
            try:
                file = folder / text
                there = file.is_file()
            except (OSError, ValueError):
                return
            if there:
                self._add_file(file, root)
        if all(piece.isidentifier() for piece in text.split(".")):
            for folder in folders:
                self._add_from(text, folder)

    def _add_loaded(self, file: Path) -> None:
        """Write down the modules that a loaded file holds, however it came by them."""
        for module in [loaded for loaded in list(sys.modules.values()) if _is_from(loaded, file)]:
            for value in list(vars(module).values()):
                owner = (
                    value if isinstance(value, ModuleType) else sys.modules.get(getattr(value, "__module__", "") or "")
                )
                source = _file_of(owner) if isinstance(owner, ModuleType) else None
                if source is not None and source.suffix == ".py" and not _is_foreign(source):
                    self._add_file(source, _root_of(source))


def _file_of(one: Any) -> Path | None:  # noqa: ANN401 - a function, class or module
    try:
        name = inspect.getsourcefile(one) or inspect.getfile(one)
    except (TypeError, OSError):
        return None
    return Path(name).resolve() if Path(name).is_file() else None


def _root_of(file: Path) -> Path:
    """Return the folder that a file's imports start from: above the outermost package that it stands in."""
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder


def _imported(tree: ast.AST, file: Path, root: Path) -> Iterator[str]:
    """Yield the dotted names of all modules that a file imports anywhere, late imports included."""
    package = file.parent.relative_to(root).parts if file.is_relative_to(root) else ()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = list(package[: len(package) - node.level + 1]) if node.level else []
            base = [*above, *(node.module.split(".") if node.module else [])]
            if base:
                yield ".".join(base)
            yield from (".".join([*base, alias.name]) for alias in node.names if alias.name != "*")


def _texts(tree: ast.AST) -> set[str]:
    """Return every literal text of a file, and paths put together from several."""
    texts: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)):
                texts.add(text)
            case ast.BinOp(op=ast.Div()):
                texts.add("/".join(_literals(node)))
            case ast.Call(args=arguments):
                texts.add("/".join(text for argument in arguments for text in _literals(argument)))
    return {text for text in texts if 0 < len(text) <= _LONGEST and text.isprintable()}


def _literals(node: ast.AST) -> list[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return _literals(node.left) + _literals(node.right)
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def _module_files(stem: Path) -> Iterator[Path]:
    """Yield the files that a module of that path may come from."""
    for file in (stem.with_name(f"{stem.name}.py"), stem / "__init__.py"):
        if file.is_file():
            yield file
    if stem.parent.is_dir() and stem.name:
        yield from stem.parent.glob(f"{stem.name}.*so")


@functools.cache
def _installed_folders() -> tuple[Path, ...]:
    paths = sysconfig.get_paths()
    return tuple({Path(paths[name]).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def _is_installed(place: Path) -> bool:
    return {"site-packages", "dist-packages"} & {*place.parts} != set() or any(
        place.resolve().is_relative_to(folder) for folder in _installed_folders()
    )


def _is_foreign(file: Path) -> bool:
    return file.is_relative_to(_PACKAGE) or _is_installed(file)


def _is_from(module: object, file: Path) -> bool:
    name = getattr(module, "__file__", None)
    return isinstance(name, str) and name.endswith(file.name) and Path(name).resolve() == file  # thousands are asked


def _is_filled(cell: Any) -> bool:  # noqa: ANN401 - a cell has no public type
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _code_checksum(code: CodeType) -> str:
    parts = [code.co_code.hex(), repr(code.co_names), repr(code.co_varnames)]
    for constant in code.co_consts:
        plain = (
            sorted(map(repr, constant)) if isinstance(constant, frozenset) else repr(constant)
        )  # sets have no order of their own
        parts.append(_code_checksum(constant) if isinstance(constant, CodeType) else str(plain))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _names_of(code: CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return {*code.co_names}.union(*(_names_of(constant) for constant in inner))


@functools.cache
def _package_checksum() -> str:
    """Return the checksum of this package's own code: measures lean on all of it."""
    digest = hashlib.sha256()
    for file in sorted(_PACKAGE.rglob("*.py")):
        digest.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except (metadata.PackageNotFoundError, ValueError):
        return ""
