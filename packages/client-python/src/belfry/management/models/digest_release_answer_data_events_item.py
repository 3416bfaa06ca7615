from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
import datetime






T = TypeVar("T", bound="DigestReleaseAnswerDataEventsItem")



@_attrs_define
class DigestReleaseAnswerDataEventsItem:
    """ 
        Attributes:
            event_id (str):
            state (str):
            added_at (datetime.datetime): When it came; ISO 8601, UTC
     """

    event_id: str
    state: str
    added_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        event_id = self.event_id

        state = self.state

        added_at = self.added_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "eventId": event_id,
            "state": state,
            "addedAt": added_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        event_id = d.pop("eventId")

        state = d.pop("state")

        added_at = isoparse(d.pop("addedAt"))




        digest_release_answer_data_events_item = cls(
            event_id=event_id,
            state=state,
            added_at=added_at,
        )


        digest_release_answer_data_events_item.additional_properties = d
        return digest_release_answer_data_events_item

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
