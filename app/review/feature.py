"""What review adds to the records and operations of others."""

from app.core.features import Feature
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges
from app.review.responses import LimitedProject
from app.review.schemas import RoundSettings

FEATURE = Feature("review", responses={Project: LimitedProject}, schemas={ProjectChanges: RoundSettings})
