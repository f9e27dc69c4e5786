"""Holds the server inside sandlock's walls: a small process of its own, outside them.

sandlock watches what it holds from threads of the process that started it; those do not belong
into the grader, which forks and runs pytest. Standard input is handed on: the control socket.
"""

import json
import os
import sys
import warnings


def main() -> None:
    """Run the server until it ends. Arguments: the walls as JSON, then the server's command."""
    import sandlock

    walls = json.loads(sys.argv[1])
    # As root, be nobody special inside: a user namespace takes every privilege away.
    nobody = {"uid": 65534, "gid": 65534} if os.geteuid() == 0 else {}
    with warnings.catch_warnings():
        # sandlock asks for a gid beside a uid, and then warns that it has no use for it
        warnings.simplefilter("ignore", UserWarning)
        process = sandlock.Sandbox(
            fs_readable=walls["readable"],
            fs_writable=[walls["scratch"], os.devnull],
            clean_env=True,
            env=walls["environment"],
            cwd=walls["scratch"],
            max_processes=1 + walls["processes"],
            no_coredump=True,
            **nobody,
        ).popen(sys.argv[2:])
    with process:
        sys.exit(process.wait().exit_code)


if __name__ == "__main__":
    main()
