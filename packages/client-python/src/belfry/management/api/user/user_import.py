from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.user_import_answer import UserImportAnswer
from ...models.user_import_body import UserImportBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def user_import(body: Union[UserImportBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[UserImportAnswer]:
    """Import a CSV file of users who unsubscribed elsewhere; a bad line refuses the whole file

    The whole file is read before anything is written, a thousand cells a transaction. After a failure
    in between, import it again: what is off stays as it is. Needs a key with the role manage or
    provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/users/import-unsubscribes"),
        lambda response: UserImportAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
