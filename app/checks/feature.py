"""What checks add to the records and operations of others."""

from app.checks.responses import CheckedProject
from app.checks.schemas import CheckSettings
from app.core.features import Feature
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges

FEATURE = Feature("checks", responses={Project: CheckedProject}, schemas={ProjectChanges: CheckSettings})
