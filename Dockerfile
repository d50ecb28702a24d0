# For macOS and Windows, where candidates cannot be sealed: Linux in a container, without any privilege.
#   docker build -t gapsmith .
#   docker run --rm -it -v "$PWD/runs:/campaigns/runs" gapsmith run smtt
FROM python:3.11-slim
COPY . /src
RUN pip install --no-cache-dir /src && rm -rf /src && useradd --create-home gapsmith && mkdir -p /campaigns/runs \
    && chown -R gapsmith /campaigns
USER gapsmith
WORKDIR /campaigns
ENTRYPOINT ["gapsmith"]
CMD ["--help"]
