from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.broadcast_estimate_body_channels_item import BroadcastEstimateBodyChannelsItem
from ..models.broadcast_estimate_body_channels_item import check_broadcast_estimate_body_channels_item
from ..types import UNSET, Unset
from typing import cast
from typing import Union






T = TypeVar("T", bound="BroadcastEstimateBody")



@_attrs_define
class BroadcastEstimateBody:
    """ 
        Attributes:
            event_type (str): The event type of a template; it must have no sensitive template
            topics (Union[Unset, list[str]]): It is sent to the members of these topics; a member of several gets it once
            user_ids (Union[Unset, list[str]]): Users that get it, instead of topics
            except_user_ids (Union[Unset, list[str]]): Users that do not get it
            channels (Union[Unset, list[BroadcastEstimateBodyChannelsItem]]): Only these channels; an empty array means all
     """

    event_type: str
    topics: Union[Unset, list[str]] = UNSET
    user_ids: Union[Unset, list[str]] = UNSET
    except_user_ids: Union[Unset, list[str]] = UNSET
    channels: Union[Unset, list[BroadcastEstimateBodyChannelsItem]] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        event_type = self.event_type

        topics: Union[Unset, list[str]] = UNSET
        if not isinstance(self.topics, Unset):
            topics = self.topics



        user_ids: Union[Unset, list[str]] = UNSET
        if not isinstance(self.user_ids, Unset):
            user_ids = self.user_ids



        except_user_ids: Union[Unset, list[str]] = UNSET
        if not isinstance(self.except_user_ids, Unset):
            except_user_ids = self.except_user_ids



        channels: Union[Unset, list[str]] = UNSET
        if not isinstance(self.channels, Unset):
            channels = []
            for channels_item_data in self.channels:
                channels_item: str = channels_item_data
                channels.append(channels_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "eventType": event_type,
        })
        if topics is not UNSET:
            field_dict["topics"] = topics
        if user_ids is not UNSET:
            field_dict["userIds"] = user_ids
        if except_user_ids is not UNSET:
            field_dict["exceptUserIds"] = except_user_ids
        if channels is not UNSET:
            field_dict["channels"] = channels

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        event_type = d.pop("eventType")

        topics = cast(list[str], d.pop("topics", UNSET))


        user_ids = cast(list[str], d.pop("userIds", UNSET))


        except_user_ids = cast(list[str], d.pop("exceptUserIds", UNSET))


        channels = []
        _channels = d.pop("channels", UNSET)
        for channels_item_data in (_channels or []):
            channels_item = check_broadcast_estimate_body_channels_item(channels_item_data)



            channels.append(channels_item)


        broadcast_estimate_body = cls(
            event_type=event_type,
            topics=topics,
            user_ids=user_ids,
            except_user_ids=except_user_ids,
            channels=channels,
        )


        broadcast_estimate_body.additional_properties = d
        return broadcast_estimate_body

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
