"""Additions of sources to the records and operations of others (decisions, section 22)."""

from app.core.features import Extension, Feature
from app.core.store.indexes import Storage, index, types
from app.core.store.validators import COUNT, ID, TEXT, validator
from app.packets.responses import Packet
from app.provenance.reviews import HumanReview
from app.sources import extensions
from app.sources.responses import WithSourceList, WithSources
from app.sources.store import delete_sources

FEATURE = Feature(
    "sources",
    responses={Packet: WithSources, HumanReview: WithSourceList},
    extensions=(Extension("get_work_packet", present=extensions.sources_of_packet),),
    texts={
        "checked": extensions.evidence_for_checks,
        "publication": extensions.sources_of_publication,
        "review": extensions.sources_of_review,
    },
    renders=extensions.footnotes,
    describe=extensions.describe_sources,
    purge=delete_sources,
    storage=Storage(
        indexes=(index("sources", "projectId documentId number", "a document's sources by number", unique=True),),
        events=types("source", "added updated deleted verified"),
        shard_keys={"sources": "projectId"},
        validators={"sources": validator(projectId=ID, documentId=ID, rev=COUNT, number=COUNT, title=TEXT)},
    ),
)
