from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.provider_put_answer import ProviderPutAnswer
from ...models.provider_put_body import ProviderPutBody
from ...models.provider_put_channel import check_provider_put_channel
from ...models.provider_put_channel import ProviderPutChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def provider_put(channel: ProviderPutChannel, name: str, body: Union[ProviderPutBody, Mapping[str, Any]], ) -> Call[ProviderPutAnswer]:
    """Check the settings and store them encrypted; a new provider becomes the first

    Needs a key with the role provision."""
    
    return Call(
        "PUT",
        path_of("/api/v1/manage/providers/{channel}/{name}", channel=channel, name=name),
        lambda response: ProviderPutAnswer.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
