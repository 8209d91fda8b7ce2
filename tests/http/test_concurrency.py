"""Limits on how many requests do one thing at once: in total, and of one token or address."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from app.errors import ServiceUnavailable
from app.http import concurrency
from app.http.concurrency import Bound, ConcurrencyLimit


def limit(total: int = 3, per_token: int = 2, waiting: int = 0, seconds: float = 0) -> ConcurrencyLimit:
    return ConcurrencyLimit(
        Bound(total, 2 * waiting),
        token=Bound(per_token, waiting),
        address=Bound(total, waiting),
        seconds=seconds,
        busy="Busy.",
    )


def test_a_token_has_so_many_places_and_others_have_the_rest() -> None:
    places = limit()
    held = [places.place(token="a"), places.place(token="a")]

    with pytest.raises(ServiceUnavailable, match="Busy"):
        places.place(token="a")
    held.append(places.place(token="b"))
    with pytest.raises(ServiceUnavailable):
        places.place(token="c")

    held[0].release()
    held.append(places.place(token="c"))
    assert held


def test_a_request_counts_for_its_token_and_for_its_address() -> None:
    places = limit(total=2, per_token=2)
    held = [places.place(token="a", address="192.0.2.1"), places.place(token="b", address="192.0.2.1")]

    with pytest.raises(ServiceUnavailable):
        places.place(token=None, address="192.0.2.1")

    for place in held:
        place.release()
    assert places.place(address="192.0.2.1")


def test_a_caller_has_more_places_while_no_other_has_come_for_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(concurrency.time, "monotonic", lambda: now)
    places = ConcurrencyLimit(Bound(10), token=Bound(1, alone=3))

    def most(token: str) -> int:
        held = []
        with suppress(ServiceUnavailable):
            while True:
                held.append(places.place(token=token))
        for place in held:
            place.release()
        return len(held)

    assert most("a") == 1
    now += 1.1
    assert [most("a"), most("b"), most("a")] == [3, 1, 1]
    now += 1.1
    assert most("a") == 3


def test_a_place_is_given_back_once() -> None:
    places = limit(total=1, per_token=1)
    with places.place(token="a") as place:
        place.release()
    places.place(token="a")

    with pytest.raises(ServiceUnavailable):
        places.place(token="b")


def test_waiting_requests_get_places_in_order_and_pass_those_of_a_full_token() -> None:
    places = limit(total=2, per_token=1, waiting=5, seconds=10)
    first, let_in = places.place(token="a"), []
    other = places.place(token="b")

    def wait(token: str) -> None:
        with places.place(token=token):
            let_in.append(token)

    threads = []
    for token in ("a", "b", "b"):
        threads.append(threading.Thread(target=wait, args=(token,)))
        threads[-1].start()
        until_waiting(places, len(threads))
    other.release()
    for thread in threads[1:]:
        thread.join(10)
    assert let_in == ["b", "b"]
    first.release()
    threads[0].join(10)
    assert let_in == ["b", "b", "a"]


def test_a_queue_that_is_full_refuses_at_once_and_time_ends_a_wait() -> None:
    places = limit(total=1, per_token=1, waiting=1, seconds=0.2)
    held = places.place(token="a")
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(places.place, token="a")
        until_waiting(places, 1)
        with pytest.raises(ServiceUnavailable):
            places.place(token="a")
        with pytest.raises(ServiceUnavailable):
            waiting.result(10)
    held.release()
    assert places.place(token="a")


def test_under_load_no_more_than_the_limit_get_in_and_all_leave() -> None:
    places = limit(total=4, per_token=2, waiting=100, seconds=30)
    lock, inside, most = threading.Lock(), 0, 0

    def work(number: int) -> None:
        nonlocal inside, most
        for _ in range(20):
            with places.place(token=str(number % 5)):
                with lock:
                    inside += 1
                    most = max(most, inside)
                with lock:
                    inside -= 1

    with ThreadPoolExecutor(20) as threads:
        list(threads.map(work, range(20)))
    assert (inside, most <= 4) == (0, True)
    assert [places.place(token=str(number)) for number in range(4)]


def test_a_place_is_exchanged_for_another_without_waiting() -> None:
    places = limit(total=1, per_token=1, waiting=1, seconds=5)
    first = places.place(address="192.0.2.1")
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(places.place, token="b")
        until_waiting(places, 1)

        second = places.place(first, token="a", address="192.0.2.1")

        assert not waiting.done()
        first.release()
        assert not waiting.done()
        second.release()
        assert waiting.result(5)


def test_a_place_that_is_given_up_in_vain_is_the_next_ones() -> None:
    places = limit(total=2, per_token=1, waiting=1, seconds=5)
    held = [places.place(token="a"), places.place(address="192.0.2.1")]
    with ThreadPoolExecutor(2) as threads:
        next_one = threads.submit(places.place, token="b")
        until_waiting(places, 1)

        second_of_a = threads.submit(places.place, held[1], token="a")

        assert next_one.result(5)
        held[0].release()
        assert second_of_a.result(5)


def test_a_place_that_was_given_up_in_vain_is_given_up_once() -> None:
    places = limit(total=2, per_token=1, waiting=0, seconds=0)
    held = [places.place(token="a"), places.place(address="192.0.2.1")]

    for _ in range(3):
        with pytest.raises(ServiceUnavailable):
            places.place(held[1], token="a")

    assert places.place(token="b")
    with pytest.raises(ServiceUnavailable):
        places.place(token="c")


def until_waiting(places: ConcurrencyLimit, count: int) -> None:
    pause = threading.Event()
    for _ in range(1_000):
        if places.waiting == count:
            return
        pause.wait(0.005)
    raise AssertionError(f"{places.waiting} wait instead of {count}")
