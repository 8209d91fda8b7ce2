"""Pictures in the console, in a browser: dropped, pasted, chosen, described, as a cover, and the page of all."""

import base64
import os
import re
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.console.browser import Window
from tests.console.test_in_a_browser import screen
from tests.console.test_pasting import press
from tests.images.pictures import a_picture
from tests.make import OPERATIONS, Project, a_document

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.needs_mongod]

SHOTS = os.environ.get("SHOTS", "")
TRANSFER = """
const [place, kind, data, html, name] = arguments;
const transfer = new DataTransfer();
if (data) {
  const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
  transfer.items.add(new File([bytes], name, { type: "image/png" }));
}
if (html) transfer.setData("text/html", html);
const { left, top } = place.getBoundingClientRect();
const options = { bubbles: true, cancelable: true, composed: true, clientX: left + 30, clientY: top + 30 };
const event = kind === "paste"
  ? new ClipboardEvent("paste", { ...options, clipboardData: transfer })
  : new DragEvent("drop", { ...options, dataTransfer: transfer });
place.dispatchEvent(event);
"""


def transfer(window: Window, kind: str, data: bytes = b"", html: str = "", name: str = "loaf.png") -> None:
    """Drops or pastes something where text is written."""
    place = window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")
    window.chrome.execute_script(TRANSFER, place, kind, base64.b64encode(data).decode(), html, name)


def shot(window: Window, name: str) -> None:
    """Takes a screenshot where somebody wants to look."""
    if SHOTS:
        for width, height in ((1440, 900), (390, 844)):
            with screen(window, width, height):
                window.chrome.save_screenshot(f"{SHOTS}/{name}-{width}.png")


def text_of(window: Window) -> str:
    """Returns the text that would be saved."""
    text: str = window.chrome.execute_script("return document.querySelector('[data-editor]').value")
    return text


def test_a_picture_comes_into_the_text_however_it_is_brought(window: Window, project: Project, tmp_path: Path) -> None:
    document = a_document(project.context(), title="Rye", markdown="Before.\n\nAfter.\n")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    window.find(".editor")
    transfer(window, "drop", a_picture(seed=1))
    window.until(lambda: "![](http" in text_of(window))
    field = window.find(".uploads input")
    shot(window, "described")
    field.send_keys("A [round] loaf")
    window.click(".uploads button")
    window.until(lambda: not window.has(".uploads li"))
    assert window.chrome.switch_to.active_element == window.find(".editor"), "writing goes on"
    assert "![A \\[round\\] loaf](http" in text_of(window)

    transfer(window, "paste", a_picture(seed=2), name="image.png")
    window.until(lambda: text_of(window).count("/media/") == 2)
    data = "data:image/png;base64," + base64.b64encode(a_picture(seed=3)).decode()
    word = f'<p>Pasted <b>words</b></p><p><img src="{data}" alt="A jar"></p><p><img src="file:///C:/gone.png"></p>'
    transfer(window, "paste", html=word)
    window.until(lambda: text_of(window).count("/media/") == 3)
    assert "![A jar](http" in text_of(window)
    assert "#picture-" not in text_of(window)
    window.until(lambda: "could not be taken" in window.find("#toasts").text)

    window.click("[data-picks=text]")
    window.until(lambda: len(window.chrome.find_elements(By.CSS_SELECTOR, "#picker li button")) == 3)
    shot(window, "picker")
    search = window.find("#picker input[type=search]")
    search.send_keys("jar")
    window.until(lambda: len(window.chrome.find_elements(By.CSS_SELECTOR, "#picker li button")) == 1)
    window.click("#picker li button")
    window.until(lambda: text_of(window).count("![A jar](") == 2)

    window.click("[data-picks=text]")
    window.click("#picker [value=address]")
    window.find("#address-words").send_keys("A crumb")
    address = text_of(window).partition("![A jar](")[2].partition(")")[0]
    window.find("#address-url").send_keys(address)
    window.click("#address [value=yes]")
    window.until(lambda: f"![A crumb]({address})" in text_of(window))
    assert text_of(window).count("![A jar](") == 2

    files = [tmp_path / f"{number}.png" for number in (5, 6)]
    for number, file in enumerate(files):
        file.write_bytes(a_picture(seed=10 + number))
    window.click("[data-picks=text]")
    window.until(lambda: window.find("#picker").is_displayed())
    window.find("#picker [data-uploads]").send_keys("\n".join(map(str, files)))
    window.until(lambda: text_of(window).count("/media/") == 7)
    shot(window, "writing")
    assert [one for one in window.problems() if "gone.png" not in one] == []


@pytest.mark.parametrize(("typed", "words"), [(["A loaf", Keys.ENTER], "A loaf"), ([Keys.ESCAPE], "")])
def test_writing_goes_on_below_a_picture(
    window: Window, project: Project, tmp_path: Path, typed: list[str], words: str
) -> None:
    document = a_document(project.context(), title="Rye", markdown="Before.\n\nAfter.\n", status="drafting")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    (tmp_path / "loaf.png").write_bytes(a_picture(seed=1))
    window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-line").click()
    window.click("[data-picks=text]")
    window.until(lambda: window.find("#picker").is_displayed())
    window.find("#picker [data-uploads]").send_keys(str(tmp_path / "loaf.png"))
    window.until(lambda: "![](http" in text_of(window))
    window.find(".uploads input").send_keys(*typed)
    window.until(lambda: not window.has(".uploads li"))
    ActionChains(window.chrome).send_keys("Between.").perform()
    expected = rf"Before\.\n\n!\[{words}\]\(http\S+\)\n\nBetween\.\n\nAfter\.\n"
    assert re.fullmatch(expected, text_of(window))


def test_a_text_has_no_mark_of_a_picture_that_is_still_uploaded_and_undo_has_none_either(
    window: Window, project: Project
) -> None:
    document = a_document(project.context(), title="Rye", markdown="Flour.\n")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    content = window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")
    content.click()
    press(window, Keys.CONTROL, Keys.END)
    data = "data:image/png;base64," + base64.b64encode(a_picture(seed=31)).decode()
    pasted = f'<p>Some <b>words</b>.</p><p><img src="{data}" alt="A jar"></p><ul><li>Last</li></ul>'
    before, during = "Flour.\n", "Flour.\nSome **words**.\n\n\n\n- Last"
    window.chrome.set_network_conditions(offline=True, latency=0, throughput=-1)
    transfer(window, "paste", html=pasted)
    window.until(lambda: "connection was lost" in window.find(".uploads").text)
    assert (text_of(window), content.text.count("A jar is coming")) == (during, 1)
    press(window, Keys.CONTROL, "z")
    assert (text_of(window), content.text.count("A jar is coming")) == (before, 0)
    press(window, Keys.CONTROL, "y")
    assert (text_of(window), content.text.count("A jar is coming")) == (during, 1)
    press(window, Keys.CONTROL, Keys.HOME)
    ActionChains(window.chrome).send_keys("Rye. ").perform()

    window.chrome.set_network_conditions(offline=False, latency=0, throughput=-1)
    window.click(".uploads button")
    window.until(lambda: "/media/" in text_of(window))
    assert re.sub(r"\(http[^)]*\)", "()", text_of(window)) == "Rye. Flour.\nSome **words**.\n\n![A jar]()\n\n- Last"
    assert "is coming" not in content.text
    press(window, Keys.CONTROL, "z")
    assert text_of(window) == f"Rye. {during}"
    window.problems()


def test_a_pasted_picture_that_is_given_up_leaves_no_line(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown="Flour.\n")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    window.find(".editor")
    window.chrome.set_network_conditions(offline=True, latency=0, throughput=-1)
    data = "data:image/png;base64," + base64.b64encode(a_picture(seed=32)).decode()
    transfer(window, "paste", html=f'<p>One</p><p><img src="{data}"></p><p>Two</p>')
    window.until(lambda: "connection was lost" in window.find(".uploads").text)
    window.chrome.set_network_conditions(offline=False, latency=0, throughput=-1)
    window.chrome.find_elements(By.CSS_SELECTOR, ".uploads button")[1].click()
    assert text_of(window) == "One\n\nTwoFlour.\n"
    window.problems()


def test_a_refused_upload_says_why_and_is_tried_again_or_cancelled(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown="Before.\n")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    window.find(".editor")
    transfer(window, "drop", b"no picture", name="fake.png")
    window.until(lambda: "fake.png:" in window.find(".uploads").text and "Try again" in window.find(".uploads").text)
    shot(window, "refused")
    again, cancel = window.chrome.find_elements(By.CSS_SELECTOR, ".uploads button")
    again.click()
    window.until(lambda: "fake.png:" in window.find(".uploads").text)
    cancel.click()
    assert not window.has(".uploads li")
    window.chrome.set_network_conditions(offline=True, latency=0, throughput=-1)
    transfer(window, "drop", a_picture(seed=4), name="loaf.png")
    window.until(lambda: "connection was lost" in window.find(".uploads").text)
    window.chrome.set_network_conditions(offline=False, latency=0, throughput=-1)
    window.click(".uploads button")
    window.until(lambda: "![](http" in text_of(window))
    window.problems()


def test_a_cover_is_chosen_and_shown(window: Window, project: Project, tmp_path: Path) -> None:
    document = a_document(project.context(), title="Rye")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/fields")
    file = tmp_path / "cover.png"
    file.write_bytes(a_picture(seed=7))
    window.chrome.execute_script("arguments[0].scrollIntoView({ block: 'center' })", window.find(".cover"))
    window.click("[data-picks=cover]")
    window.until(lambda: window.find("#picker").is_displayed())
    window.find("#picker [data-uploads]").send_keys(str(file))
    window.until(lambda: "/media/" in window.find("[name=coverImageUrl]").get_attribute("value"))
    window.until(lambda: window.find("[data-cover]").is_displayed())
    window.chrome.execute_script("arguments[0].scrollIntoView()", window.find(".cover"))
    shot(window, "cover")
    window.press("Save")
    window.open(f"/console/documents/{document['id']}/fields")
    assert "/media/" in window.find("[name=coverImageUrl]").get_attribute("value")
    assert window.problems() == []


def test_the_picture_of_a_member_is_chosen_and_shown(window: Window, project: Project, tmp_path: Path) -> None:
    member = OPERATIONS["create_member"](project.context(), fields={"name": "Hannah"}).body
    window.sign_in(project.token("Ingrid"), f"/console/administration/members/{member['id']}")
    file = tmp_path / "hannah.png"
    file.write_bytes(a_picture(seed=8))
    window.chrome.execute_script("arguments[0].scrollIntoView({ block: 'center' })", window.find(".cover"))
    window.click("[data-picks=cover]")
    window.until(lambda: window.find("#picker").is_displayed())
    window.find("#picker [data-uploads]").send_keys(str(file))
    window.until(lambda: window.find("[data-cover]").is_displayed())
    address = window.find("[name=imageUrl]").get_attribute("value")
    assert "/media/" in address
    window.press("Save")
    assert OPERATIONS["get_member"](project.context(), member["id"]).body["imageUrl"] == address
    assert window.problems() == []


def test_the_page_of_pictures(window: Window, project: Project, tmp_path: Path) -> None:
    window.sign_in(project.token("Ingrid"), "/console/pictures")
    shot(window, "empty")
    files: list[Any] = [
        tmp_path / f"{name}.png" for name in ("Loaf", "Starter", "Oven with a very long name of many words")
    ]
    for number, file in enumerate(files):
        file.write_bytes(a_picture(seed=20 + number, size=(900, 300 + 300 * number)))
    before = window.find("html")
    window.find("[data-reloads]").send_keys("\n".join(map(str, files)))
    window.until(lambda: window.find("html") != before and "3 pictures" in window.find("main").text)
    shot(window, "pictures")
    window.chrome.find_element(By.PARTIAL_LINK_TEXT, "Starter").click()
    window.find("[name=alt]").send_keys("A jar of starter")
    shot(window, "picture")
    window.press("Save")
    assert "What the picture shows is saved." in window.find("main").text
    assert "published again" not in window.find("main").text  # no text uses it
    window.open("/console/pictures?show=bare")
    assert "Starter" not in window.find("main").text
    window.open("/console/pictures?q=jar&show=unused")
    window.click(".pictures a")
    window.find("#uses")
    window.press("Delete")
    window.until(lambda: "deleted" in window.find("main").text)
    assert window.problems() == []


WHERE = """const root = document.querySelector(".editor").shadowRoot;
const { bottom } = document.querySelector(".editor").getBoundingClientRect();
const image = root.querySelector(".cm-picture img");
return image?.complete && image.getBoundingClientRect().height > 50
  && root.querySelector(".cm-cursor").getBoundingClientRect().bottom <= bottom"""


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_a_picture_that_came_and_the_cursor_below_it_are_in_view(
    window: Window, project: Project, width: int, height: int
) -> None:
    text = "\n\n".join(f"Paragraph {number}. Rye keeps all week." for number in range(40))
    document = a_document(project.context(), title="Rye", markdown=text)
    with screen(window, width, height):
        window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
        window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content").click()
        press(window, Keys.CONTROL, Keys.END)
        transfer(window, "paste", a_picture(seed=1))
        window.until(lambda: window.chrome.execute_script(WHERE))
