from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.import_start_answer import ImportStartAnswer
from ...models.import_start_body import ImportStartBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def import_start(body: Union[ImportStartBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[ImportStartAnswer]:
    """Import a CSV file of users, or of a topic's members, in the background

    `users`: the first line names the columns: userId, and any of email, phone, chat, locale, timezone
    and quietHours (as 22:00-06:00). An empty field says that there is none; a column that the file has
    not stays as it is. `members`: the users of the column userId are added to the topic, or, by their
    addresses in the directory, those of the column email. A file may have 1000000 lines and 128 MiB:
    send a longer text in parts. Bad lines are left out and told. It is kept for 30 days after its end.
    Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/imports"),
        lambda response: ImportStartAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
