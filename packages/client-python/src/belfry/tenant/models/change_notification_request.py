from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
from typing import Union
import datetime






T = TypeVar("T", bound="ChangeNotificationRequest")



@_attrs_define
class ChangeNotificationRequest:
    """ Exactly one of these

        Attributes:
            read (Union[Unset, bool]): false also moves the item out of the archive
            archived (Union[Unset, bool]): true marks the item as read and ends a snooze; false restores its state from
                before it was archived
            snoozed_until (Union[None, Unset, datetime.datetime]): Marks the item as unread and removes it from the inbox
                until this time; null or a past time returns it at once
     """

    read: Union[Unset, bool] = UNSET
    archived: Union[Unset, bool] = UNSET
    snoozed_until: Union[None, Unset, datetime.datetime] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        read = self.read

        archived = self.archived

        snoozed_until: Union[None, Unset, str]
        if isinstance(self.snoozed_until, Unset):
            snoozed_until = UNSET
        elif isinstance(self.snoozed_until, datetime.datetime):
            snoozed_until = self.snoozed_until.isoformat()
        else:
            snoozed_until = self.snoozed_until


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if read is not UNSET:
            field_dict["read"] = read
        if archived is not UNSET:
            field_dict["archived"] = archived
        if snoozed_until is not UNSET:
            field_dict["snoozedUntil"] = snoozed_until

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        read = d.pop("read", UNSET)

        archived = d.pop("archived", UNSET)

        def _parse_snoozed_until(data: object) -> Union[None, Unset, datetime.datetime]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                snoozed_until_type_0 = isoparse(data)



                return snoozed_until_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, Unset, datetime.datetime], data)

        snoozed_until = _parse_snoozed_until(d.pop("snoozedUntil", UNSET))


        change_notification_request = cls(
            read=read,
            archived=archived,
            snoozed_until=snoozed_until,
        )


        change_notification_request.additional_properties = d
        return change_notification_request

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
