"""What an operation's function says it returns declares its response, which long texts may extend."""

from typing import get_type_hints

import pytest
from typing_extensions import is_typeddict

from app.core.operation import Operation
from app.documents.responses import TEXT_IF_MISSING
from app.features import ALL, OPERATIONS
from app.rest.response_schemas import response_schema

EACH_OPERATION = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)


@EACH_OPERATION
def test_the_response_is_the_record_with_the_long_texts_that_an_interface_adds(operation: Operation) -> None:
    record, response = get_type_hints(operation.record), get_type_hints(operation.response)

    assert record.items() <= response.items()
    assert response.keys() - record.keys() <= {*TEXT_IF_MISSING}


@EACH_OPERATION
def test_every_key_of_a_response_is_described(operation: Operation) -> None:
    assert is_typeddict(operation.response)
    keys = response_schema(ALL.response_of(operation.response))["properties"]
    assert [name for name, key in keys.items() if "description" not in key] == []


def test_a_list_is_documented_by_what_it_holds() -> None:
    lists = [operation for operation in OPERATIONS if operation.many]

    assert lists
    for operation in lists:
        assert get_type_hints(operation.function)["return"].__args__[0] == list[operation.record]
