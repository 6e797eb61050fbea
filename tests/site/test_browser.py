"""The built site in Debian's chromium: `make test-site`. SCREENSHOTS names a folder for pictures of every page."""

import os
import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.site

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
PAGES = [str(path.relative_to(SITE)) for path in sorted(SITE.rglob("*.html")) if "_static" not in path.parts]
WIDTHS = {"desk": 1280, "phone": 390}


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    assert program, "no chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser):
    """A page that keeps what went wrong on it: console errors, exceptions, and requests that leave the files."""
    opened = browser.new_page(viewport={"width": WIDTHS["desk"], "height": 900})
    opened.wrong = []
    opened.on("console", lambda message: message.type == "error" and opened.wrong.append(message.text))
    opened.on("pageerror", lambda error: opened.wrong.append(str(error)))
    opened.on("requestfailed", lambda request: opened.wrong.append(f"failed: {request.url}"))
    opened.on(
        "request",
        lambda request: request.url.startswith(("file:", "data:", "blob:")) or opened.wrong.append(request.url),
    )
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The report of the published runs, as `make report` writes it of a run."""
    from studies.config import load
    from studies.page import page as page_of

    path = tmp_path_factory.mktemp("report") / "report.html"
    root = Path(__file__).parents[2]
    published = root / "results" / "published"
    config = load(root / "config" / "config.yaml", root / "config" / "paper.yaml")
    path.write_text(page_of(config, published, published, "report_workflow.html"), encoding="utf-8")
    return path.as_uri()


def address(name):
    return (SITE / name).as_uri()


def test_the_site_is_built():
    assert {"index.html", "claims_judged.html", "comparisons.html", "papers/hypertune.html"} <= set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_loads_without_errors_or_network_at_two_widths(page, name):
    for width_name, width in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(address(name))
        pictures = page.locator("main img:not(.sphx-glr-thumbcontainer img)")
        for picture in pictures.all():
            picture.evaluate("one => one.loading = 'eager'")
            assert picture.get_attribute("alt"), picture.get_attribute("src")
        page.wait_for_function("[...document.images].every(one => one.complete)")
        assert page.evaluate("[...document.images].every(one => one.naturalWidth > 0)")
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 1, f"{overflow} pixels too wide at {width}"
        if folder := os.environ.get("SCREENSHOTS"):
            picture = Path(folder) / f"{name.replace('/', '.')}.{width_name}.png"
            page.screenshot(path=picture, full_page=True)
    assert page.wrong == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_dead_links(name):
    text = (SITE / name).read_text()
    for link in re.findall(r'(?:href|src)="([^"]+)"', text):
        parts = urlsplit(link.replace("&amp;", "&"))
        if parts.scheme in ("http", "https", "data", "mailto"):
            continue
        target = (SITE / name).parent / unquote(parts.path) if parts.path else SITE / name
        assert target.exists(), link
        if parts.fragment and target.suffix == ".html":
            assert re.search(rf'\bid="{re.escape(unquote(parts.fragment))}"', target.read_text()), link


def test_claims_are_filtered_by_paper_verdict_and_words(page):
    page.goto(address("claims_judged.html"))
    cards = page.locator("article.claim")
    shown = page.locator("article.claim:visible")
    of_documents = page.locator('article.claim[data-kind="document"]').count()
    assert shown.count() == of_documents < cards.count()
    page.select_option("[name=paper]", "greedy_cv")
    page.select_option("[name=verdict]", "contradicted")
    wanted = page.locator('article[data-paper="greedy_cv"][data-verdict="contradicted"][data-kind="document"]')
    assert shown.count() == wanted.count() > 0
    assert page.locator("#claim-count").inner_text().startswith(f"{wanted.count()} of")
    page.fill("[name=words]", "no such words anywhere")
    assert shown.count() == 0
    page.goto(address("claims_judged.html") + "?paper=hypertune")
    assert {card.get_attribute("data-paper") for card in shown.all()} == {"hypertune"}
    assert page.wrong == []


def test_a_claim_that_the_address_names_is_shown_whatever_the_filters(page):
    page.goto(address("claims_judged.html") + "?paper=greedy_cv")
    page.select_option("[name=paper]", "hypertune")
    assert page.url.endswith("?paper=hypertune&kind=document")
    hidden = page.locator('article.claim[data-paper="big_data"]').first
    assert not hidden.is_visible()
    page.evaluate("id => { location.hash = id; }", hidden.get_attribute("id"))
    hidden.wait_for(state="visible")
    assert page.url.endswith(f"?kind=#{hidden.get_attribute('id')}")
    page.select_option("[name=paper]", "exploration")
    page.reload()
    assert page.input_value("[name=paper]") == "exploration"
    assert page.wrong == []


def test_every_claim_has_its_quantity_a_verdict_and_a_strip(page):
    page.goto(address("claims_judged.html"))
    for part in (".verdict", ".quantity", "svg.strip[aria-label]", "dl"):
        assert page.locator(f"article.claim:not(:has({part}))").count() == 0


def test_dark_mode_changes_the_ground_and_keeps_words_readable(page):
    page.goto(address("claims_judged.html"))
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    words = page.evaluate("getComputedStyle(document.querySelector('.quantity')).color")

    def light(color):
        return sum(float(part) for part in re.findall(r"[\d.]+", color)[:3])

    assert light(words) - light(ground) > 300
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / "claims_judged.dark.png")


def test_the_explorer_draws_every_comparison_and_answers_to_its_controls(page):
    page.goto(address("comparisons.html"))
    for place in range(page.locator("[name=comparison] option").count()):
        page.select_option("[name=comparison]", index=place)
        for currency in range(page.locator("[name=currency] option").count()):
            page.select_option("[name=currency]", index=currency)
            for chart in ("regret", "won", "ranks"):
                page.wait_for_selector(f"#chart-{chart} svg.marks")
        if folder := os.environ.get("SCREENSHOTS"):
            page.wait_for_timeout(500)
            page.screenshot(path=Path(folder) / f"explorer.{place}.png", full_page=True)
    bars = page.locator("#chart-won .mark-rect path")
    before = bars.count()
    page.locator("[data-of=methods] input").first.uncheck()
    page.wait_for_function(
        "n => document.querySelectorAll('#chart-won .mark-rect path').length === n", arg=before - 1
    )
    page.click("[data-none=methods]")
    assert "Nothing to show" in page.locator("#chart-regret").inner_text()
    for chart in ("won", "ranks"):
        assert page.locator(f"#chart-{chart}").inner_text() == "Nothing to rank."
    assert page.wrong == []


def test_the_explorer_orders_its_panels_as_its_list_and_is_seen_in_the_dark(page):
    page.goto(address("comparisons.html"))
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_function(
        "[...document.querySelectorAll('[data-of=methods] i')].every(chip => {"
        "const [r, g, b] = getComputedStyle(chip).backgroundColor.match(/[0-9]+/g).map(Number);"
        "return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255 > 0.44; })"
    )
    page.wait_for_selector("#chart-regret svg.marks")
    listed = [label.inner_text() for label in page.locator("[data-of=problems] label:has(:checked)").all()]
    words = page.locator("#chart-regret svg text").all_text_contents()
    assert [text for text in words if text in listed] == listed
    assert page.wrong == []


def test_a_wide_picture_is_scrolled_on_a_phone_and_no_page_with_it(page):
    page.set_viewport_size({"width": WIDTHS["phone"], "height": 900})
    page.goto(address("papers/beta_pruning.html"))
    boxes = page.locator("figure.wide")
    assert boxes.count() > 3
    for box in boxes.all():
        assert box.evaluate("one => one.scrollWidth > one.clientWidth + 100")
        box.evaluate("one => one.scrollLeft = 200")
        assert box.evaluate("one => one.scrollLeft") == 200
        words = box.locator("figcaption").bounding_box()
        assert words["x"] >= 0
        assert words["x"] + words["width"] <= WIDTHS["phone"]


def test_every_table_claim_and_picture_of_the_report_opens(page, report):
    page.goto(report)
    for width in WIDTHS.values():
        page.set_viewport_size({"width": width, "height": 900})
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 1, f"{overflow} pixels too wide at {width}"
    closed = page.locator("details:not([open]) > summary")
    while closed.count():
        closed.first.click()
    tables = list((SITE.parents[2] / "results" / "published").glob("*/tables/*.md"))
    assert page.locator("table:visible").count() >= len(tables) > 35
    assert page.locator("article.claim:visible:has(svg.strip[aria-label])").count() > 200
    assert page.locator("img:not([alt])").count() == 0
    assert page.evaluate("[...document.images].every(one => one.complete && one.naturalWidth > 0)")
    assert page.wrong == []
