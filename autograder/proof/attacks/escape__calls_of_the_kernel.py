# Calls that reach beyond a process, by their numbers.
import platform
import ctypes

libc = ctypes.CDLL(None, use_errno=True)

X86 = {
    **{"ptrace": 101, "mount": 165, "umount2": 166, "chroot": 161, "unshare": 272, "setns": 308},
    **{"bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "io_uring_setup": 425, "io_setup": 206},
    **{"keyctl": 250, "add_key": 248, "memfd_create": 319, "shmget": 29, "msgget": 68, "semget": 64},
    **{"mq_open": 240, "process_vm_readv": 310, "kcmp": 312, "open_by_handle_at": 304},
    **{"pidfd_getfd": 438, "fsopen": 430, "landlock_restrict_self": 446, "syslog": 103, "acct": 163},
}
ARM = {"ptrace": 117, "mount": 40, "unshare": 97, "bpf": 280, "io_uring_setup": 425, "keyctl": 219}
for number in (X86 if platform.machine() == "x86_64" else ARM).values():
    ctypes.set_errno(0)
    if libc.syscall(number, 0, 0, 0, 0, 0, 0) >= 0 or ctypes.get_errno() not in (1, 38):
        raise AssertionError(LOOT)
