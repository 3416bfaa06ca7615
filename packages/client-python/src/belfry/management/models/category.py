from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.category_description import CategoryDescription
  from ..models.category_label import CategoryLabel





T = TypeVar("T", bound="Category")



@_attrs_define
class Category:
    """ 
        Attributes:
            key (str):
            label (CategoryLabel): Texts by language; the key "" is the default
            description (CategoryDescription):
            required (bool): Messages are sent even to users who turned it off
            default_on (bool): false: sent only to users who have turned it on
            position (int):
            event_types (list[str]): Event types in the category
     """

    key: str
    label: 'CategoryLabel'
    description: 'CategoryDescription'
    required: bool
    default_on: bool
    position: int
    event_types: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.category_description import CategoryDescription
        from ..models.category_label import CategoryLabel
        key = self.key

        label = self.label.to_dict()

        description = self.description.to_dict()

        required = self.required

        default_on = self.default_on

        position = self.position

        event_types = self.event_types




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "key": key,
            "label": label,
            "description": description,
            "required": required,
            "defaultOn": default_on,
            "position": position,
            "eventTypes": event_types,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.category_description import CategoryDescription
        from ..models.category_label import CategoryLabel
        d = dict(src_dict)
        key = d.pop("key")

        label = CategoryLabel.from_dict(d.pop("label"))




        description = CategoryDescription.from_dict(d.pop("description"))




        required = d.pop("required")

        default_on = d.pop("defaultOn")

        position = d.pop("position")

        event_types = cast(list[str], d.pop("eventTypes"))


        category = cls(
            key=key,
            label=label,
            description=description,
            required=required,
            default_on=default_on,
            position=position,
            event_types=event_types,
        )


        category.additional_properties = d
        return category

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
