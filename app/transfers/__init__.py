"""Export of a project, and import of an export or of a folder of markdown (decisions, section 10).

Needs all folders whose records it carries. It adds commands of the command line.
"""
