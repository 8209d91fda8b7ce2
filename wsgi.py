"""The WSGI application, for any server that runs one; the environment configures it."""

import gc

gc.disable()  # what importing creates stays for good: searching it for garbage took 0.2 s of each start

from app.server import create_app  # noqa: E402
from app.settings import Settings  # noqa: E402

app = create_app(Settings.from_environment())
gc.freeze()
gc.enable()
