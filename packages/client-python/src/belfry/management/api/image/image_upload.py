from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.image_upload_answer import ImageUploadAnswer
from ...models.image_upload_body import ImageUploadBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def image_upload(body: Union[ImageUploadBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[ImageUploadAnswer]:
    """Store a PNG, JPEG, GIF or WebP file for mails and the design

    At most 2 MiB and 4096 pixels a side; a tenant has at most 200, together 100 MiB. The same file
    again is the same image. Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/images"),
        lambda response: ImageUploadAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
