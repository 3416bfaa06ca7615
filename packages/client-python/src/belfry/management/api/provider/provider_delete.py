from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.provider_delete_answer import ProviderDeleteAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def provider_delete(id: str, ) -> Call[ProviderDeleteAnswer]:
    """Delete a provider with its settings; prints the deleted provider

    Messages that it sent keep their attempts. Needs a key with the role provision."""
    
    return Call(
        "DELETE",
        path_of("/api/v1/manage/providers/{id}", id=id),
        lambda response: ProviderDeleteAnswer.from_dict(response.json()),
        is_signed=True,
    )
