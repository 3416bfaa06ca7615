from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.missed import Missed





T = TypeVar("T", bound="BroadcastEstimateChannelsItem")



@_attrs_define
class BroadcastEstimateChannelsItem:
    """ 
        Attributes:
            channel (str):
            reached (int): Users among the examined ones who would get it
            missed (list['Missed']): Reasons why examined users would not get it on this channel
     """

    channel: str
    reached: int
    missed: list['Missed']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.missed import Missed
        channel = self.channel

        reached = self.reached

        missed = []
        for missed_item_data in self.missed:
            missed_item = missed_item_data.to_dict()
            missed.append(missed_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "channel": channel,
            "reached": reached,
            "missed": missed,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.missed import Missed
        d = dict(src_dict)
        channel = d.pop("channel")

        reached = d.pop("reached")

        missed = []
        _missed = d.pop("missed")
        for missed_item_data in (_missed):
            missed_item = Missed.from_dict(missed_item_data)



            missed.append(missed_item)


        broadcast_estimate_channels_item = cls(
            channel=channel,
            reached=reached,
            missed=missed,
        )


        broadcast_estimate_channels_item.additional_properties = d
        return broadcast_estimate_channels_item

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
