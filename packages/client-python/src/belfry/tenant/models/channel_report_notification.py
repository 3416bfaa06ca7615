from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime






T = TypeVar("T", bound="ChannelReportNotification")



@_attrs_define
class ChannelReportNotification:
    """ 
        Attributes:
            id (str):
            realtime_channel (str):
            read (bool):
            read_at (Union[None, datetime.datetime]): When it was marked as read; ISO 8601, UTC
     """

    id: str
    realtime_channel: str
    read: bool
    read_at: Union[None, datetime.datetime]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        realtime_channel = self.realtime_channel

        read = self.read

        read_at: Union[None, str]
        if isinstance(self.read_at, datetime.datetime):
            read_at = self.read_at.isoformat()
        else:
            read_at = self.read_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "realtimeChannel": realtime_channel,
            "read": read,
            "readAt": read_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        realtime_channel = d.pop("realtimeChannel")

        read = d.pop("read")

        def _parse_read_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                read_at_type_0 = isoparse(data)



                return read_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        read_at = _parse_read_at(d.pop("readAt"))


        channel_report_notification = cls(
            id=id,
            realtime_channel=realtime_channel,
            read=read,
            read_at=read_at,
        )


        channel_report_notification.additional_properties = d
        return channel_report_notification

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
