"""The outcome of an import, document by document."""

from app.records.types import Record, boolean, record_id, string, strings


class ImportRecord(Record):
    """The outcome of one document: `created`, `unchanged`, `changed` (and not written), or `refused`."""

    id = record_id("the document's id; null when it was refused", null=True)
    outcome = string("the outcome")
    differs = strings("the fields in which the document is not what the file says, where it changed")
    live = boolean("whether it is delivered")
    problems = strings("why it was refused")
