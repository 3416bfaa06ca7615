from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from dateutil.parser import isoparse
from typing import cast
from typing import Union
import datetime






T = TypeVar("T", bound="WebhookReplayRequest")



@_attrs_define
class WebhookReplayRequest:
    """ 
        Attributes:
            since (datetime.datetime): Only messages from this time or later
            until (Union[Unset, datetime.datetime]): Only messages from before this time; default: now. It must be later
                than `since`
            all_ (Union[Unset, bool]): Whether arrived messages are sent again, too; default: false
            after (Union[Unset, str]): The `next` of an answer that had `more`
     """

    since: datetime.datetime
    until: Union[Unset, datetime.datetime] = UNSET
    all_: Union[Unset, bool] = UNSET
    after: Union[Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        since = self.since.isoformat()

        until: Union[Unset, str] = UNSET
        if not isinstance(self.until, Unset):
            until = self.until.isoformat()

        all_ = self.all_

        after = self.after


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "since": since,
        })
        if until is not UNSET:
            field_dict["until"] = until
        if all_ is not UNSET:
            field_dict["all"] = all_
        if after is not UNSET:
            field_dict["after"] = after

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        since = isoparse(d.pop("since"))




        _until = d.pop("until", UNSET)
        until: Union[Unset, datetime.datetime]
        if isinstance(_until,  Unset):
            until = UNSET
        else:
            until = isoparse(_until)




        all_ = d.pop("all", UNSET)

        after = d.pop("after", UNSET)

        webhook_replay_request = cls(
            since=since,
            until=until,
            all_=all_,
            after=after,
        )


        webhook_replay_request.additional_properties = d
        return webhook_replay_request

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
