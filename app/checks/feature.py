"""Additions of checks to the records and operations of others."""

from app.checks.extensions import WithFailures, WithWarnings, checks_of_packet, keyword_of_draft
from app.checks.responses import CheckedProject
from app.checks.schemas import CheckSettings
from app.checks.vocabulary import CheckLevel, CheckName, CheckOutcome
from app.core.features import Extension, Feature, by_class_name
from app.intents.responses import Validation
from app.packets.responses import Packet
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges

FEATURE = Feature(
    "checks",
    responses={Project: CheckedProject, Validation: WithWarnings, Packet: WithFailures},
    schemas={ProjectChanges: CheckSettings},
    extensions=(
        Extension("validate_intent", present=keyword_of_draft),
        Extension("get_work_packet", present=checks_of_packet),
    ),
    closed_lists=by_class_name(CheckLevel, CheckName, CheckOutcome),
)
