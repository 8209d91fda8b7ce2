"""What a cluster may hold (contract: Intent fields for kind `cluster`)."""

from app.fields.kinds import Fields, not_blank, text, texts


class ClusterFields(Fields):
    """The fields of a cluster, in a draft and in a change."""

    name = text(100, not_blank, doc="the cluster's name, unique in the project ignoring case", needed=True)
    description = text(2_000, doc="what the topic covers")
    keywords = texts(50, 100, doc="keywords the topic targets")


class ClusterChanges(ClusterFields):
    """What PATCH of a cluster may carry; null clears, but not the name."""

    name = text(100, not_blank, doc="the cluster's name, unique in the project ignoring case", null=False)
