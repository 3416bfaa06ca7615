from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.provider_make_first_answer import ProviderMakeFirstAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def provider_make_first(id: str, *, idempotency_key: Optional[str] = None) -> Call[ProviderMakeFirstAnswer]:
    """Make a provider the first one; an inactive one must have passed a test

    Needs a key with the role provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/providers/{id}/make-first", id=id),
        lambda response: ProviderMakeFirstAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
