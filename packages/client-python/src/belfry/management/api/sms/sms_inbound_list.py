from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.sms_inbound_list_answer import SmsInboundListAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def sms_inbound_list(*, number: Union[Unset, str] = UNSET, limit: Union[Unset, int] = UNSET, after: Union[Unset, str] = UNSET, ) -> Call[SmsInboundListAnswer]:
    """A tenant's inbound text messages, newest first

    People's answers to text messages, except keywords such as STOP. Needs a key with the role manage or
    provision."""
    params: dict[str, Any] = {}

    params["number"] = number

    params["limit"] = limit

    params["after"] = after


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/manage/inbound-messages"),
        lambda response: SmsInboundListAnswer.from_dict(response.json()),
        query=params,
        is_signed=True,
    )
