"""Office documents: their words, and no more of an archive than is allowed."""

import zipfile
from pathlib import Path

import pytest

from tools import officetext
from tools.filetext import CHARACTERS_MAX, FileText, text_of

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
T = 'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'


def packed(path: Path, **parts: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def word(path: Path, *paragraphs: str) -> Path:
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    return packed(path, **{"word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>"})


def office(path: Path, words: str) -> Path:
    """A document of the kind that its name says."""
    if path.suffix == ".xlsx":
        row = f'<row><c t="inlineStr"><is><t>{words}</t></is></c></row>'
        sheet = f"<worksheet {S}><sheetData>{row}</sheetData></worksheet>"
        return packed(path, **{"xl/worksheets/sheet1.xml": sheet})
    if path.suffix == ".pptx":
        slide = f"<p:sld xmlns:p='p' {A}><a:p><a:r><a:t>{words}</a:t></a:r></a:p></p:sld>"
        return packed(path, **{"ppt/slides/slide1.xml": slide})
    return word(path, words)


async def read(path: Path) -> FileText:
    return await text_of(path, media_type="", name=path.name)


async def test_a_word_document_is_its_paragraphs(tmp_path: Path) -> None:
    found = await read(word(tmp_path / "a.docx", "The lease ends", "in <w:tab/>May"))
    assert (found.state, found.text) == ("read", "The lease ends\nin")
    split = packed(
        tmp_path / "b.docx",
        **{
            "word/document.xml": f"<w:document {W}><w:body><w:p><w:r><w:t>le</w:t></w:r><w:r><w:t>ase</w:t><w:br/></w:r>"
            "<w:r><w:t>ends</w:t></w:r></w:p></w:body></w:document>",
            "word/footnotes.xml": f"<w:footnotes {W}><w:p><w:r><w:t>a note</w:t></w:r></w:p></w:footnotes>",
        },
    )
    assert (await read(split)).text == "lease ends\na note"


async def test_a_workbook_is_its_rows(tmp_path: Path) -> None:
    path = packed(
        tmp_path / "a.xlsx",
        **{
            "xl/sharedStrings.xml": f"<sst {S}><si><t>Miete</t></si><si><r><t>Mä</t></r><r><t>rz</t></r></si></sst>",
            "xl/worksheets/sheet1.xml": f'<worksheet {S}><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c>'
            '<c><v>950.5</v></c><c t="s"><v>99</v></c><c t="inlineStr"><is><t>Euro</t></is></c></row></sheetData></worksheet>',
        },
    )
    assert (await read(path)).text == "Miete\tMärz\t950.5\tEuro"


async def test_slides_come_in_their_order(tmp_path: Path) -> None:
    slide = f"<p:sld xmlns:p='p' {A}><a:p><a:r><a:t>%s</a:t></a:r></a:p></p:sld>"
    names = {f"ppt/slides/slide{number}.xml": slide % f"slide {number}" for number in (10, 2, 1)}
    assert (await read(packed(tmp_path / "a.pptx", **names))).text == "slide 1\nslide 2\nslide 10"


async def test_an_open_document_is_its_paragraphs(tmp_path: Path) -> None:
    content = f"<office:document-content {T}><text:h>Plan</text:h><text:p>one <text:span>two</text:span> three</text:p></office:document-content>"
    assert (await read(packed(tmp_path / "a.odt", **{"content.xml": content}))).text == "Plan\none two three"


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        pytest.param("a.docx", b"no archive", id="no archive"),
        pytest.param("a.docx", b"PK\x03\x04" + b"\0" * 100, id="half an archive"),
        pytest.param("a.xlsx", b"", id="nothing"),
    ],
)
async def test_what_can_not_be_read_says_so(tmp_path: Path, name: str, raw: bytes) -> None:
    (tmp_path / name).write_bytes(raw)
    found = await read(tmp_path / name)
    assert (found.state, found.text) == ("unreadable", "")
    assert found.because


async def test_broken_xml_and_a_document_without_words_say_so(tmp_path: Path) -> None:
    assert (await read(packed(tmp_path / "a.docx", **{"word/document.xml": "<w:p><"}))).state == "unreadable"
    assert (await read(packed(tmp_path / "b.docx", **{"other.xml": "<a/>"}))).because == "it has no words"


async def test_entities_that_grow_without_end_are_not_unfolded(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE x [<!ENTITY a0 "ha">{entities}]><w:document {W}><w:p><w:t>&a11;</w:t></w:p></w:document>'
    assert (await read(packed(tmp_path / "a.docx", **{"word/document.xml": bomb}))).state == "unreadable"


def test_an_archive_that_unpacks_to_too_much_is_left_where_the_bound_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = word(tmp_path / "a.docx", *["x" * 1000] * 500)
    assert path.stat().st_size < 10_000
    monkeypatch.setattr(officetext, "PART_MAX_BYTES", 100_000)
    assert officetext.words_of(str(path), CHARACTERS_MAX)["because"] == "it can't be read (ValueError)"


def test_no_more_words_are_read_than_are_wanted(tmp_path: Path) -> None:
    path = word(tmp_path / "a.docx", *["x" * 100] * 50)
    assert len(str(officetext.words_of(str(path), 250)["text"])) <= 253
