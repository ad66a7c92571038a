# Stillbell in a container: one volume, no port, no secret in any layer. See compose.yaml.
FROM python:3.11-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
RUN python -m venv .venv
COPY requirements/run.lock requirements/
RUN .venv/bin/pip install --require-hashes -r requirements/run.lock
COPY pyproject.toml README.md alembic.ini ./
COPY bot bot
COPY handlers handlers
COPY jobs jobs
COPY tools tools
COPY memory memory
COPY alembic alembic
# In place, because the migrations are found beside the packages. Compiled now, because later nothing here can be written.
RUN .venv/bin/pip install --no-deps --no-build-isolation -e . && .venv/bin/python -m compileall -q bot handlers jobs tools memory

FROM python:3.11-slim
ENV STILLBELL_HOME=/data PATH=/app/.venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1
RUN useradd --system --uid 10001 --home-dir /data --no-create-home stillbell && install -d -m 700 -o stillbell /data
COPY --from=build /app /app
WORKDIR /data
USER stillbell
VOLUME /data
HEALTHCHECK --interval=60s --timeout=15s --start-period=120s CMD ["stillbell", "doctor", "--alive"]
# The exec form: SIGTERM reaches Stillbell itself, which finishes what it has in hand.
ENTRYPOINT ["stillbell"]
CMD ["run", "--no-chat"]
