from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.inbox_tabs_categories_item_label import InboxTabsCategoriesItemLabel





T = TypeVar("T", bound="InboxTabsCategoriesItem")



@_attrs_define
class InboxTabsCategoriesItem:
    """ 
        Attributes:
            key (str): The key of a category
            label (InboxTabsCategoriesItemLabel): Its name by language; the empty key is the default
            unread (int): Number of its unread items in the inbox
     """

    key: str
    label: 'InboxTabsCategoriesItemLabel'
    unread: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.inbox_tabs_categories_item_label import InboxTabsCategoriesItemLabel
        key = self.key

        label = self.label.to_dict()

        unread = self.unread


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "key": key,
            "label": label,
            "unread": unread,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.inbox_tabs_categories_item_label import InboxTabsCategoriesItemLabel
        d = dict(src_dict)
        key = d.pop("key")

        label = InboxTabsCategoriesItemLabel.from_dict(d.pop("label"))




        unread = d.pop("unread")

        inbox_tabs_categories_item = cls(
            key=key,
            label=label,
            unread=unread,
        )


        inbox_tabs_categories_item.additional_properties = d
        return inbox_tabs_categories_item

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
