from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.digest_list_answer import DigestListAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def digest_list(*, limit: Union[Unset, int] = UNSET, ) -> Call[DigestListAnswer]:
    """A tenant's open digests with their end and number of events, the one that ends next first

    Needs a key with the role manage or provision."""
    params: dict[str, Any] = {}

    params["limit"] = limit


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/manage/digests"),
        lambda response: DigestListAnswer.from_dict(response.json()),
        query=params,
        is_signed=True,
    )
