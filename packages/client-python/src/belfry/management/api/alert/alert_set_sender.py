from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.alert_set_sender_answer import AlertSetSenderAnswer
from ...models.alert_set_sender_body import AlertSetSenderBody
from typing import cast


def alert_set_sender(body: Union[AlertSetSenderBody, Mapping[str, Any]], ) -> Call[AlertSetSenderAnswer]:
    """Choose the tenant that sends Belfry's own mail by its providers, or none

    Whoever has its messages has the password reset links of everybody. Belfry sends nothing while it
    has members who are not operators, or API keys for management. Needs a platform key."""
    
    return Call(
        "PUT",
        path_of("/api/v1/manage/mail-tenant"),
        lambda response: AlertSetSenderAnswer.from_dict(response.json()),
        body=body,
    )
