from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.provider_show_answer import ProviderShowAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def provider_show(id: str, ) -> Call[ProviderShowAnswer]:
    """One provider, by its id or by the flags, secrets masked

    Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/providers/{id}", id=id),
        lambda response: ProviderShowAnswer.from_dict(response.json()),
        is_signed=True,
    )
