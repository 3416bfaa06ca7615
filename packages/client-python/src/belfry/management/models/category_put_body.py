from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.category_put_body_only import CategoryPutBodyOnly
from ..models.category_put_body_only import check_category_put_body_only
from ..types import UNSET, Unset
from typing import cast
from typing import Union

if TYPE_CHECKING:
  from ..models.category_put_body_description import CategoryPutBodyDescription
  from ..models.category_put_body_label import CategoryPutBodyLabel





T = TypeVar("T", bound="CategoryPutBody")



@_attrs_define
class CategoryPutBody:
    """ 
        Attributes:
            label (Union[Unset, CategoryPutBodyLabel]): how users read it; a new category needs it
            description (Union[Unset, CategoryPutBodyDescription]): a description in one sentence
            required (Union[Unset, bool]): sent even if users have turned it off, and at any hour
            default_on (Union[Unset, bool]): off: sent only to users who have turned it on
            position (Union[Unset, int]): order among the others: the lowest comes first
            only (Union[Unset, CategoryPutBodyOnly]): new: refused where the key is taken; known: where it is not
     """

    label: Union[Unset, 'CategoryPutBodyLabel'] = UNSET
    description: Union[Unset, 'CategoryPutBodyDescription'] = UNSET
    required: Union[Unset, bool] = UNSET
    default_on: Union[Unset, bool] = UNSET
    position: Union[Unset, int] = UNSET
    only: Union[Unset, CategoryPutBodyOnly] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.category_put_body_description import CategoryPutBodyDescription
        from ..models.category_put_body_label import CategoryPutBodyLabel
        label: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.label, Unset):
            label = self.label.to_dict()

        description: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.description, Unset):
            description = self.description.to_dict()

        required = self.required

        default_on = self.default_on

        position = self.position

        only: Union[Unset, str] = UNSET
        if not isinstance(self.only, Unset):
            only = self.only



        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if label is not UNSET:
            field_dict["label"] = label
        if description is not UNSET:
            field_dict["description"] = description
        if required is not UNSET:
            field_dict["required"] = required
        if default_on is not UNSET:
            field_dict["defaultOn"] = default_on
        if position is not UNSET:
            field_dict["position"] = position
        if only is not UNSET:
            field_dict["only"] = only

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.category_put_body_description import CategoryPutBodyDescription
        from ..models.category_put_body_label import CategoryPutBodyLabel
        d = dict(src_dict)
        _label = d.pop("label", UNSET)
        label: Union[Unset, CategoryPutBodyLabel]
        if isinstance(_label,  Unset):
            label = UNSET
        else:
            label = CategoryPutBodyLabel.from_dict(_label)




        _description = d.pop("description", UNSET)
        description: Union[Unset, CategoryPutBodyDescription]
        if isinstance(_description,  Unset):
            description = UNSET
        else:
            description = CategoryPutBodyDescription.from_dict(_description)




        required = d.pop("required", UNSET)

        default_on = d.pop("defaultOn", UNSET)

        position = d.pop("position", UNSET)

        _only = d.pop("only", UNSET)
        only: Union[Unset, CategoryPutBodyOnly]
        if isinstance(_only,  Unset):
            only = UNSET
        else:
            only = check_category_put_body_only(_only)




        category_put_body = cls(
            label=label,
            description=description,
            required=required,
            default_on=default_on,
            position=position,
            only=only,
        )


        category_put_body.additional_properties = d
        return category_put_body

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
