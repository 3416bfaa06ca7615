from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.alert_set_all_answer import AlertSetAllAnswer
from ...models.alert_set_all_body import AlertSetAllBody
from typing import cast


def alert_set_all(person: str, body: Union[AlertSetAllBody, Mapping[str, Any]], ) -> Call[AlertSetAllAnswer]:
    """Choose the alerts about all tenants that an operator gets by mail and in a chat

    The providers of the tenant that sends Belfry's own mail post to the chat. Needs a platform key."""
    
    return Call(
        "PUT",
        path_of("/api/v1/manage/people/{person}/alerts", person=person),
        lambda response: AlertSetAllAnswer.from_dict(response.json()),
        body=body,
    )
