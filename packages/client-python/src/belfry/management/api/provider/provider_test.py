from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.provider_test_answer import ProviderTestAnswer
from ...models.provider_test_body import ProviderTestBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def provider_test(id: str, body: Union[ProviderTestBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[ProviderTestAnswer]:
    """Send a test message through a provider, active or not; prints the vendor's answer and stores whether
    it was accepted

    Needs a key with the role provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/providers/{id}/test", id=id),
        lambda response: ProviderTestAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
