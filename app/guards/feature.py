"""What guards add to the records and operations of others."""

from app.core.features import AddedFields, Feature
from app.guards.responses import GuardedProject, GuardedToken
from app.guards.schemas import ChangedBudget, GuardSettings, NewBudget
from app.guards.settings import shown_project, token_problems, token_to_stored
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges
from app.projects.token_responses import Token
from app.projects.token_schemas import TokenChanges, TokenFields

FEATURE = Feature(
    "guards",
    responses={Project: GuardedProject, Token: GuardedToken},
    schemas={ProjectChanges: GuardSettings, TokenFields: NewBudget, TokenChanges: ChangedBudget},
    fields={
        Project: AddedFields(shown_project),
        Token: AddedFields(to_stored=token_to_stored, problems=token_problems),
    },
)
