# docker build -t hardgen .
# docker run --rm -v "$PWD/outputs:/work/outputs" hardgen sweep
FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY hardgen hardgen
COPY conf conf
RUN python -m venv /opt/hardgen
RUN /opt/hardgen/bin/pip install --no-cache-dir '.[onnx,litert,timm,joblib]'

FROM python:3.11-slim
COPY --from=build /opt/hardgen /opt/hardgen
RUN useradd --create-home --uid 1000 hardgen && mkdir -p /work/outputs && chown -R hardgen /work
USER hardgen
WORKDIR /work
ENV PATH=/opt/hardgen/bin:$PATH
ENTRYPOINT ["hardgen"]
CMD ["--help"]
