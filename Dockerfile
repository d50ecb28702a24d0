# For macOS and Windows, where candidates cannot be sealed: Linux in a container, without any privilege.
#   docker build -t gapsmith .
#   docker run --rm -it -v "$PWD/runs:/campaigns/runs" -v gapsmith:/home/gapsmith/.cache gapsmith run smtt
# The second volume keeps proven references, and the secret that online instances are drawn with.
FROM python:3.11-slim AS build
COPY . /src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /src

FROM python:3.11-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl && rm -rf /wheels && useradd --create-home gapsmith && mkdir -p /campaigns/runs \
    && mkdir /home/gapsmith/.cache && chown -R gapsmith /campaigns /home/gapsmith/.cache
USER gapsmith
WORKDIR /campaigns
ENTRYPOINT ["gapsmith"]
CMD ["--help"]
