from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="UserPreferenceSetAnswerDataPreferencesItem")



@_attrs_define
class UserPreferenceSetAnswerDataPreferencesItem:
    """ 
        Attributes:
            category (str): A key, or *
            channel (str):
            enabled (bool):
            source (str): The place where the user made the choice
            at (str): When; ISO 8601, UTC
     """

    category: str
    channel: str
    enabled: bool
    source: str
    at: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        category = self.category

        channel = self.channel

        enabled = self.enabled

        source = self.source

        at = self.at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "category": category,
            "channel": channel,
            "enabled": enabled,
            "source": source,
            "at": at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        category = d.pop("category")

        channel = d.pop("channel")

        enabled = d.pop("enabled")

        source = d.pop("source")

        at = d.pop("at")

        user_preference_set_answer_data_preferences_item = cls(
            category=category,
            channel=channel,
            enabled=enabled,
            source=source,
            at=at,
        )


        user_preference_set_answer_data_preferences_item.additional_properties = d
        return user_preference_set_answer_data_preferences_item

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
