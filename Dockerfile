FROM node:22-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-audit --no-fund
COPY . .
RUN npm run build && mkdir -p -m 700 /image/data

# A C library, a list of users, and nothing else: no shell, no package manager.
FROM gcr.io/distroless/base-nossl-debian12:nonroot
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
