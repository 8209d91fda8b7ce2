"""What packets add to the records and operations of others."""

from app.core.features import Feature
from app.packets.responses import StyledProject
from app.packets.schemas import StyleSettings
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges

FEATURE = Feature("packets", responses={Project: StyledProject}, schemas={ProjectChanges: StyleSettings})
