"""Makes the weights of this package from those of the Python package rapidocr 3.10.0.

    pip install onnx==1.23.2
    pip download --no-deps rapidocr==3.10.0 && unzip rapidocr-3.10.0-*.whl
    python make.py rapidocr/models OUTPUT_FOLDER

Two changes: the recogniser's last layer keeps the classes of English papers, and large weights are stored as 16-bit
floats with a Cast to 32 bits, which ONNX Runtime computes once when it loads the file. `npm run rehearse -- weights`
repeats this and compares the files byte for byte.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy
import onnx
from onnx import helper, numpy_helper

ORIGINALS = {
    "PP-OCRv6_det_small.onnx": "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
    "PP-OCRv6_rec_small.onnx": "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
}
# Characters of English papers: ASCII, Latin with accents, Greek, and the signs of mathematics, physics and chemistry.
RANGES = [(0x21, 0x7E), (0xA1, 0xAC), (0xAE, 0x17F), (0x391, 0x3A1), (0x3A3, 0x3A9), (0x3B1, 0x3C9)]
SIGNS = (
    "ϑϕϖ–—―‘’“”†‡•…‰′″⁰⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₒ€₹℃℉ℎℏ℧Å"
    "←↑→↓↔↕⇀⇌⇋⇐⇒⇔⟶⟹∀∂∃∅∆∇∈∉∋∏∑−∓∙√∛∝∞∟∠∡∥∧∨∩∪∫∬∮∴∵∶∼≃≅≈≠≡≤≥≪≫⊂⊃⊆⊇⊕⊗⊥⋅⌀"
    "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳■□▲△▶●○◯★☐☑☒♀♂✓✔✕✖✘"
)
LAST_LAYER = ("linear_8.w_0", "linear_8.b_0")
# Smaller tensors are biases and factors, whose precision is worth more than their bytes.
SMALLEST_STORED_AS_16_BITS = 256


def load(folder: Path, name: str) -> onnx.ModelProto:
    data = (folder / name).read_bytes()
    if hashlib.sha256(data).hexdigest() != ORIGINALS[name]:
        raise SystemExit(f"{name} is not the file of rapidocr 3.10.0")
    return onnx.load_model_from_string(data)


def wanted(character: str) -> bool:
    code = ord(character) if len(character) == 1 else 0
    return character in SIGNS or any(first <= code <= last for first, last in RANGES)


def cut_classes(model: onnx.ModelProto) -> list[str]:
    """Keeps the blank (class 0), the wanted characters and the space (last class)."""
    stored = next(one.value for one in model.metadata_props if one.key == "character").split("\n")
    kept = [at for at, character in enumerate(stored) if wanted(character)]
    columns = [0, *(at + 1 for at in kept), len(stored) + 1]
    for tensor in model.graph.initializer:
        if tensor.name in LAST_LAYER:
            cut = numpy.ascontiguousarray(numpy_helper.to_array(tensor)[..., columns])
            tensor.CopyFrom(numpy_helper.from_array(cut, tensor.name))
    model.graph.output[0].type.tensor_type.shape.dim[2].dim_value = len(columns)
    del model.metadata_props[:]
    return [stored[at] for at in kept] + [" "]


def store_as_16_bits(model: onnx.ModelProto) -> None:
    # The shapes that were inferred for the original classes.
    del model.graph.value_info[:]
    casts = []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != numpy.float32 or values.size < SMALLEST_STORED_AS_16_BITS:
            continue
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(values.astype(numpy.float16), f"{name}.16"))
        casts.append(helper.make_node("Cast", [f"{name}.16"], [name], to=onnx.TensorProto.FLOAT))
    nodes = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend([*casts, *nodes])


def save(model: onnx.ModelProto, file: Path) -> None:
    onnx.checker.check_model(model)
    file.write_bytes(model.SerializeToString(deterministic=True))


def main(originals: Path, target: Path) -> None:
    detector = load(originals, "PP-OCRv6_det_small.onnx")
    store_as_16_bits(detector)
    save(detector, target / "detector.onnx")
    recogniser = load(originals, "PP-OCRv6_rec_small.onnx")
    characters = cut_classes(recogniser)
    store_as_16_bits(recogniser)
    save(recogniser, target / "recogniser.onnx")
    (target / "characters.json").write_text(json.dumps(characters, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
