from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.digest_show_answer import DigestShowAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def digest_show(id: str, ) -> Call[DigestShowAnswer]:
    """One digest, open or not, with the ids of its oldest 100 events

    Its events include those that are not in the message. Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/digests/{id}", id=id),
        lambda response: DigestShowAnswer.from_dict(response.json()),
        is_signed=True,
    )
