"""Settings of rounds and the storage that review adds, and its part in purging a document."""

from app.core.errors import BadRequest, BriefClaimed
from app.core.features import AddedFields, Extension, Feature, by_class_name
from app.core.store.indexes import Storage, index, types
from app.core.store.validators import COUNT, ID, ITEMS, one_of, validator
from app.documents.responses import Brief
from app.documents.schemas import ChangesRequest
from app.packets.responses import Packet
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges
from app.review.errors import RoundsExhausted
from app.review.extensions import begin_rounds, count_round, rounds_shown
from app.review.packet import WithUnresolved, threads_of_packet
from app.review.responses import LimitedProject, WithRounds
from app.review.schemas import RoundSettings, WithThreads
from app.review.store import delete_threads
from app.review.vocabulary import ThreadLevel, ThreadOutcome, ThreadState

FEATURE = Feature(
    "review",
    responses={Project: LimitedProject, Brief: WithRounds, Packet: WithUnresolved},
    schemas={ProjectChanges: RoundSettings, ChangesRequest: WithThreads},
    fields={Brief: AddedFields(shown=rounds_shown)},
    extensions=(
        Extension("request_changes", errors=(BadRequest, BriefClaimed, RoundsExhausted), decide=count_round),
        Extension("publish_document", decide=begin_rounds),
        Extension("get_work_packet", present=threads_of_packet),
    ),
    purge=delete_threads,
    storage=Storage(
        indexes=(
            index("threads", "projectId documentId _id", "a document's threads, the oldest first"),
            index(
                "threads",
                "projectId mentions.memberId mentions.at",
                "the threads in which members are named",
            ),
            index(
                "threads",
                "projectId openedBy.id state stateSince",
                "the answered threads that somebody opened, in order",
            ),
            index("reviewLinks", "projectId hash", "finds who comes by a review link", unique=True),
            index("reviewLinks", "projectId documentId _id", "a document's review links"),
            index("reviewLinks", "expiresAt", "review links end by themselves", expireAfterSeconds=0),
        ),
        events=types("thread", "opened replied resolved reopened") + types("review_link", "created deleted"),
        validators={
            "threads": validator(
                projectId=ID,
                documentId=ID,
                rev=COUNT,
                version=COUNT,
                comments=ITEMS,
                level=one_of(ThreadLevel),
                state=one_of(ThreadState),
            )
        },
    ),
    closed_lists=by_class_name(ThreadLevel, ThreadOutcome, ThreadState),
)
