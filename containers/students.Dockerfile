# For students, on JupyterHub or alone. Build it from the repository's root, after a release:
#   docker run --rm --publish 8888:8888 students
# Any image that has Python, pip and apt-get will do, such as one of your own mirror.
ARG BASE=docker.io/library/python:3.12-slim
FROM ${BASE}

ARG PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu
# Debian's and Ubuntu's own pip wants to be told that it may install beside the system's packages.
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_BREAK_SYSTEM_PACKAGES=1

# What the handout asks for, so that there is one list of it. The hub starts jupyterhub-singleuser.
ARG ASSIGNMENT=a6_translation
COPY assignments/${ASSIGNMENT}/requirements.txt /tmp/requirements.txt
RUN pip install -r /tmp/requirements.txt jupyterlab "jupyterhub>=4,<6" nbgrader \
    && rm /tmp/requirements.txt

# Of nbgrader's tools students need Assignment List and Validate; the others are their instructors'.
RUN jupyter labextension disable --level=system @jupyter/nbgrader:create-assignment \
    && jupyter labextension disable --level=system @jupyter/nbgrader:course-list \
    && jupyter labextension disable --level=system @jupyter/nbgrader:formgrader \
    && jupyter server extension disable --system nbgrader.server_extensions.course_list \
    && jupyter server extension disable --system nbgrader.server_extensions.formgrader

RUN useradd --create-home --uid 1000 student
USER student
WORKDIR /home/student
EXPOSE 8888
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--no-browser"]
