"""Mutations of model files and of data archives: of single bytes, and of what the bytes mean."""

import copy
import io
import json
import struct
import zipfile

import numpy as np
from safetensors.numpy import load as load_arrays

from skdegfair import tensorfile

HOSTILE_NUMBERS = [-1, 0, 1, 7, 2**31, 2**63, 10**9, 10**30, -(10**18), 1.5, 1e308, float("nan"), float("inf"), -0.0]
SIZES = {
    "hidden_dim", "n_layers", "n_heads", "n_neighbors", "batch_size", "context_hops", "fairness_groups",
    "fairness_hops", "n_features_in_", "n_iter_", "best_epoch_", "_seed",
}  # fmt: skip
HOSTILE_VALUES = [
    *HOSTILE_NUMBERS, None, True, "", "x" * 1000, "../../../etc/passwd", "\ud800", "cuda:7", "gat", [], [[]], {},
    "@deep", {"float": "nan"}, {"float": "1e5"}, {"tensor": "model"}, {"tuple": [1, 2]}, {"slice": [0, 1, None]},
    {"dict": [[[], 1]]}, {"dict": 3}, {"type": ["|O"]}, {"dtype": ["<U9999999"]}, {"device": ["meta"]},
    {"scalar": ["<f8", "x"]}, {"transposed": [3]}, {"degree_groups": [1, 2, 3]}, {"a": 1, "b": 2}, {"unknown": []},
    {"array": {"dtype": "<f8", "shape": [10**12], "values": []}},
    {"array": {"dtype": "<U9999999", "shape": [90], "values": ["a"] * 90}},
    {"array": {"dtype": "|O", "shape": [-1, -2], "values": [1, 2]}},
    {"degree_groups": [{"array": {"dtype": "<f8", "shape": [1], "values": [1.0]}}, 1,
                       {"array": {"dtype": "<i8", "shape": [2], "values": [0, 10**9]}}]},
    {"estimator": {"class": "os.system", "parameters": {"command": "false"}, "learned": {}}},
    {"estimator": {"class": "FunctionTransformer", "parameters": {"func": "os.system"}, "learned": {}}},
    {"estimator": {"class": "FairGNN", "parameters": {}, "learned": {"__class__": 1, "learn": 2}}},
    {"estimator": {"class": "Pipeline", "parameters": {"steps": []}, "learned": {}}},
]  # fmt: skip


def of_bytes(content, random):
    """Flip bits, cut, insert, overwrite, or move bytes."""
    data, kind = bytearray(content), random.randint(6)
    start = random.randint(len(data)) if random.rand() < 0.5 else random.randint(min(len(data), 200))
    length = 1 + random.randint(64)
    if kind == 0:
        for _ in range(1 + random.randint(4)):
            data[random.randint(len(data))] ^= 1 << random.randint(8)
    elif kind == 1:
        del data[start:]
    elif kind == 2:
        data[start:start] = random.bytes(length)
    elif kind == 3:
        data[start : start + length] = random.choice([b"\0", b"\xff", b"9", b"[", b"\x80"]) * length
    elif kind == 4:
        del data[start : start + length]
    else:
        other = random.randint(len(data))
        data[start : start + length] = data[other : other + length]
    return bytes(data)


def of_model(content, random):
    """Change the document, the arrays or the header of a model file, and make the checksum right again."""
    arrays = {name: array.copy() for name, array in load_arrays(content).items()}
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    marks = header.pop("__metadata__")
    document, kind = json.loads(marks["document"]), random.randint(8)
    if kind < 5:
        for _ in range(1 + random.randint(2)):
            _edit(document, random)
    elif kind == 5:
        _edit_arrays(arrays, random)
    elif kind == 6:
        marks[str(random.choice(["schema", "format", "more"]))] = str(
            random.choice(["2", "99999", "", "-1", "1.0", "१", "0"])
        )
    text = json.dumps(document).replace('"@deep"', "[" * 50_000 + "]" * 50_000)
    if random.rand() < 0.03:
        text = text.replace('"learned": ', '"learned": {}, "learned": ', 1)
    marks["document"] = text
    marks["sha256"] = tensorfile._checksum(marks, arrays)
    header, data = {"__metadata__": marks}, b""
    for name, array in arrays.items():
        offsets = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": NAMES[array.dtype.str[1:]], "shape": list(array.shape), "data_offsets": offsets}
        data += array.tobytes()
    if kind == 7:
        _edit(header, random)
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + data


NAMES = {"f4": "F32", "f8": "F64", "f2": "F16", "i8": "I64", "i4": "I32", "i1": "I8", "u4": "U32", "b1": "BOOL"}


def _edit(document, random):
    """Replace, remove, add, rename or swap a value anywhere in a tree of JSON."""
    places = list(_places(document))
    container, key = places[random.randint(len(places))]
    kind = random.randint(9)
    hostile = copy.deepcopy(HOSTILE_VALUES[random.randint(len(HOSTILE_VALUES))])
    if kind == 0:
        del container[key]
    elif kind == 1 and isinstance(container, dict):
        container[str(random.choice(["extra", "__class__", "__dict__", "fit", "hidden_dim", "a" * 300]))] = hostile
    elif kind == 2 and isinstance(container, dict):
        container[f"{key}_"] = container.pop(key)
    elif kind == 3:
        other, place = places[random.randint(len(places))]
        container[key] = copy.deepcopy(other[place])
    elif kind == 4 and isinstance(container, list):
        container.extend([hostile] * 3)
    elif kind == 5 and isinstance(container[key], int | float):
        container[key] = HOSTILE_NUMBERS[random.randint(len(HOSTILE_NUMBERS))]
    elif kind == 6 and (sizes := [place for place in places if place[1] in SIZES]):
        container, key = sizes[random.randint(len(sizes))]
        container[key] = int(10 ** random.uniform(0, 18))
    else:
        container[key] = hostile


def _places(tree):
    for key in list(tree) if isinstance(tree, dict) else range(len(tree)):
        yield tree, key
        if isinstance(tree[key], dict | list):
            yield from _places(tree[key])


def _edit_arrays(arrays, random):
    name = str(random.choice(sorted(arrays)))
    array, kind = arrays[name], random.randint(9)
    if kind == 0:
        array.flat[random.randint(array.size)] = random.choice([np.nan, np.inf, -np.inf])
    elif kind == 1:
        arrays[name] = array.astype(random.choice(["f8", "f2", "i1", "i8", "b1"]))
    elif kind == 2:
        arrays[name] = array.T.copy() if array.ndim > 1 else array[:, None]
    elif kind == 3:
        del arrays[name]
    elif kind == 4:
        arrays[f"{name}2"] = array
    elif kind == 5:
        arrays[name] = array[:0]
    elif kind == 6:
        arrays[name] = np.concatenate([array, array])
    elif kind == 7:
        other = str(random.choice(sorted(arrays)))
        arrays[name], arrays[other] = arrays[other], array
    else:
        arrays[str(random.choice(["../../x", "", "model.module_", "x" * 500]))] = arrays.pop(name)


def of_archive(content, random):
    """Change a member of a zip file, or the list of its members, and write the archive again."""
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        members = [(name, files.read(name)) for name in files.namelist()]
    place, kind = random.randint(len(members)), random.randint(11)
    name, data = members[place]
    if kind == 0:
        del members[place]
    elif kind == 1:
        members.append((name, data))
    elif kind == 2:
        members[place] = (f"../../../../tmp/{name}", data)
    elif kind == 3:
        members[place] = (name, b"")
    elif kind == 4:  # a bomb: many bytes from few
        members[place] = (name, data + bytes([random.choice([0, 32, 48, 10, 9])]) * random.choice([10**6, 2**26]))
    elif kind == 5:
        members[place] = (
            name,
            data.replace(b"0", random.choice([b"-1", b"nan", b"99999999999999999999", b"1e9", b""])),
        )
    elif kind == 6:
        members[place] = (name, random.choice([b"\xef\xbb\xbf", b"\xff\xfe"]) + data)
    elif kind == 7:
        members[place] = (name, data.replace(b"\n", b"\r\n").replace(b"\t", b"\t\t"))
    elif kind == 8 and name.endswith(".npy"):
        members[place] = (name, _other_array(data, random))
    elif kind == 9 and name.endswith(".npz"):
        members[place] = (name, of_archive(data, random))
    else:
        members[place] = (name, of_bytes(data or b"x", random))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as files:
        for each, text in members:
            files.open(zipfile.ZipInfo(each), "w").close() if not text else files.writestr(_info(each), text)
    return out.getvalue()


def _info(name):
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _other_array(data, random):
    """The same file with another shape, dtype or values."""
    array = np.load(io.BytesIO(data)).copy()
    kind, out = random.randint(5), io.BytesIO()
    if kind == 0:
        for text in (b"(2600", b"(60", b"(12", b"(3"):
            data = data.replace(text, random.choice([b"(99999999999999", b"(-3", b"(0"]))
        return data
    if kind == 1 and array.dtype.kind in "iuf" and array.size:
        array = array.astype(np.float64)
        array.flat[random.randint(array.size)] = random.choice([np.nan, np.inf, -1, 1e300])
    elif kind == 2 and array.dtype.kind in "iu" and array.size:
        array.flat[random.randint(array.size)] = random.choice([-1, 2**31 - 1, 10**6])
    elif kind == 3:
        array = np.array([{"a": 1}], dtype=object)
    else:
        array = array[..., None]
    np.save(out, array, allow_pickle=True)
    return out.getvalue()
