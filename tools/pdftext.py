"""The words of one PDF, as a program of its own: `python pdftext.py FILE PAGES CHARACTERS SECONDS`.

A PDF is written by strangers, and reading one can take all the time and memory there is. So it is read in a process
that is bounded in both and holds nothing of ours: this file imports nothing but pypdf. It writes one line of JSON:
`pages` and `text`, or `because` when there is nothing to be had.
"""

import json
import logging
import os
import resource
import sys

MEMORY_MAX_BYTES = 1 << 30
NICENESS = 10


def words_of(path: str, pages_max: int, characters_max: int) -> dict[str, object]:
    """What can be read of the PDF at `path`."""
    from pypdf import PdfReader  # noqa: PLC0415 - after the bounds are set

    logging.disable(logging.CRITICAL)
    try:
        reader = PdfReader(path, strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return {"because": "it is encrypted"}
        found, room = [], characters_max
        for page in reader.pages[:pages_max]:
            text = page.extract_text()[:room]
            found.append(text)
            room -= len(text)
            if room <= 0:
                break
        return {"pages": len(reader.pages), "text": "\n\n".join(found)}
    # Whatever a broken file makes the library raise: all of it means that there is nothing to read.
    except Exception as error:  # noqa: BLE001
        return {"because": f"it can't be read ({type(error).__name__})"}


if __name__ == "__main__":
    _path, _pages, _characters, _seconds = sys.argv[1], *map(int, sys.argv[2:5])
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX_BYTES, MEMORY_MAX_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (_seconds, _seconds + 1))
    sys.stdout.buffer.write(json.dumps(words_of(_path, _pages, _characters)).encode())
