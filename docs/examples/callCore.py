"""Example for internal teams: calls a public procedure of core with the standard library alone.

python3 callCore.py PROCEDURE INPUT, for example: python3 callCore.py exams.list '{"query": {"limit": "3"}}'
SIGNING_KEY is a key of your team. A test runs this file (tests/documentation/internalTeams.test.ts).
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request


def unpadded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign_actor(actor: dict, signing_key: str) -> str:
    """The value of x-actor. Core refuses it after a minute, so sign each call anew."""
    payload = unpadded(json.dumps({**actor, "exp": int(time.time() * 1000) + 60_000}).encode())
    mac = hmac.new(signing_key.encode(), payload.encode(), hashlib.sha256).digest()
    return f"{payload}.{unpadded(mac)}"


def call_core(procedure: str, value: object) -> object:
    """The data of the answer. Reads and changes are both a POST, of the input as it is."""
    actor = {
        "institute_id": os.environ["INSTITUTE_ID"],
        "key_id": os.environ["STAFF_ID"],
        "scopes": ["evaluation:read", "evaluation:review"],
        "staff": {"role": "examiner"},
    }
    request = urllib.request.Request(
        f"{os.environ['CORE_URL']}/public.{procedure}",
        data=b"" if value is None else json.dumps(value).encode(),
        method="POST",
        headers={
            "content-type": "application/json",
            "authorization": f"Bearer {os.environ['CORE_PUBLIC_TOKEN']}",
            "x-actor": sign_actor(actor, os.environ["SIGNING_KEY"]),
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["result"].get("data")
    except urllib.error.HTTPError as refusal:
        error = json.load(refusal)["error"]
        # `failure` has the code of the REST API; it is null for a refused token, actor, role or form of the input.
        # The HTTP status is not that of the REST API.
        failure = error["data"]["failure"] or {"code": error["data"]["code"]}
        raise SystemExit(f"{failure['code']}: {error['message']}") from None


if __name__ == "__main__":
    print(json.dumps(call_core(sys.argv[1], json.loads(sys.argv[2]))))
