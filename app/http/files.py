"""Files that pages load: small, and given to the server whole."""

from flask import Response


def in_one_piece(response: Response) -> Response:
    """Returns the answer with its file read into it, for the server to send by itself.

    One that is streamed holds a thread until the client has read it, and a client may read as slowly as it likes.
    """
    response.direct_passthrough = False
    whole = b"".join(response.iter_encoded())
    response.close()
    response.set_data(whole)
    return response
