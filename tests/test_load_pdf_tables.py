"""Tables of PDFs: ruled and borderless, empty cells, headers, signs, over pages. Also what must not become a table."""

from __future__ import annotations

import pytest

from pdf_writer import Put, grid, lines, make_pdf
from test_load_pdf import dropped, load
from yinju.load.parsed import Parsed


@pytest.fixture(autouse=True)
def without_ocr(monkeypatch):
    monkeypatch.setattr("yinju.load.ocr.page_reader", lambda limits: None)


def spans(parsed: Parsed, kind: str) -> list[str]:
    return [mark.span.of(parsed.text) for mark in parsed.marks if mark.kind == kind]


def put_rows(rows, xs, y=700.0, step=20.0, **more):
    return [
        Put(x, y - step * number, cell, **more)
        for number, row in enumerate(rows)
        for x, cell in zip(xs, row, strict=True)
        if cell
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [("Part", "Torque", "Note"), ("P001", "10 Nm", ""), ("P002", "", "spare"), ("P003", "14 Nm", "oiled")],
        [("零件", "扭矩", "备注"), ("甲型", "10", ""), ("乙型", "", "备用"), ("丙型", "14", "已上油")],
    ],
)
@pytest.mark.parametrize("ruled", [True, False])
def test_empty_cells_stay_empty_cells_and_the_header_is_marked(rows, ruled):
    page = put_rows(rows, (64, 164, 264))
    if ruled:
        page.append(grid((60, 160, 260, 360), (635, 655, 675, 695, 715)))
    parsed = load(make_pdf([page]))
    assert parsed.text == "\n".join("\t".join(row) for row in rows)
    assert spans(parsed, "header") == ["\t".join(rows[0])]
    assert spans(parsed, "row") == ["\t".join(row) for row in rows[1:]]
    assert len(spans(parsed, "table")) == 1


def test_cells_close_to_a_rule_are_parted_by_it():
    page = [
        *put_rows([("Name", "Sort"), ("ab 12", "cd"), ("ef 34", "gh")], (62, 99)),
        grid((60, 97, 150), (655, 675, 695, 715)),
    ]
    assert load(make_pdf([page])).text == "Name\tSort\nab 12\tcd\nef 34\tgh"


def test_merged_cells_stand_once_and_a_header_of_two_rows_is_header_as_a_whole():
    rows = [("Region", "Sales", ""), ("", "2023", "2024"), ("North", "10", "12"), ("South", "7", "9")]
    page = put_rows(rows, (64, 164, 264))
    # The second level rule stops before the first column, the middle upright one below the first row.
    page += [grid((60, 160, 360), (635, 655, 675, 715)), grid((160, 360), (695, 715)), grid((260, 260), (635, 695))]
    parsed = load(make_pdf([page]))
    assert parsed.text == "\n".join("\t".join(row) for row in rows)
    assert spans(parsed, "header") == ["Region\tSales\t\n\t2023\t2024"]


def test_cells_of_several_lines_are_joined_in_a_ruled_table():
    page = [
        *put_rows([("Term", "Meaning")], (64, 164), y=702),
        Put(64, 680, "Pump"),
        *lines(["moves water or infor-", "mation through pipes"], x=164, y=682, step=12),
        *put_rows([("Lamp", "gives light")], (64, 164), y=646),
        grid((60, 160, 360), (640, 662, 697, 715)),
    ]
    parsed = load(make_pdf([page]))
    assert parsed.text == "Term\tMeaning\nPump\tmoves water or information through pipes\nLamp\tgives light"
    assert dropped(parsed) == {"hyphen at a line's end": 1}


def test_a_box_around_a_paragraph_is_no_table():
    page = [*lines(["This notice is framed by", "a box and is plain text."], x=64), grid((60, 300), (690, 740))]
    parsed = load(make_pdf([page]))
    assert parsed.text == "This notice is framed by a box and is plain text."
    assert not spans(parsed, "table")


def test_signs_in_cells_of_their_own_belong_to_the_number_beside_them():
    page = [Put(200, 715, "2024"), Put(300, 715, "2023")]
    rows = [
        ("Net sales", "$", "4,236", "$", "3,844"),
        ("Cost", "", "(1,860", "", "(1,954"),
        ("Income", "$", "2,376", "$", "1,890"),
    ]
    page += put_rows(rows, (60, 170, 200, 270, 300))
    page += [Put(240, 680, ")"), Put(340, 680, ")")]
    assert load(make_pdf([page])).text == (
        "\t2024\t2023\nNet sales\t$4,236\t$3,844\nCost\t(1,860)\t(1,954)\nIncome\t$2,376\t$1,890"
    )


@pytest.mark.parametrize("names", [("Part", "Torque", "Mass"), ("零件", "扭矩", "质量")])
@pytest.mark.parametrize("ruled", [True, False])
def test_a_table_goes_on_over_pages_with_its_header_once(names, ruled):
    def page(first: int) -> list:
        rows = [names, *[(f"P{number}", f"{number} Nm", f"{number} kg") for number in range(first, first + 3)]]
        return put_rows(rows, (64, 164, 264)) + (
            [grid((60, 160, 260, 360), (635, 655, 675, 695, 715))] if ruled else []
        )

    parsed = load(make_pdf([page(1), page(4), page(7)]))
    expected = ["\t".join(names), *[f"P{number}\t{number} Nm\t{number} kg" for number in range(1, 10)]]
    assert parsed.text == "\n".join(expected)
    assert len(spans(parsed, "table")) == 1
    assert dropped(parsed) == {"repeated table header": 2 * len("".join(names))}
    assert [mark.level for mark in parsed.marks if mark.kind == "page"] == [1, 2, 3]


def test_a_title_over_all_columns_parts_a_grid_into_two_tables():
    rows = [("Staff", "Number"), ("Berlin", "12"), ("Plants of the group", ""), ("Town", "Built"), ("Bonn", "1 990")]
    page = [*put_rows(rows, (64, 164)), grid((60, 260), (615, 635, 655, 675, 695, 715))]
    page += [grid((160, 160), (675, 715)), grid((160, 160), (615, 655))]
    parsed = load(make_pdf([page]))
    assert parsed.text == "Staff\tNumber\nBerlin\t12\n\nPlants of the group\n\nTown\tBuilt\nBonn\t1 990"


def test_rows_that_are_not_ruled_off_are_told_apart_by_their_values():
    rows = [("Item", "Price"), ("Lamp", "12.50"), ("Shade", "3.20"), ("Cable", "1.10")]
    page = [*put_rows(rows, (64, 164), step=14), grid((60, 160, 260), (650, 695, 715))]
    assert load(make_pdf([page])).text == "\n".join("\t".join(row) for row in rows)


def test_three_columns_of_prose_are_no_table():
    texts = [
        ("the pump in the north hall", "was replaced after it had", "failed and then been sent"),
        ("was cleaned by two workers", "stood in water for a week", "back to the maker of it"),
        ("who came in the morning and", "while nobody was on the site", "where it was taken apart"),
        ("left before the rain began.", "to see what had happened.", "and finally repaired."),
    ]
    page = [Put(x, 700 - 14 * n, row[c]) for n, row in enumerate(texts) for c, x in ((0, 40), (1, 220), (2, 400))]
    parsed = load(make_pdf([page]))
    assert (
        "north hall was cleaned by two workers who came in the morning and left before the rain began." in parsed.text
    )
    assert not spans(parsed, "table")


def test_index_marks_stay_in_their_row():
    page = [
        *put_rows([("Sales", "10", "12"), ("Gain", "4", "5"), ("Costs", "6", "7")], (64, 164, 264)),
        Put(91, 686, "a", size=7),
    ]
    assert "Gaina\t4\t5" in load(make_pdf([page])).text
