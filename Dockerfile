# By digest: a tag may stand for another image tomorrow. For a newer one: docker buildx imagetools inspect node:22-slim
FROM node:22.23.1-slim@sha256:6c74791e557ce11fc957704f6d4fe134a7bc8d6f5ca4403205b2966bd488f6b3 AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# Refuses every package that does not have the hash of the lock file.
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && mkdir -p -m 700 /image/data

# A C library, a list of users, and nothing else: no shell, no package manager.
FROM gcr.io/distroless/base-nossl-debian12:nonroot@sha256:be40c00dfabd86576d92666e87e406714d5618342de1a0c213ad232de255172e
COPY --from=build /src/dist/stillup /usr/local/bin/stillup
# Of the user that it runs as, so that a new volume is too.
COPY --from=build --chown=65532:65532 /image /
ENV STILLUP_HOST=0.0.0.0 STILLUP_DATA_DIR=/data
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8484
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["stillup", "health"]
ENTRYPOINT ["stillup"]
CMD ["serve"]
