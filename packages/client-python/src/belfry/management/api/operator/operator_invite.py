from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.operator_invite_answer import OperatorInviteAnswer
from ...models.operator_invite_body import OperatorInviteBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def operator_invite(body: Union[OperatorInviteBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[OperatorInviteAnswer]:
    """Create a link that makes a person an operator; it is printed only now and works once

    Needs a platform key."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/operators/invitations"),
        lambda response: OperatorInviteAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
    )
