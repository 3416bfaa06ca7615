"""Generated from the OpenAPI document of Belfry by openapi-python-client. Do not edit."""
