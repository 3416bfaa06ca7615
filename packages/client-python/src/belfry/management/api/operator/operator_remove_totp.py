from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.operator_remove_totp_answer import OperatorRemoveTotpAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def operator_remove_totp(person: str, *, idempotency_key: Optional[str] = None) -> Call[OperatorRemoveTotpAnswer]:
    """Remove two-factor authentication from a person of any tenant, or an operator, who has lost the
    authenticator app; all their sessions end

    Needs a platform key."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/people/{person}/remove-two-factor", person=person),
        lambda response: OperatorRemoveTotpAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
    )
