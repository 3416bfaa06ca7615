from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.alert_sender_answer import AlertSenderAnswer
from typing import cast


def alert_sender() -> Call[AlertSenderAnswer]:
    """Show the tenant that sends Belfry's own mail: alerts, invitations, password reset links

    Needs a platform key."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/mail-tenant"),
        lambda response: AlertSenderAnswer.from_dict(response.json()),
    )
