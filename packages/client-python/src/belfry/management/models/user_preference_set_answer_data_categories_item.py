from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.user_preference_set_answer_data_categories_item_description import UserPreferenceSetAnswerDataCategoriesItemDescription
  from ..models.user_preference_set_answer_data_categories_item_label import UserPreferenceSetAnswerDataCategoriesItemLabel





T = TypeVar("T", bound="UserPreferenceSetAnswerDataCategoriesItem")



@_attrs_define
class UserPreferenceSetAnswerDataCategoriesItem:
    """ 
        Attributes:
            key (str):
            label (UserPreferenceSetAnswerDataCategoriesItemLabel): Texts by language; "" is the default
            description (UserPreferenceSetAnswerDataCategoriesItemDescription): Texts by language; "" is the default
            required (bool): Messages are sent even to users who turned it off
            default_on (bool): false: messages are sent only to users who turned it on
     """

    key: str
    label: 'UserPreferenceSetAnswerDataCategoriesItemLabel'
    description: 'UserPreferenceSetAnswerDataCategoriesItemDescription'
    required: bool
    default_on: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.user_preference_set_answer_data_categories_item_description import UserPreferenceSetAnswerDataCategoriesItemDescription
        from ..models.user_preference_set_answer_data_categories_item_label import UserPreferenceSetAnswerDataCategoriesItemLabel
        key = self.key

        label = self.label.to_dict()

        description = self.description.to_dict()

        required = self.required

        default_on = self.default_on


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "key": key,
            "label": label,
            "description": description,
            "required": required,
            "defaultOn": default_on,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.user_preference_set_answer_data_categories_item_description import UserPreferenceSetAnswerDataCategoriesItemDescription
        from ..models.user_preference_set_answer_data_categories_item_label import UserPreferenceSetAnswerDataCategoriesItemLabel
        d = dict(src_dict)
        key = d.pop("key")

        label = UserPreferenceSetAnswerDataCategoriesItemLabel.from_dict(d.pop("label"))




        description = UserPreferenceSetAnswerDataCategoriesItemDescription.from_dict(d.pop("description"))




        required = d.pop("required")

        default_on = d.pop("defaultOn")

        user_preference_set_answer_data_categories_item = cls(
            key=key,
            label=label,
            description=description,
            required=required,
            default_on=default_on,
        )


        user_preference_set_answer_data_categories_item.additional_properties = d
        return user_preference_set_answer_data_categories_item

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
