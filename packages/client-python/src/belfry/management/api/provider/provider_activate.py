from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.provider_activate_answer import ProviderActivateAnswer
from ...models.provider_activate_body import ProviderActivateBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def provider_activate(id: str, body: Union[ProviderActivateBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[ProviderActivateAnswer]:
    """Activate a provider: messages are sent through it

    A test of its settings must have been accepted, unless `untested` is given. Needs a key with the
    role provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/providers/{id}/activate", id=id),
        lambda response: ProviderActivateAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
