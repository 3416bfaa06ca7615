from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.event_report import EventReport
from typing import cast


def show_event(event_id: str, ) -> Call[EventReport]:
    """Show an event

    Shows an event and its result on each channel, but neither its variables nor the rendered texts."""
    
    return Call(
        "GET",
        path_of("/api/v1/events/{event_id}", event_id=event_id),
        lambda response: EventReport.from_dict(response.json()),
    )
