# docker build -t knap .
# docker run --rm -p 127.0.0.1:37842:37842 -e OBSIDIAN_HTTP_TOKEN=… -v ~/Notes:/vault knap
FROM oven/bun:1.4.5-slim

WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY patches patches
RUN bun install --frozen-lockfile --production
COPY src src
COPY profiles profiles
COPY models models

# The user whose number owns the mounted notes: docker run --user "$(id -u):$(id -g)" where it is another one.
USER bun
ENV OBSIDIAN_MCP_DATA=/tmp/knap
EXPOSE 37842
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["bun", "-e", "process.exit((await fetch('http://127.0.0.1:37842/health')).ok ? 0 : 1)"]
ENTRYPOINT ["bun", "--no-env-file", "--config=/dev/null", "--no-install", "/app/src/main.ts"]
# Beyond the container's own loopback a token is needed: OBSIDIAN_HTTP_TOKEN.
CMD ["--http", "--host", "0.0.0.0", "/vault"]
