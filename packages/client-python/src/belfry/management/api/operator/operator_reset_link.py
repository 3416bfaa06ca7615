from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.operator_reset_link_answer import OperatorResetLinkAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def operator_reset_link(person: str, *, idempotency_key: Optional[str] = None) -> Call[OperatorResetLinkAnswer]:
    """Create a link with which a person of any tenant, or an operator, sets a new password; it is printed
    only now, works once, for an hour, and ends the one before

    Needs a platform key."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/people/{person}/reset-link", person=person),
        lambda response: OperatorResetLinkAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
    )
