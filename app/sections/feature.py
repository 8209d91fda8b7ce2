"""The outline, which sections add to the work packet."""

from app.core.features import Extension, Feature
from app.packets.responses import Packet
from app.sections.operations import outline_of_packet
from app.sections.responses import WithOutline

FEATURE = Feature(
    "sections",
    responses={Packet: WithOutline},
    extensions=(Extension("get_work_packet", present=outline_of_packet),),
)
