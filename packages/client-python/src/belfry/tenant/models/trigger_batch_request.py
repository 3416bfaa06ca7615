from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.trigger_batch_request_events_item import TriggerBatchRequestEventsItem





T = TypeVar("T", bound="TriggerBatchRequest")



@_attrs_define
class TriggerBatchRequest:
    """ 
        Attributes:
            events (list['TriggerBatchRequestEventsItem']): Events with the fields of a single call; the events of one user
                are delivered in this order
     """

    events: list['TriggerBatchRequestEventsItem']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.trigger_batch_request_events_item import TriggerBatchRequestEventsItem
        events = []
        for events_item_data in self.events:
            events_item = events_item_data.to_dict()
            events.append(events_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "events": events,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.trigger_batch_request_events_item import TriggerBatchRequestEventsItem
        d = dict(src_dict)
        events = []
        _events = d.pop("events")
        for events_item_data in (_events):
            events_item = TriggerBatchRequestEventsItem.from_dict(events_item_data)



            events.append(events_item)


        trigger_batch_request = cls(
            events=events,
        )


        trigger_batch_request.additional_properties = d
        return trigger_batch_request

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
