"""A service at rest is well within all bounds that the other tests here check."""

import time

from tests.abuse.service import MIB, Service


def test_a_service_at_rest_holds_every_bound(service: Service) -> None:
    with service.holds() as others, service.watched() as watch:
        time.sleep(1)
    assert len(others.fresh) > 10
    assert watch.server_peak > 30 * MIB
    assert watch.mongod_peak > 30 * MIB
