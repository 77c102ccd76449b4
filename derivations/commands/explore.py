"""`derive explore -o explorer.html`: one page with sliders, whose formulas are printed from the engine."""

from __future__ import annotations

from pathlib import Path

import click

from .options import bundled
from .output import check_output, notice, write_whole


@click.command(
    help="Write one HTML page that needs nothing else: sliders for sizes, batch, ranks and accelerator, and "
    "what attention costs there, from closed forms printed from the engine. Its address keeps the setting."
)
@click.option("-o", "--output", metavar="FILE", default="explorer.html", help="The page (explorer.html).")
@click.option("--model", metavar="NAME|FILE", default="deepseek-v3", shell_complete=bundled("checkpoints"),
              help="Start with the sizes of this model (deepseek-v3): `derive list models`.")  # fmt: skip
@click.option("--gpu", metavar="NAME|FILE", default="h200-sxm", shell_complete=bundled("hardware"),
              help="Start with this accelerator (h200-sxm): `derive list gpus`.")  # fmt: skip
@click.option("--set", "assignments", metavar="NAME=VALUE", multiple=True,
              help="Start with this value, over the model's; repeatable. TP is set here too.")  # fmt: skip
def command(output: str, model: str, gpu: str, assignments: tuple[str, ...]) -> None:
    """Check what can be checked at once, derive, write."""
    check_output(output)
    from ..explorer import Start, explorer_page
    from ..explorer.controls import assigned

    page = explorer_page(Start(model, gpu, assigned(assignments)))
    write_whole(Path(output), page)
    notice(f"{output}: {len(page.encode('utf-8')) / 1e6:.1f} MB; open it in a browser, no network is needed")
