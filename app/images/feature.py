"""The additions of pictures to the records, texts and storage of others."""

from app.core.features import Feature, by_class_name
from app.core.store.indexes import Storage, index, types
from app.core.store.validators import TEXT, record_validator
from app.images.delivery import covers
from app.images.html import alts_for_checks, deliver_texts, publish_html
from app.images.responses import PictureHosts
from app.images.rules import entries_of_covers, keys_of_cover, keys_of_text
from app.images.schemas import ImageSettings
from app.images.settings import PictureSettings
from app.images.store import CHUNKS, FILES, IN_USE
from app.images.vocabulary import ImageType
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges

FEATURE = Feature(
    "images",
    responses={Project: PictureHosts},
    schemas={ProjectChanges: ImageSettings},
    settings=PictureSettings,
    facts=lambda settings: {"imagesUrl": settings.pictures_begin},
    text_keys={"imageKeys": keys_of_text},
    document_entries=entries_of_covers,
    publication_keys={"imageKeys": keys_of_cover},
    publish_html=publish_html,
    deliver_texts=deliver_texts,
    covers=covers,
    texts={"checked": alts_for_checks},
    purges="app.images.purging",
    storage=Storage(
        indexes=(
            index("images", "projectId -_id", "a project's pictures, the newest first", {"deletedAt": None}),
            index("images", "projectId words -_id", "pictures found by words", {"deletedAt": None}),
            index("images", "projectId key", "pictures that texts and covers name"),
            index("images", "projectId hashes", "a file is stored once", {"deletedAt": None}, unique=True),
            index("images", "projectId usedAt", "pictures that nothing has used for long", {"deletedAt": None}),
            index("images", "key", "the picture behind an address, whose project is not known"),
            index("images", "usedAt", "pictures of all projects that nothing has used for long", {"deletedAt": None}),
            # GridFS makes these two itself, under these names.
            index(FILES, "filename uploadDate", "files by name, as GridFS has them", title="filename_1_uploadDate_1"),
            index(CHUNKS, "files_id n", "the chunks of a file", title="files_id_1_n_1", unique=True),
            index("bodies", "projectId imageKeys", "texts that name a picture", IN_USE),
            index("publications", "projectId imageKeys", "delivered covers that are pictures", IN_USE),
        ),
        shard_keys={"images": "projectId"},
        validators={"images": record_validator(key=TEXT)},
        outboxes=("images",),
        tombstones=("images",),
        events=types("image", "created updated deleted"),
    ),
    closed_lists=by_class_name(ImageType),
)
