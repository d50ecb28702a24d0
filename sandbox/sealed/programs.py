"""Turns the text of a program into a function inside the sealed child.

A candidate imports its own files and the modules of the policy, all from memory. What the policy does not
name is refused with a sentence; this is courtesy and determinism (no clock by default), not a wall: the wall
is the system call filter.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import marshal
import random
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NoReturn

from .access_log import INTERNALS, Marks


class ForbiddenImport(ModuleNotFoundError):
    """A candidate imported what the policy does not name."""


class Programs:
    """Loads programs under an import policy; used for one program per process."""

    def __init__(self, modules: Sequence[str], marks: Marks) -> None:
        self._marks = marks
        self._system = marks.system()
        self._allowed = {name.partition(".")[0] for name in modules}
        self._named = ", ".join(sorted(self._allowed))
        self._texts: dict[str, tuple[str, str, bool]] = {}  # module → path, text, whether it is a package
        self._files: dict[str, str] = {}
        self._import = builtins.__import__
        self._builtins = {**builtins.__dict__, "__import__": self._guarded}
        sys.meta_path[:] = [self]

    def _guarded(
        self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> ModuleType:
        root = name.partition(".")[0]
        if level == 0 and root not in self._allowed and root not in self._texts:
            self._refused(root)
            raise ForbiddenImport(f"import of {root!r} is not allowed; available: {self._named}", name=root)
        if name == "sys":
            return self._system
        return self._import(name, globals, locals, fromlist, level)

    def _refused(self, root: str) -> None:
        if root in INTERNALS:
            self._marks.note(f"import {root}")

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Finds a module among the program's own files; everything else has to be in memory already."""
        if name not in self._texts:
            self._refused(name.partition(".")[0])
            raise ForbiddenImport(f"no module named {name!r} here: it was not loaded in advance", name=name)
        is_package = self._texts[name][2]
        return importlib.machinery.ModuleSpec(name, self, is_package=is_package)  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> None:
        """Leaves the making of the module to the import system."""

    def exec_module(self, module: ModuleType) -> None:
        """Runs a file of the program in a fresh module."""
        path, text, _ = self._texts[module.__name__]
        self._run(path, text, module)

    def _run(self, path: str, text: str, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = self._builtins
        # A str and not bytes: a coding cookie must not make other code of it than people read.
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)

    def load(self, files: dict[str, str], entry_point: str, anew: int = 0) -> Any:
        """Runs the main file and returns its entry point.

        Args:
            files: path → text, the main file first.
            entry_point: a name that the main file defines.
            anew: calls of what is returned after which all files are run again (count); 0 is never.

        Raises:
            AttributeError: the main file does not define it.
        """
        self._files = files
        for path, text in files.items():
            parts = path.removesuffix(".py").split("/")
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            self._texts[name] = (path, text, is_package)
        for name in list(self._texts):  # folders without __init__.py are packages too
            while "." in name:
                name = name.rpartition(".")[0]
                self._texts.setdefault(name, (name, "", True))
        path, text = next(iter(files.items()))
        code = compile(text, path, "exec", dont_inherit=True)
        name = path.removesuffix(".py").replace("/", ".")

        module = self._module(name)
        scope = module.__dict__
        empty = {**scope, "__builtins__": self._builtins}
        others = [other for other in self._texts if other != name]

        def run() -> Any:
            scope.clear()
            scope.update(empty)
            exec(code, scope)
            if entry_point not in scope:
                raise AttributeError(f"{path} does not define {entry_point!r}")
            return scope[entry_point]

        entry, calls = run(), 0

        def call(**arguments: Any) -> Any:
            nonlocal entry, calls
            if calls % anew == 0:
                for other in others:
                    sys.modules.pop(other, None)
                entry = run()
            calls += 1
            return entry(**arguments)

        return call if anew else entry

    def owns(self, path: str) -> bool:
        """Whether a code object's file name is one of the program's files."""
        return path in self._files

    def line(self, path: str, number: int) -> str:
        """Text of a 1-based line, without indentation; empty where there is none."""
        lines = self._files.get(path, "").split("\n")
        return lines[number - 1].strip()[:200] if 0 < number <= len(lines) else ""

    def load_driver(self, code: bytes) -> Callable[..., Any]:
        """Runs a problem's driver, a marshalled code object from the tool, and returns its `drive`.

        The driver may import whatever is in memory.
        """
        module = self._module("_driver")
        exec(marshal.loads(code), module.__dict__)
        drive: Callable[..., Any] = module.__dict__["drive"]
        return drive

    @staticmethod
    def _module(name: str) -> ModuleType:
        module = sys.modules[name] = ModuleType(name)  # dataclasses and typing look modules up there
        return module


class Unseeded(PermissionError):
    """A candidate that is to be a function of its arguments drew random numbers without a seed."""


def refuse_unseeded() -> None:
    """Refuses every generator that is not given a seed; those of `random` and numpy that all share, too."""
    original = random.Random.seed

    def refused(*args: Any, **kwargs: Any) -> NoReturn:
        raise Unseeded(
            "random numbers without a seed: the program must be a function of its arguments; "
            "use random.Random(SEED) or np.random.default_rng(SEED)"
        )

    def seeded(self: random.Random, a: Any = None, version: int = 2) -> None:
        original(self, refused() if a is None else a, version)

    random.Random.seed = seeded  # type: ignore[method-assign]
    shared: list[tuple[ModuleType, Any]] = [(random, vars(random)["_inst"])]
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        shared.append((numpy_random, vars(sys.modules["numpy.random.mtrand"])["_rand"]))
        _refuse_unseeded_numpy(numpy_random, refused)
    for module, generator in shared:
        for name, value in list(vars(module).items()):
            if getattr(value, "__self__", None) is generator:
                setattr(module, name, refused)


def _refuse_unseeded_numpy(numpy_random: ModuleType, refused: Callable[..., NoReturn]) -> None:
    """Refuses what numpy would take from the system; `RandomState(SEED)` asks too, before it is seeded."""
    making: list[Any] = []

    def entropy(bits: int) -> int:
        return 0 if making else refused()

    class RandomState(numpy_random.RandomState):  # type: ignore[name-defined,misc]
        """numpy's, which replaces a first state of its own by that of its seed."""

        def __init__(self, seed: Any = None) -> None:
            making.append(refused() if seed is None else seed)
            try:
                super().__init__(seed)
            finally:
                making.clear()

    vars(sys.modules["numpy.random.bit_generator"])["randbits"] = entropy
    for module in (numpy_random, sys.modules["numpy.random.mtrand"]):
        vars(module)["RandomState"] = RandomState


def seed_everything(seed: int) -> None:
    """Seeds `random` and numpy's legacy state, and every generator that a candidate leaves unseeded.

    Args:
        seed: non-negative integer.
    """
    entropy = random.Random(f"entropy {seed}")
    original = random.Random.seed

    def seeded(self: random.Random, a: Any = None, version: int = 2) -> None:
        original(self, entropy.getrandbits(64) if a is None else a, version)

    random.Random.seed = seeded  # type: ignore[method-assign]
    random.seed = vars(random)["_inst"].seed
    random.seed(seed)
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed(seed % 2**32)
        vars(sys.modules["numpy.random.bit_generator"])["randbits"] = entropy.getrandbits
