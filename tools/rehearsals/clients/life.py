"""A whole life with the client of openapi-python-client: python3 life.py BASE KEY COPY, beside the generated `client`."""

import datetime
import json
import sys
import time

import httpx
from client import AuthenticatedClient
from client.api.account import account_me
from client.api.exams import exams_create, exams_finalize, exams_get
from client.api.submissions import submissions_create, submissions_feed, submissions_override, submissions_result
from client.api.uploads import uploads_create, uploads_get
from client.models import (
    AnswerInput,
    CandidateInput,
    Criterion,
    Error,
    ExamCreate,
    ExamCreateMode,
    Finalize,
    MarkOverride,
    OptionInput,
    QuestionInput,
    QuestionInputType,
    Rubric,
    SubmissionCreate,
    UploadFile,
    UploadsCreate,
)

base, key, copy = sys.argv[1:4]


def client_with(given: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=base, token=given, prefix="", auth_header_name="X-API-Key")


client = client_with(key)
began = datetime.datetime.now(datetime.timezone.utc)


def got(answer):
    if answer is None or isinstance(answer, Error):
        raise SystemExit(f"refused: {answer}")
    return answer


def options(**texts: str) -> list[OptionInput]:
    return [OptionInput(label=label, text=text) for label, text in texts.items()]


kind = QuestionInputType
long_answer = QuestionInput(
    label="6",
    type_=kind.LONG_ANSWER,
    text="What does a leaf need?",
    max_marks=2,
    rubric=Rubric(criteria=[Criterion(name="Light", marks=2, keywords=["light", "sunlight"])]),
)
questions = [
    QuestionInput("1", kind.MCQ_SINGLE, "A vector?", 1, options=options(A="Speed", B="Velocity"), correct_options=["B"]),
    QuestionInput("2", kind.MCQ_MULTI, "Gases?", 2, options=options(A="O2", B="Fe", C="N2"), correct_options=["A", "C"]),
    QuestionInput("3", kind.TRUE_FALSE, "Ice floats.", 1, options=options(T="True", F="False"), correct_options=["T"]),
    QuestionInput("4", kind.NUMERIC, "Twice twelve?", 2, answer=[24, "24.0"]),
    QuestionInput("5", kind.ONE_WORD, "Our planet?", 1, answer="Earth"),
    long_answer,
]
account = got(account_me.sync(client=client))
exam = got(
    exams_create.sync(
        client=client,
        body=ExamCreate("Python", ExamCreateMode.TYPED, external_ref="python", open_=True, questions=questions),
        idempotency_key="python",
    )
)
submitted = got(
    submissions_create.sync(
        exam.id,
        client=client,
        body=SubmissionCreate(
            candidate=CandidateInput(external_id="S-1", name="Asha Rao"),
            answers=[
                AnswerInput(question_label="1", option_labels=["B"]),
                AnswerInput(question_label="2", option_labels=["A", "C"]),
                AnswerInput(question_label="3", option_labels=["T"]),
                AnswerInput(question_label="4", text="24"),
                AnswerInput(question_label="5", text="earth"),
                AnswerInput(question_label="6", text="Sunlight."),
            ],
        ),
    )
)

scanned = got(
    exams_create.sync(
        client=client,
        body=ExamCreate("Scanned", ExamCreateMode.HANDWRITTEN, open_=True, questions=[long_answer]),
    )
)
with open(copy, "rb") as file:
    pdf = file.read()
uploads = got(
    uploads_create.sync(client=client, body=UploadsCreate([UploadFile("copy.pdf", "application/pdf", len(pdf))]))
).uploads
put = httpx.put(uploads[0].upload_url, headers=uploads[0].headers.to_dict(), content=pdf)
while (checked := got(uploads_get.sync(uploads[0].id, client=client))).status == "pending":
    time.sleep(0.1)
copied = got(
    submissions_create.sync(
        scanned.id,
        client=client,
        body=SubmissionCreate(candidate=CandidateInput(external_id="S-1"), upload_id=uploads[0].id),
    )
)

ended = {}
while len(ended) < 2:
    time.sleep(0.2)
    more = {}
    while True:
        page = got(submissions_feed.sync(client=client, updated_since=began, limit=1, **more))
        ended.update({one.id: one for one in page.data if one.status in ("graded", "failed")})
        if page.next_cursor is None:
            break
        more = {"cursor": page.next_cursor}

result = got(submissions_result.sync(submitted.id, client=client))
sixth = next(question for question in result.questions if question.label == "6")
overridden = got(
    submissions_override.sync(
        submitted.id, sixth.question_id, client=client, body=MarkOverride("t-7", 1.5, reason="Enough.")
    )
)
got(exams_finalize.sync(exam.id, client=client, body=Finalize(all_graded=True)))
final = got(submissions_result.sync(submitted.id, client=client))

refusals = [
    account_me.sync_detailed(client=client_with("wrong")),
    exams_get.sync_detailed(submitted.id, client=client),
    exams_create.sync_detailed(client=client, body=ExamCreate("Again", ExamCreateMode.TYPED, external_ref="python")),
    submissions_override.sync_detailed(
        submitted.id, sixth.question_id, client=client, body=MarkOverride("t-7", 1)
    ),
    exams_create.sync_detailed(client=client, body=ExamCreate("", ExamCreateMode.TYPED)),
]
print(
    json.dumps(
        {
            "institute": account.institute.name,
            "put": put.status_code,
            "checked": str(checked.status),
            "copied": str(ended[copied.id].error.code),
            "objective": [question.awarded for question in result.questions][:5],
            "overridden": overridden.awarded,
            "finalized": final.finalized,
            "refusals": [f"{int(one.status_code)} {one.parsed.error.code}" for one in refusals],
        }
    )
)
