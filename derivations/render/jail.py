"""A user's own template: sandboxed, in a process of its own with bounded time and memory.

The sandbox keeps a template from Python's internals; it cannot keep one from looping or from
doubling a string forty times. The process can, and the template only ever sees plain data.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..plaindata import plain
from ..report import Report

__all__ = ["render_user_template"]

SECONDS = 10
MEGABYTES = 1024
MAX_TEMPLATE = 512 * 1024
MAX_OUTPUT = 20 * 1024 * 1024


def render_user_template(file: str, report: Report, data: dict[str, Any]) -> str:
    """Render a user's template with `report` and `data`. Raises InputError for everything it does wrong."""
    template = _read(file)
    job = json.dumps({"template": template, "report": plain(report), "data": data})
    try:
        done = subprocess.run(
            [sys.executable, "-m", "derivations.render.jail"],
            input=job.encode(),
            capture_output=True,
            timeout=SECONDS + 5,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"the template {file} ran longer than {SECONDS} s; does a loop not end?") from None
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise InputError(
            f"the template {file} ran longer than {SECONDS} s or used more than {MEGABYTES} MB; "
            "does a loop not end?"
        ) from None
    if "error" in answer:
        line = f":{answer['line']}" if answer.get("line") else ""
        raise InputError(f"{file}{line}: {answer['error']}")
    text = str(answer["text"])
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"the template {file} makes text that is not UTF-8") from None
    return text


def _read(file: str) -> str:
    path = Path(file)
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"the template {file} is no regular file")
        if path.stat().st_size > MAX_TEMPLATE:
            raise InputError(f"the template {file} is larger than {MAX_TEMPLATE // 1024} KiB")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"there is no template {file}") from None
    except UnicodeDecodeError:
        raise InputError(f"the template {file} is not UTF-8 text") from None
    except ValueError:
        raise InputError(f"{file[:60]!r} cannot be the name of a file") from None
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(f"cannot read the template {file}: {reason}") from None


def _limit() -> None:
    """Bound this process; where the system offers no limits, the parent's clock remains."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    size = MEGABYTES * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _answer(job: dict[str, Any]) -> dict[str, Any]:
    from jinja2 import TemplateSyntaxError, UndefinedError
    from jinja2.exceptions import SecurityError

    from .environment import template_environment

    try:
        template = template_environment().from_string(job["template"])
        pieces, size = [], 0
        for piece in template.generate(report=job["report"], data=job["data"]):
            size += len(piece)
            if size > MAX_OUTPUT:
                return {"error": f"the output is larger than {MAX_OUTPUT // 2**20} MiB"}
            pieces.append(piece)
        return {"text": "".join(pieces)}
    except TemplateSyntaxError as error:
        return {"error": f"not a valid template: {error.message}", "line": error.lineno}
    except UndefinedError as error:
        return {
            "error": f"{error.message}; a template has `report` and `data`",
            "line": _line(error),
        }
    except SecurityError as error:
        return {"error": f"not allowed in a template: {error}", "line": _line(error)}
    except MemoryError:
        return {"error": f"the template used more than {MEGABYTES} MB"}
    except Exception as error:  # whatever the template's own expressions raise
        return {"error": f"the template failed: {error}", "line": _line(error)}


def _line(error: BaseException) -> int | None:
    """The template's line in a traceback of rendered code."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


if __name__ == "__main__":
    _limit()
    sys.stdout.write(json.dumps(_answer(json.loads(sys.stdin.buffer.read()))))
