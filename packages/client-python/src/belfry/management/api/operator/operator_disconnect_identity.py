from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.operator_disconnect_identity_answer import OperatorDisconnectIdentityAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def operator_disconnect_identity(person: str, *, idempotency_key: Optional[str] = None) -> Call[OperatorDisconnectIdentityAnswer]:
    """Disconnect a person of any tenant, or an operator, from their account at the provider of OpenID
    Connect; all their sessions end, and who has no password needs a reset link

    Needs a platform key."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/people/{person}/disconnect-identity", person=person),
        lambda response: OperatorDisconnectIdentityAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
    )
