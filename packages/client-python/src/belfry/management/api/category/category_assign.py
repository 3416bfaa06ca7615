from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.category_assign_answer import CategoryAssignAnswer
from ...models.category_assign_body import CategoryAssignBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def category_assign(event_type: str, body: Union[CategoryAssignBody, Mapping[str, Any]], ) -> Call[CategoryAssignAnswer]:
    """Set the category of an event type

    It applies to every event that is dispatched from then on. Needs a key with the role manage or
    provision."""
    
    return Call(
        "PUT",
        path_of("/api/v1/manage/event-types/{event_type}/category", event_type=event_type),
        lambda response: CategoryAssignAnswer.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
