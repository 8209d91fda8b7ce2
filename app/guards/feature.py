"""Budgets of tokens, settings of projects, and the storage that guards add."""

from app.core.features import AddedFields, Feature, by_class_name
from app.core.store.indexes import Storage, index, types
from app.core.times import DAY_SECONDS
from app.guards.responses import GuardedProject, GuardedToken
from app.guards.schemas import ChangedBudget, GuardSettings, NewBudget
from app.guards.settings import shown_project, token_problems, token_to_stored
from app.guards.vocabulary import BudgetLimit, SkipReason
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
    storage=Storage(
        indexes=(
            index("budgets", "projectId tokenId limit begins", "what a token has used of its budget", unique=True),
            index("budgets", "begins", "days and hours that are over", expireAfterSeconds=2 * DAY_SECONDS),
        ),
        shard_keys={"budgets": "projectId"},
        events=types("project", "frozen unfrozen"),
    ),
    closed_lists=by_class_name(BudgetLimit, SkipReason),
    options_of_tokens="app.guards.commands.budgets",
    commands_of_projects="app.guards.commands.freezing",
)
