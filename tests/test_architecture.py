"""The house stands as it is drawn: five packages, imports one way, a place for everything."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {"bot", "handlers", "jobs", "tools", "memory"}
NAMELESS = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc", "base", "core", "shared"}
NOT_OURS = {".venv", ".git", "__pycache__", "node_modules", "build", "dist"}


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders or (".",):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not NOT_OURS & set(path.relative_to(ROOT).parts):
                yield path


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_packages_are_the_five_and_no_more() -> None:
    found = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    assert found - {"evals"} == PACKAGES  # evals measures the product and is no part of it
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert set(settings["tool"]["importlinter"]["root_packages"]) == PACKAGES
    assert set(settings["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == PACKAGES


def test_the_product_imports_neither_what_measures_it_nor_its_tests() -> None:
    for path in sources(*PACKAGES, "alembic"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & {"evals", "tests"}, named(path)


def test_every_folder_of_a_package_is_a_package() -> None:
    folders = {path.parent for path in sources(*PACKAGES)}
    assert [named(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_a_package_says_what_it_is_for_and_holds_no_code() -> None:
    for path in sources(*PACKAGES):
        if path.name == "__init__.py":
            tree = ast.parse(path.read_text())
            assert ast.get_docstring(tree), named(path)
            assert len(tree.body) == 1, named(path)


def test_tests_are_no_packages_and_have_names_of_their_own() -> None:
    paths = list(sources("tests"))
    assert [named(path) for path in paths if path.name == "__init__.py"] == []
    names = [path.name for path in paths if path.name.startswith("test_")]
    assert sorted(names) == sorted(set(names))


def test_the_folder_of_migrations_is_no_package() -> None:
    assert [named(path) for path in sources("alembic") if path.name == "__init__.py"] == []


def test_imports_run_one_way() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    told = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "0 broken" in told.stdout


def test_no_file_has_a_name_that_says_nothing() -> None:
    parts = ((path, path.relative_to(ROOT).with_suffix("").parts) for path in sources())
    assert [named(path) for path, names in parts if NAMELESS & set(names)] == []


def _reads_the_environment(tree: ast.AST) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "environb", "getenv"}:
            return True
        if (
            isinstance(node, ast.ImportFrom)
            and node.module == "os"
            and {a.name for a in node.names} & {"environ", "getenv"}
        ):
            return True
    return False


def test_only_settings_reads_the_environment() -> None:
    readers = [
        named(path) for path in sources(*PACKAGES, "alembic") if _reads_the_environment(ast.parse(path.read_text()))
    ]
    assert readers == ["bot/settings.py"]


def test_every_file_says_what_it_is_for() -> None:
    silent = [named(path) for path in sources(*PACKAGES) if not ast.get_docstring(ast.parse(path.read_text()))]
    assert silent == []


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_no_function_is_longer_than_a_screen(package: str) -> None:
    long = [
        f"{named(path)}: {node.name}"
        for path in sources(package)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (node.end_lineno or 0) - node.lineno + 1 > 60
    ]
    assert long == []


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_the_present_is_read_at_one_seam(package: str) -> None:
    """Judgement is handed its `now`: only the clock, and what has no clock yet, may ask the machine."""
    readers = {
        named(path)
        for path in sources(package)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and node.attr in {"now", "utcnow", "today"}
        and isinstance(node.value, ast.Name)
        and node.value.id in {"datetime", "date"}
    }
    assert readers <= {"memory/clock.py", "bot/lock.py"}
