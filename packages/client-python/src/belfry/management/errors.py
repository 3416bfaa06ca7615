"""The errors are in `belfry`."""
