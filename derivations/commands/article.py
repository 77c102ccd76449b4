"""`derive article`: the three documents derived again, every claim of theirs judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .folder import output_folder
from .options import pick_format
from .output import Ticker, check_output, emit, notice, write_whole


@click.command(
    help="Derive every table, figure, formula and number of the documents again, and say of each: holds, holds "
    "under a condition, wrong, or contradicts another place. Without options, the errata of all documents; "
    "with --document, one of them in full; with --claim, one claim with its whole derivation. The exit status "
    "is 1 where a verdict is not the one its file expects."
)
@click.option(
    "--document", metavar="NAME|FILE", help="The whole of article, note or card, or of a file of your own."
)
@click.option("--claim", metavar="ID", help="One claim with everything it rests on, or all whose ids start so.")
@click.option("--text", is_flag=True, help="Plain text (the default).")
@click.option("--markdown", is_flag=True, help="Markdown that GitHub shows right.")
@click.option("--latex", is_flag=True, help="A LaTeX document.")
@click.option("--html", is_flag=True, help="One HTML page that needs nothing else.")
@click.option("--json", is_flag=True, help="Every claim as JSON (schema derive/1).")
@click.option(
    "-o",
    "--output",
    metavar="DIR|FILE",
    help="Write all documents and the errata into a folder; with a format or --claim, that page into a file.",
)
def command(document: str | None, claim: str | None, output: str | None, **flags: Any) -> int:
    """Judge, print or write."""
    form = pick_format(flags)
    from ..articles import documents

    chosen = [document] if document is not None else documents()
    file = output if claim is not None or form != "text" else None
    check_output(file)
    folder = output_folder(output) if output is not None and file is None else None
    if claim is not None:
        return _one_claim(claim, chosen, form, file)
    pages = _judged(chosen)
    wrong = [v for page in pages for v in page.verdicts.values() if not v.as_expected]
    for verdict in wrong:
        notice(f"{verdict.claim.id}: {verdict.status}, and {verdict.claim.expect} is expected")
    if folder is not None:
        _write(pages, folder)
    elif form == "json":
        from ..render.data import SCHEMA, to_json
        from ..render.documents import verdicts_data

        emit(to_json({"schema": SCHEMA, "claims": verdicts_data(pages)}), file)
    else:
        from ..pages.document import document_report
        from ..pages.errata import errata_report
        from ..render import render

        report = document_report(pages[0]) if document is not None else errata_report(pages)
        emit(render(report, form), file)
    return 1 if wrong else 0


def _judged(names: list[str]) -> list[Any]:
    """Every document with its verdicts."""
    from ..articles import judged_page

    with Ticker() as ticker:
        return [judged_page(name, ticker.say) for name in names]


def _one_claim(wanted: str, names: list[str], form: str, output: str | None) -> int:
    """One claim, with those its contradiction speaks of."""
    from ..documents.judged import judge_document
    from ..documents.reading import load_document
    from ..errors import unknown
    from ..pages.documentpage import Page
    from ..pages.figurecheck import figure_report
    from ..render import render
    from ..render.data import SCHEMA, to_json
    from ..render.documents import verdict_data

    by_id = {claim.id: document for document in map(load_document, names) for claim in document.claims()}
    below = [name for name in by_id if name.startswith(f"{wanted}-")]
    if wanted not in by_id and below:
        return _several(by_id[below[0]], below, form, output)
    if wanted not in by_id:
        raise unknown("claim", wanted, by_id)
    document = by_id[wanted]
    own = next(claim for claim in document.claims() if claim.id == wanted)
    more = own.against.ids.values() if own.against is not None else ()
    found = {v.claim.id: v for v in judge_document(document, {wanted, *more})}
    page, verdict = Page(document, found), found[wanted]
    if form == "json":
        emit(to_json({"schema": SCHEMA, "claims": [verdict_data(page, verdict)]}), output)
    else:
        emit(render(figure_report(page, verdict), form), output)
    return 0 if verdict.as_expected else 1


def _several(document: Any, names: list[str], form: str, output: str | None) -> int:
    """The claims of a section or a table, each on a line."""
    from ..documents.judged import judge_document
    from ..pages.document import some_claims
    from ..pages.documentpage import Page
    from ..render import render
    from ..render.data import SCHEMA, to_json
    from ..render.documents import verdicts_data

    others = [n for c in document.claims() if c.id in names and c.against for n in c.against.ids.values()]
    found = {v.claim.id: v for v in judge_document(document, {*names, *others})}
    page = Page(document, found)
    if form == "json":
        data = [claim for claim in verdicts_data([page]) if claim["id"] in names]
        emit(to_json({"schema": SCHEMA, "claims": data}), output)
    else:
        emit(render(some_claims(page, names), form), output)
    return 0 if all(found[name].as_expected for name in names) else 1


def _write(pages: list[Any], folder: Path) -> None:
    """The pages as files, each whole or not at all; all are made before the first is written."""
    from ..articles import document_pages
    from ..render import render

    endings = {"md": "markdown", "html": "html", "tex": "latex"}
    made: dict[str, str] = {}
    for path, _, content in document_pages(pages):
        if isinstance(content, str):
            made[path] = content
        else:
            made |= {f"{path}.{ending}": render(content, form) for ending, form in endings.items()}
    for name in made:
        check_output(str(folder / name))
    for name, text in made.items():
        write_whole(folder / name, text)
    notice(f"{len(made)} files in {folder}")
