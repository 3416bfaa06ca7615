from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.provider_deactivate_answer import ProviderDeactivateAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def provider_deactivate(id: str, *, idempotency_key: Optional[str] = None) -> Call[ProviderDeactivateAnswer]:
    """Deactivate a provider: nothing more is sent through it

    Needs a key with the role provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/providers/{id}/deactivate", id=id),
        lambda response: ProviderDeactivateAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
