from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.broadcast_estimate_channels_item import BroadcastEstimateChannelsItem





T = TypeVar("T", bound="BroadcastEstimate")



@_attrs_define
class BroadcastEstimate:
    """ 
        Attributes:
            is_exact (bool): Whether everybody was examined; if false, `people` and `reached` are extrapolated
            looked_at (int): People who were looked at one by one: the first by user id
            reached_of_those (int): Those of them who would get it on at least one channel
            people (int): Users it is for; a user in several topics counts once
            reached (int): Users who would get it on at least one channel
            channels (list['BroadcastEstimateChannelsItem']): The channels that it would go out on
     """

    is_exact: bool
    looked_at: int
    reached_of_those: int
    people: int
    reached: int
    channels: list['BroadcastEstimateChannelsItem']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.broadcast_estimate_channels_item import BroadcastEstimateChannelsItem
        is_exact = self.is_exact

        looked_at = self.looked_at

        reached_of_those = self.reached_of_those

        people = self.people

        reached = self.reached

        channels = []
        for channels_item_data in self.channels:
            channels_item = channels_item_data.to_dict()
            channels.append(channels_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "isExact": is_exact,
            "lookedAt": looked_at,
            "reachedOfThose": reached_of_those,
            "people": people,
            "reached": reached,
            "channels": channels,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.broadcast_estimate_channels_item import BroadcastEstimateChannelsItem
        d = dict(src_dict)
        is_exact = d.pop("isExact")

        looked_at = d.pop("lookedAt")

        reached_of_those = d.pop("reachedOfThose")

        people = d.pop("people")

        reached = d.pop("reached")

        channels = []
        _channels = d.pop("channels")
        for channels_item_data in (_channels):
            channels_item = BroadcastEstimateChannelsItem.from_dict(channels_item_data)



            channels.append(channels_item)


        broadcast_estimate = cls(
            is_exact=is_exact,
            looked_at=looked_at,
            reached_of_those=reached_of_those,
            people=people,
            reached=reached,
            channels=channels,
        )


        broadcast_estimate.additional_properties = d
        return broadcast_estimate

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
