from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast, Union






T = TypeVar("T", bound="DeadListAnswerDataItemExamplesItem")



@_attrs_define
class DeadListAnswerDataItemExamplesItem:
    """ 
        Attributes:
            id (str):
            event_id (Union[None, str]):
            reason (Union[None, str]):
            ended_at (str):
     """

    id: str
    event_id: Union[None, str]
    reason: Union[None, str]
    ended_at: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        event_id: Union[None, str]
        event_id = self.event_id

        reason: Union[None, str]
        reason = self.reason

        ended_at = self.ended_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "eventId": event_id,
            "reason": reason,
            "endedAt": ended_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        def _parse_event_id(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        event_id = _parse_event_id(d.pop("eventId"))


        def _parse_reason(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        reason = _parse_reason(d.pop("reason"))


        ended_at = d.pop("endedAt")

        dead_list_answer_data_item_examples_item = cls(
            id=id,
            event_id=event_id,
            reason=reason,
            ended_at=ended_at,
        )


        dead_list_answer_data_item_examples_item.additional_properties = d
        return dead_list_answer_data_item_examples_item

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
