"""Small files that tests send: made here, byte by byte."""


def pdf(*pages: str) -> bytes:
    """A PDF whose pages say these words, in plain ASCII."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, words in enumerate(pages):
        shown = f"BT /F1 12 Tf 72 720 Td ({words}) Tj ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream")
    return _with_table(objects)


def _with_table(objects: list[str], *, more_in_trailer: str = "") -> bytes:
    whole, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(whole))
        whole += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    return (
        f"{whole}xref\n0 {size}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {size} /Root 1 0 R {more_in_trailer}>>\nstartxref\n{len(whole)}\n%%EOF\n"
    ).encode("latin-1")


def locked_pdf() -> bytes:
    """A PDF that nobody reads without its password."""
    from io import BytesIO  # noqa: PLC0415

    from pypdf import PdfReader, PdfWriter  # noqa: PLC0415

    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf("nobody reads this"))))
    writer.encrypt("a password", algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()
