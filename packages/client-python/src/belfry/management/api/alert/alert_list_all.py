from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.alert_list_all_answer import AlertListAllAnswer
from typing import cast


def alert_list_all(person: str, ) -> Call[AlertListAllAnswer]:
    """Show the alerts about all tenants that an operator gets by mail and in a chat

    Needs a platform key."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/people/{person}/alerts", person=person),
        lambda response: AlertListAllAnswer.from_dict(response.json()),
    )
