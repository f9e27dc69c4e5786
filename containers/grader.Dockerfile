# The grader. Build it from the repository's root; it grades the course in /course:
#   docker run --rm --volume "$PWD:/course" autograder grade a1_attention
# Any image that has Python, pip and apt-get will do, such as one of your own mirror.
ARG BASE=docker.io/library/python:3.12-slim
FROM ${BASE}

# Of two torches of the same version pip takes the CPU's, which is a tenth of the size.
ARG PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu
# Debian's and Ubuntu's own pip wants to be told that it may install beside the system's packages.
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_BREAK_SYSTEM_PACKAGES=1 \
    PYTHONDONTWRITEBYTECODE=1

# `autograder diff` asks git.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/autograder
# Libraries first: they change less often than the engine does.
COPY requirements.lock constraints.txt ./
RUN pip install --no-deps --require-hashes --only-binary :all: -r requirements.lock \
    && pip install -c constraints.txt torch
COPY pyproject.toml README.md LICENSE ./
COPY autograder autograder
# From its folder: among the libraries, which submissions may read, no wall would stand.
RUN pip install --no-deps --no-build-isolation --editable . && autograder --help > /dev/null

# Whoever the container runs as must be able to write there: jupyter, matplotlib.
ENV HOME=/tmp
WORKDIR /course
ENTRYPOINT ["autograder"]
CMD ["doctor"]
