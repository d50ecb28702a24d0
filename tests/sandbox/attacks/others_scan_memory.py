"""Searches all memory it can reach for the text of the candidate before it, and for a decoy of its own."""
# ruff: noqa
# expect: ok
# may be off: rlimits
# cpu: 2

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)
os = sys.modules["os"]

# Everything is searched for with its bits flipped, so that the search never finds itself.
FLIPPED = bytes(255 - c for c in range(256))
WANTED = bytes(
    [c for c in b"\x8b\x97\x9a\xdf\x8b\x9a\x87\x8b\xdf\x90\x99\xdf\x9e\x91\xdf\x9a\x9e\x8d\x93\x96\x9a\x8d"]
)


def f(xs):
    decoy = bytes(range(40, 80))
    hidden = decoy.translate(FLIPPED)
    # write() checks addresses for us: a hole in the map is an error and not the end of the process
    libc.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
    starts = [id(decoy), id(sys), id(object), ctypes.addressof(ctypes.create_string_buffer(10))]
    pages = {(start & ~4095) + 4096 * step for start in starts for step in range(-2500, 2500)}
    seen = False
    for page in sorted(pages):
        os.lseek(1, 0, 0)
        if page > 0 and libc.write(1, page, 4096) == 4096:
            data = os.pread(1, 4096, 0).translate(FLIPPED)
            seen = seen or hidden in data
            if WANTED in data:
                return "got through"
    os.lseek(1, 0, 0)
    os.write(1, b"\n" * 4096)
    if not seen:
        raise RuntimeError("the search is blind")
    return sorted(xs)
