# The service, without what only tests and contributors need. `content-workflow` is its command: `serve` unless told.

FROM python:3.13-slim-trixie@sha256:9d2e5553305c7c7b0097999bb17187c69b921ccd6bc9d40e4bb5ebe652c00285 AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /venv
WORKDIR /source
COPY requirements-run.lock .
RUN /venv/bin/pip install --require-hashes --requirement requirements-run.lock
COPY . .
RUN /venv/bin/pip install --no-deps --no-build-isolation .

FROM python:3.13-slim-trixie@sha256:9d2e5553305c7c7b0097999bb17187c69b921ccd6bc9d40e4bb5ebe652c00285
RUN useradd --system --no-create-home --uid 10001 service
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1
USER 10001
EXPOSE 8000
# `serve` has to answer; a `worker` has no port, and is healthy while it runs.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["python", "-c", "\
from urllib.request import urlopen; \
'worker' in open('/proc/1/cmdline').read().split('\\0') or urlopen('http://127.0.0.1:8000/health', timeout=2)"]
ENTRYPOINT ["content-workflow"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
