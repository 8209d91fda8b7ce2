"""What `import` takes of a file (decisions, section 10): the fields of a draft, and those that an edit can set."""

from app.fields.documents import DocumentChanges
from app.fields.intents import DocumentIntentFields
from app.fields.kinds import Fields, Items, Table, not_blank, text, timestamp

_EDITED = DocumentChanges._declared_fields


class EditedFields(Fields):
    """The fields of a document that no draft has."""

    subtitle = _EDITED["subtitle"]
    metaDescription = _EDITED["metaDescription"]
    excerpt = _EDITED["excerpt"]
    coverImageUrl = _EDITED["coverImageUrl"]


class ImportedFields(EditedFields, DocumentIntentFields):
    """One document, with its category by name."""

    category = text(200, not_blank, doc="the name or slug of its category, which is made where it is missing")


class CategoryName(Fields):
    """A category by its name or slug."""

    name = text(200, not_blank, doc="the category's name or slug", null=False, required=True)


class ImportFields(Fields):
    """A batch of documents."""

    documents = Items(Table(ImportedFields), required=True)


class DatedFields(Fields):
    """When a document went live."""

    publishedAt = text(100, timestamp, doc="when it went live elsewhere", null=False, required=True)
