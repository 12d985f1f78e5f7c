"""The life of an exam (../life.ts) with the client of openapi-python-client, in `evaluation` beside this file."""

import datetime
import json
import sys
import time

import httpx
from evaluation import AuthenticatedClient
from evaluation.api.account import account_me
from evaluation.api.exams import exams_create, exams_finalize, exams_get, exams_list
from evaluation.api.questions import questions_list
from evaluation.api.submissions import submissions_create, submissions_feed, submissions_override, submissions_result
from evaluation.api.uploads import uploads_create, uploads_get
from evaluation.models import (
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

base, key, read_only_key, poor_key, copy = sys.argv[1:]


def client_with(given: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=base, token=given, prefix="", auth_header_name="X-API-Key")


client, poor = client_with(key), client_with(poor_key)
began = datetime.datetime.now(datetime.timezone.utc)


def got(answer):
    if answer is None or isinstance(answer, Error):
        raise SystemExit(f"refused: {answer}")
    return answer


def options(*texts: str) -> list[OptionInput]:
    return [OptionInput(label=text[0], text=text) for text in texts]


kind = QuestionInputType
long_answer = QuestionInput(
    label="8",
    type_=kind.LONG_ANSWER,
    text="What does a leaf need?",
    max_marks=2,
    rubric=Rubric(criteria=[Criterion(name="Light", marks=2, keywords=["light", "sunlight"])]),
)
questions = [
    QuestionInput("1", kind.MCQ_SINGLE, "A vector?", 1, options=options("Speed", "Velocity"), correct_options=["V"]),
    QuestionInput("2", kind.MCQ_MULTI, "Gases?", 2, options=options("Neon", "Iron", "Oxygen"), correct_options=["N", "O"]),
    QuestionInput("3", kind.TRUE_FALSE, "Ice floats.", 1, options=options("True", "False"), correct_options=["T"]),
    QuestionInput("4", kind.NUMERIC, "Twice twelve?", 2, answer=24),
    QuestionInput("5", kind.NUMERIC, "Half of 49?", 1, answer="24.5"),
    QuestionInput("6", kind.NUMERIC, "Thrice eight?", 2, answer=[24, "24.0"]),
    QuestionInput("7", kind.ONE_WORD, "Our planet?", 1, answer="Earth"),
    long_answer,
]


def typed_exam(title: str, reference: str) -> ExamCreate:
    return ExamCreate(title, ExamCreateMode.TYPED, external_ref=reference, open_=True, questions=questions)


def answers_of(candidate: str) -> SubmissionCreate:
    return SubmissionCreate(
        candidate=CandidateInput(external_id=candidate),
        answers=[
            AnswerInput(question_label="1", option_labels=["V"]),
            AnswerInput(question_label="2", option_labels=["N", "O"]),
            AnswerInput(question_label="3", option_labels=["T"]),
            AnswerInput(question_label="4", text="24"),
            AnswerInput(question_label="5", text="24.5"),
            AnswerInput(question_label="6", text="24.0"),
            AnswerInput(question_label="7", text="earth"),
            AnswerInput(question_label="8", text="Sunlight."),
        ],
    )


account = got(account_me.sync(client=client))
exam = got(exams_create.sync(client=client, body=typed_exam("Typed", "life"), idempotency_key="life"))
keys = [question.answer for question in got(questions_list.sync(exam.id, client=client)).questions][3:7]
submitted = got(submissions_create.sync(exam.id, client=client, body=answers_of("S-1")))

handwritten = ExamCreate("Scanned", ExamCreateMode.HANDWRITTEN, open_=True, questions=[long_answer])
scanned = got(exams_create.sync(client=client, body=handwritten))
with open(copy, "rb") as file:
    pdf = file.read()
to_upload = UploadsCreate([UploadFile("copy.pdf", "application/pdf", len(pdf))])
upload = got(uploads_create.sync(client=client, body=to_upload)).uploads[0]
put = httpx.put(upload.upload_url, headers=upload.headers.to_dict(), content=pdf)
while (checked := got(uploads_get.sync(upload.id, client=client))).status == "pending":
    time.sleep(0.1)
uploaded = SubmissionCreate(candidate=CandidateInput(external_id="S-1"), upload_id=upload.id)
copied = got(submissions_create.sync(scanned.id, client=client, body=uploaded))

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
eighth = next(question for question in result.questions if question.label == "8")
poor_exam = got(exams_create.sync(client=poor, body=typed_exam("Poor", "life")))
override = MarkOverride("t-7", 1.5, reason="Enough.")
refusals = [
    account_me.sync_detailed(client=client_with("wrong")),
    exams_list.sync_detailed(client=client, cursor="no"),
    exams_create.sync_detailed(client=client_with(read_only_key), body=typed_exam("Typed", "other")),
    submissions_create.sync_detailed(poor_exam.id, client=poor, body=answers_of("S-1")),
    exams_get.sync_detailed(submitted.id, client=client),
    exams_create.sync_detailed(client=client, body=typed_exam("Again", "life")),
    exams_create.sync_detailed(client=client, body=typed_exam("Other", "other"), idempotency_key="life"),
    exams_create.sync_detailed(client=client, body=typed_exam("", "other")),
    submissions_create.sync_detailed(exam.id, client=client, body=answers_of("S-1")),
    submissions_create.sync_detailed(exam.id, client=client, body=uploaded),
    submissions_create.sync_detailed(exam.id, client=client, body=answers_of("S-2")),
]
overridden = got(submissions_override.sync(submitted.id, eighth.question_id, client=client, body=override))
got(exams_finalize.sync(exam.id, client=client, body=Finalize(all_graded=True)))
final = got(submissions_result.sync(submitted.id, client=client))
refusals.append(submissions_override.sync_detailed(submitted.id, eighth.question_id, client=client, body=override))

print(
    json.dumps(
        {
            "institute": account.institute.name,
            "keys": keys,
            "put": put.status_code,
            "checked": checked.status,
            "copied": ended[copied.id].error.code,
            "objective": [question.awarded for question in result.questions][:7],
            "overridden": overridden.awarded,
            "finalized": final.finalized,
            "refusals": [f"{int(one.status_code)} {one.parsed.error.code}" for one in refusals],
        }
    )
)
