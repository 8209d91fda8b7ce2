"""Member records (decisions, section 2)."""

from typing import Any

from app.records.types import Record, record_id, string, timestamp
from app.rules.named import StoredMember
from app.rules.times import wire_time
from app.vocabulary import Role


class MemberRecord(Record):
    """A member of the project."""

    id = record_id("the member's id")
    name = string("their name", example="Ada Example")
    email = string("their e-mail address", null=True, example="ada@example.org")
    role = string("descriptive: permissions are the token's", one_of=Role)
    createdAt = timestamp("when they were added")


def member_record(member: StoredMember) -> dict[str, Any]:
    """Returns a stored member as callers see them."""
    return {
        "id": member["id"],
        "name": member["name"],
        "email": member.get("email"),
        "role": member["role"],
        "createdAt": wire_time(member["createdAt"]),
    }
