from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.provider_rename_answer import ProviderRenameAnswer
from ...models.provider_rename_body import ProviderRenameBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def provider_rename(id: str, body: Union[ProviderRenameBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[ProviderRenameAnswer]:
    """Rename a provider; its settings and history stay

    Needs a key with the role provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/providers/{id}/rename", id=id),
        lambda response: ProviderRenameAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
