"""Reading and writing text: markdown, its html, its words and its parts."""
