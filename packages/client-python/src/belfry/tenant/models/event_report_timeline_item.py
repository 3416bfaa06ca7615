from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime






T = TypeVar("T", bound="EventReportTimelineItem")



@_attrs_define
class EventReportTimelineItem:
    """ 
        Attributes:
            at (datetime.datetime): When; ISO 8601, UTC
            channel (Union[None, str]):
            what (str): In words
     """

    at: datetime.datetime
    channel: Union[None, str]
    what: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        at = self.at.isoformat()

        channel: Union[None, str]
        channel = self.channel

        what = self.what


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "at": at,
            "channel": channel,
            "what": what,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        at = isoparse(d.pop("at"))




        def _parse_channel(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        channel = _parse_channel(d.pop("channel"))


        what = d.pop("what")

        event_report_timeline_item = cls(
            at=at,
            channel=channel,
            what=what,
        )


        event_report_timeline_item.additional_properties = d
        return event_report_timeline_item

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
