from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.dead_show_answer import DeadShowAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def dead_show(id: str, ) -> Call[DeadShowAnswer]:
    """One delivery with its attempts and what the provider answered, or one message

    Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/dead-letters/{id}", id=id),
        lambda response: DeadShowAnswer.from_dict(response.json()),
        is_signed=True,
    )
