# For macOS and Windows, where candidates cannot be sealed: Linux in a container, without any privilege.
#   docker build -t gapsmith .
#   docker run --rm -it -v "$PWD/runs:/campaigns/runs" -v gapsmith:/home/gapsmith/.cache gapsmith run smtt
# The second volume keeps proven references, and the secret that online instances are drawn with.
FROM python:3.11-slim
COPY . /src
RUN pip install --no-cache-dir /src && rm -rf /src && useradd --create-home gapsmith && mkdir -p /campaigns/runs \
    && mkdir /home/gapsmith/.cache && chown -R gapsmith /campaigns /home/gapsmith/.cache
USER gapsmith
WORKDIR /campaigns
ENTRYPOINT ["gapsmith"]
CMD ["--help"]
