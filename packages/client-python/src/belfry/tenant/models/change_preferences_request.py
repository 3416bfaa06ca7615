from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.change_preferences_request_preferences_item import ChangePreferencesRequestPreferencesItem





T = TypeVar("T", bound="ChangePreferencesRequest")



@_attrs_define
class ChangePreferencesRequest:
    """ 
        Attributes:
            preferences (list['ChangePreferencesRequestPreferencesItem']): If a cell is repeated, the last one counts
     """

    preferences: list['ChangePreferencesRequestPreferencesItem']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.change_preferences_request_preferences_item import ChangePreferencesRequestPreferencesItem
        preferences = []
        for preferences_item_data in self.preferences:
            preferences_item = preferences_item_data.to_dict()
            preferences.append(preferences_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "preferences": preferences,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.change_preferences_request_preferences_item import ChangePreferencesRequestPreferencesItem
        d = dict(src_dict)
        preferences = []
        _preferences = d.pop("preferences")
        for preferences_item_data in (_preferences):
            preferences_item = ChangePreferencesRequestPreferencesItem.from_dict(preferences_item_data)



            preferences.append(preferences_item)


        change_preferences_request = cls(
            preferences=preferences,
        )


        change_preferences_request.additional_properties = d
        return change_preferences_request

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
