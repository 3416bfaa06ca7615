from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.provider_list_answer import ProviderListAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def provider_list() -> Call[ProviderListAnswer]:
    """A tenant's providers in the order of use, secrets masked

    Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/providers"),
        lambda response: ProviderListAnswer.from_dict(response.json()),
        is_signed=True,
    )
