from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.outbox_show_answer import OutboxShowAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def outbox_show(id: str, ) -> Call[OutboxShowAnswer]:
    """One sandbox message

    Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/outbox/{id}", id=id),
        lambda response: OutboxShowAnswer.from_dict(response.json()),
        is_signed=True,
    )
