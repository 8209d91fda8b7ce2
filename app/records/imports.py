"""What became of each document of an import."""

from app.records.kinds import Record, flag, record_id, text, texts


class ImportRecord(Record):
    """What became of one document: `created`, `unchanged`, `changed` (and not written), or `refused`."""

    id = record_id("the document's id; null when it was refused", null=True)
    outcome = text("what became of it")
    differs = texts("the fields in which the document is not what the file says, where it changed")
    live = flag("is it delivered?")
    problems = texts("why it was refused")
