from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.digest_release_answer import DigestReleaseAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def digest_release(id: str, *, idempotency_key: Optional[str] = None) -> Call[DigestReleaseAnswer]:
    """Send an open digest now; quiet hours still apply

    Needs a key with the role provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/digests/{id}/release", id=id),
        lambda response: DigestReleaseAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
