"""Benchmarks: what the service costs beside the bare floor, measured in one run (`make bench`)."""
