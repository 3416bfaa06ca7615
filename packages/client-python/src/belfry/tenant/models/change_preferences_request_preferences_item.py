from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.change_preferences_request_preferences_item_channel import ChangePreferencesRequestPreferencesItemChannel
from ..models.change_preferences_request_preferences_item_channel import check_change_preferences_request_preferences_item_channel
from typing import cast
from typing import cast, Union






T = TypeVar("T", bound="ChangePreferencesRequestPreferencesItem")



@_attrs_define
class ChangePreferencesRequestPreferencesItem:
    """ 
        Attributes:
            category (str): The key of a category, or * for all of them
            channel (ChangePreferencesRequestPreferencesItemChannel): A channel, or * for all of them
            enabled (Union[None, bool]): null deletes the choice: the default of the category applies again
     """

    category: str
    channel: ChangePreferencesRequestPreferencesItemChannel
    enabled: Union[None, bool]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        category = self.category

        channel: str = self.channel

        enabled: Union[None, bool]
        enabled = self.enabled


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "category": category,
            "channel": channel,
            "enabled": enabled,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        category = d.pop("category")

        channel = check_change_preferences_request_preferences_item_channel(d.pop("channel"))




        def _parse_enabled(data: object) -> Union[None, bool]:
            if data is None:
                return data
            return cast(Union[None, bool], data)

        enabled = _parse_enabled(d.pop("enabled"))


        change_preferences_request_preferences_item = cls(
            category=category,
            channel=channel,
            enabled=enabled,
        )


        change_preferences_request_preferences_item.additional_properties = d
        return change_preferences_request_preferences_item

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
