# The gateway as an image: docker build -t market-data-gateway .
# `npm run check -- image` does these steps in a clean directory, without Docker.

FROM node:24-bookworm-slim AS build
WORKDIR /build
# Install scripts of packages are not needed; the versions are those of the lock file.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY prisma.config.ts tsconfig.json schema.graphql LICENSE README.md CHANGELOG.md ./
COPY scripts scripts
COPY prisma prisma
COPY src src
RUN npm run prepare
# Telemetry is part of the image; elsewhere its packages are optional.
RUN node scripts/production-manifest.mjs
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund
RUN node scripts/prepack.mjs
RUN find dist -name '*.map' -delete

FROM node:24-bookworm-slim
# The commit and the address of the repository: docker build --build-arg REVISION="$(git rev-parse HEAD)" --build-arg SOURCE=…
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="market-data-gateway" \
  org.opencontainers.image.description="GraphQL and REST over market data" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="0.2.0" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.source="$SOURCE"
# Where npm keeps what is installed for all users.
WORKDIR /usr/local/lib/node_modules/market-data-gateway
COPY --from=build /build/package.json /build/schema.graphql /build/LICENSE /build/README.md /build/CHANGELOG.md /build/third-party-licenses.txt /build/sbom.cdx.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/prisma/migrations prisma/migrations
COPY --from=build /build/dist dist
RUN chmod +x dist/cli.js && ln -s ../lib/node_modules/market-data-gateway/dist/cli.js /usr/local/bin/market-data-gateway

# What the process keeps beside PostgreSQL; the directory around it takes the lock file.
WORKDIR /var/lib/market-data-gateway
RUN chown node:node .
# One helper thread for compiling and collecting garbage: node's four would take turns with the process on its core, and
# hold up its answers meanwhile. Several cores for one process: without it.
ENV NODE_OPTIONS=--v8-pool-size=1
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 METRICS_HOST=0.0.0.0 METRICS_PORT=4001 DATA_DIR=/var/lib/market-data-gateway/data
USER node
EXPOSE 4000 4001
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["market-data-gateway", "start"]
