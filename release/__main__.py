"""Makes a release: `make release VERSION=1.2.3`. It changes files and builds; commit, tag and upload are yours."""

import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from twine.commands.check import check

from app.cli.mongod import running_mongod
from release.smoke import CHECKOUT, install, try_out, version_of

CLIENT = CHECKOUT / "clients" / "js"
UNRELEASED = "## [Unreleased]\n"
IMAGE = re.compile(r"^FROM ([^\s@]+)(@sha256:[0-9a-f]{64})?( AS \w+)?$", re.MULTILINE)
VERSION_LINE = re.compile(r'^version = "(.+)"$', re.MULTILINE)


class Refused(click.ClickException):
    """The release can't be made; nothing was changed."""


def number(version: str) -> tuple[int, ...]:
    """Returns a version of three numbers, to compare it. Raises `Refused`."""
    if not re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", version):
        raise Refused(f"VERSION={version} is not three numbers like 1.2.3.")
    return tuple(map(int, version.split(".")))


def with_section(changelog: str, version: str, day: str) -> str:
    """Returns the changelog with a section for a version, made of what is unreleased. Raises `Refused`."""
    before, found, after = changelog.partition(UNRELEASED)
    own = re.split(r"^## \[", after, maxsplit=1, flags=re.MULTILINE)[0]
    if not found or not re.search(r"^- ", own, re.MULTILINE):
        raise Refused("CHANGELOG.md has nothing under [Unreleased].")
    if f"## [{version}]" in changelog:
        raise Refused(f"CHANGELOG.md has a section [{version}] already.")
    return f"{before}{UNRELEASED}\n## [{version}] - {day}\n{after}"


def pinned(dockerfile: str, digest: str) -> str:
    """Returns the Dockerfile with its base image pinned to a digest, or as it is pinned. Raises `Refused`."""
    if digest and not re.fullmatch("sha256:[0-9a-f]{64}", digest):
        raise Refused(f"DIGEST={digest} is not sha256: and 64 hex digits.")
    images = {image for image, _, _ in IMAGE.findall(dockerfile)}
    if not digest and not all(found for _, found, _ in IMAGE.findall(dockerfile)):
        named = " and ".join(sorted(images))
        raise Refused(
            f"The Dockerfile does not pin {named}: give DIGEST=sha256:…, as `docker buildx imagetools inspect` prints."
        )
    return IMAGE.sub(rf"FROM \1@{digest}\3", dockerfile) if digest else dockerfile


def with_version(manifest: str, version: str) -> str:
    """Returns the package.json or package-lock.json of the client for JavaScript with a version."""
    fields = json.loads(manifest)
    for of in (fields, fields.get("packages", {}).get("")):
        if of:
            of["version"] = version
    return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"


def changed_files(version: str, digest: str, day: str) -> dict[Path, str]:
    """Returns the new content of the files that name the version. Raises `Refused`."""
    project, changelog, dockerfile = (CHECKOUT / name for name in ("pyproject.toml", "CHANGELOG.md", "Dockerfile"))
    client = {file: file.read_text("utf-8") for file in (CLIENT / "package.json", CLIENT / "package-lock.json")}
    text = project.read_text("utf-8")
    [present] = VERSION_LINE.findall(text)
    if number(version) < number(present):
        raise Refused(f"VERSION={version} is older than {present}, which pyproject.toml has.")
    return {
        project: VERSION_LINE.sub(f'version = "{version}"', text),
        changelog: with_section(changelog.read_text("utf-8"), version, day),
        dockerfile: pinned(dockerfile.read_text("utf-8"), digest),
        **{file: with_version(text, version) for file, text in client.items()},
    }


def git(*arguments: str) -> str:
    """Returns the output of a command of git in the checkout."""
    return subprocess.run(["git", *arguments], cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout.strip()


def check_bill(bill: Path, version: str) -> None:
    """Checks that the bill of materials has this version, and a licence for each component. Raises `Refused`."""
    components = json.loads(bill.read_text("utf-8"))["components"]
    ours = [one["version"] for one in components if one["name"] == "content-workflow"]
    unlicensed = sorted(one["name"] for one in components if not one.get("licenses"))
    if ours != [version] or unlicensed:
        raise Refused(f"{bill.name}: content-workflow is {ours}, and without a licence are {unlicensed}.")


def build(version: str, dist: Path) -> None:
    """Builds wheel, sdist and bill of materials, and tries the wheel outside of the checkout. Raises `Refused`."""
    [wheel] = WheelBuilder(str(CHECKOUT)).build(directory=str(dist), versions=["standard"])
    [sdist] = SdistBuilder(str(CHECKOUT)).build(directory=str(dist), versions=["standard"])
    if check([wheel, sdist], strict=True):
        raise Refused("twine refuses the package.")
    bill = dist / f"content-workflow-{version}.cdx.json"
    with TemporaryDirectory() as folder:
        commands = install(Path(wheel), Path(folder) / "environment")
        if (said := version_of(commands)) != version:
            raise Refused(f"The package says that it is {said}.")
        program = Path(sys.executable).parent / "cyclonedx-py"
        options: list[str | Path] = ["--output-reproducible", "--output-file", bill]
        subprocess.run([program, "environment", *options, commands / "python"], check=True)
        check_bill(bill, version)
        with running_mongod(Path(folder) / "mongod") as uri:
            try_out(commands, Path(folder), uri)


def build_client(dist: Path) -> None:
    """Builds and packs the client for JavaScript."""
    dist.mkdir(exist_ok=True)
    for command in (["ci", "--no-audit", "--no-fund"], ["pack", "--pack-destination", str(dist)]):
        subprocess.run(["npm", *command], cwd=CLIENT, check=True)


@click.command()
@click.argument("version")
@click.option("--digest", default="", help="The digest of the base image of the container.")
def main(version: str, digest: str) -> None:
    """Change what names the version, compile the locks, build into dist/, and try the package."""
    if git("status", "--porcelain"):
        raise Refused("The checkout has changes that are not committed.")
    if tag := git("tag", "--list", f"v{version}"):
        raise Refused(f"The tag {tag} exists already.")
    for path, text in changed_files(version, digest, f"{datetime.now(UTC):%Y-%m-%d}").items():
        path.write_text(text, "utf-8")
    subprocess.run(["make", "lock"], cwd=CHECKOUT, check=True)
    build_client(CHECKOUT / "dist")
    build(version, CHECKOUT / "dist")
    click.echo(f"dist/ has {version}. Look at `git diff`, then: git commit --all --message 'Release {version}'")
    click.echo(f"git tag --annotate v{version} --message {version} && git push --follow-tags")
    click.echo("twine upload dist/*.whl dist/*.tar.gz")
    click.echo(f"npm publish dist/content-workflow-client-{version}.tgz")


if __name__ == "__main__":
    main()
