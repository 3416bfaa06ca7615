from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.user_preference_set_answer_data_categories_item import UserPreferenceSetAnswerDataCategoriesItem
  from ..models.user_preference_set_answer_data_preferences_item import UserPreferenceSetAnswerDataPreferencesItem





T = TypeVar("T", bound="UserPreferenceSetAnswerData")



@_attrs_define
class UserPreferenceSetAnswerData:
    """ 
        Attributes:
            user_id (str):
            preferences (list['UserPreferenceSetAnswerDataPreferencesItem']): The user's choices. A cell that is not listed
                has the default of its category
            categories (list['UserPreferenceSetAnswerDataCategoriesItem']): All categories of the tenant, in their order
     """

    user_id: str
    preferences: list['UserPreferenceSetAnswerDataPreferencesItem']
    categories: list['UserPreferenceSetAnswerDataCategoriesItem']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.user_preference_set_answer_data_categories_item import UserPreferenceSetAnswerDataCategoriesItem
        from ..models.user_preference_set_answer_data_preferences_item import UserPreferenceSetAnswerDataPreferencesItem
        user_id = self.user_id

        preferences = []
        for preferences_item_data in self.preferences:
            preferences_item = preferences_item_data.to_dict()
            preferences.append(preferences_item)



        categories = []
        for categories_item_data in self.categories:
            categories_item = categories_item_data.to_dict()
            categories.append(categories_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "userId": user_id,
            "preferences": preferences,
            "categories": categories,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.user_preference_set_answer_data_categories_item import UserPreferenceSetAnswerDataCategoriesItem
        from ..models.user_preference_set_answer_data_preferences_item import UserPreferenceSetAnswerDataPreferencesItem
        d = dict(src_dict)
        user_id = d.pop("userId")

        preferences = []
        _preferences = d.pop("preferences")
        for preferences_item_data in (_preferences):
            preferences_item = UserPreferenceSetAnswerDataPreferencesItem.from_dict(preferences_item_data)



            preferences.append(preferences_item)


        categories = []
        _categories = d.pop("categories")
        for categories_item_data in (_categories):
            categories_item = UserPreferenceSetAnswerDataCategoriesItem.from_dict(categories_item_data)



            categories.append(categories_item)


        user_preference_set_answer_data = cls(
            user_id=user_id,
            preferences=preferences,
            categories=categories,
        )


        user_preference_set_answer_data.additional_properties = d
        return user_preference_set_answer_data

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
