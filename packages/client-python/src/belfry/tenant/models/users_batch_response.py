from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.users_batch_response_results_item import UsersBatchResponseResultsItem





T = TypeVar("T", bound="UsersBatchResponse")



@_attrs_define
class UsersBatchResponse:
    """ 
        Attributes:
            success (bool): Always true: each item has its own
            results (list['UsersBatchResponseResultsItem']): In the order of the request
     """

    success: bool
    results: list['UsersBatchResponseResultsItem']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.users_batch_response_results_item import UsersBatchResponseResultsItem
        success = self.success

        results = []
        for results_item_data in self.results:
            results_item = results_item_data.to_dict()
            results.append(results_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "success": success,
            "results": results,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.users_batch_response_results_item import UsersBatchResponseResultsItem
        d = dict(src_dict)
        success = d.pop("success")

        results = []
        _results = d.pop("results")
        for results_item_data in (_results):
            results_item = UsersBatchResponseResultsItem.from_dict(results_item_data)



            results.append(results_item)


        users_batch_response = cls(
            success=success,
            results=results,
        )


        users_batch_response.additional_properties = d
        return users_batch_response

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
