from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.topic_deleted_response import TopicDeletedResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def delete_topic(key: str, ) -> Call[TopicDeletedResponse]:
    """Delete a topic; its users stay

    The topic no longer exists after the answer. If it has more than 10,000 members, the rest of them
    are deleted in the background; until then no topic with this key can be created. Send no body; if a
    signature is needed, sign the empty text."""
    
    return Call(
        "DELETE",
        path_of("/api/v1/topics/{key}", key=key),
        lambda response: TopicDeletedResponse.from_dict(response.json()),
        is_signed=True,
    )
