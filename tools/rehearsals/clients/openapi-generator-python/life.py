"""The life of an exam (../life.ts) with the Python client of OpenAPI Generator, in `evaluation` beside this file."""

import datetime
import json
import sys
import time
from typing import Any, Callable

import urllib3
from evaluation import (
    AccountApi,
    AnswerInput,
    ApiClient,
    ApiException,
    CandidateInput,
    Configuration,
    Criterion,
    ExamCreate,
    ExamsApi,
    Finalize,
    MarkOverride,
    OptionInput,
    QuestionInput,
    QuestionsApi,
    Rubric,
    SubmissionCreate,
    SubmissionsApi,
    UploadFile,
    UploadsApi,
    UploadsCreate,
)

base, key, read_only_key, poor_key, copy = sys.argv[1:]


def client_with(given: str) -> ApiClient:
    return ApiClient(Configuration(host=base, api_key={"ApiKey": given}))


client, poor = client_with(key), client_with(poor_key)
exams, submissions, uploads = ExamsApi(client), SubmissionsApi(client), UploadsApi(client)
began = datetime.datetime.now(datetime.timezone.utc)


def options(*texts: str) -> list[OptionInput]:
    return [OptionInput(label=text[0], text=text) for text in texts]


def question(label: str, type: str, text: str, max_marks: float, **key: Any) -> QuestionInput:
    return QuestionInput(label=label, type=type, text=text, max_marks=max_marks, **key)


long_answer = question(
    "8",
    "long_answer",
    "What does a leaf need?",
    2,
    rubric=Rubric(criteria=[Criterion(name="Light", marks=2, keywords=["light", "sunlight"])]),
)
questions = [
    question("1", "mcq_single", "A vector?", 1, options=options("Speed", "Velocity"), correct_options=["V"]),
    question("2", "mcq_multi", "Gases?", 2, options=options("Neon", "Iron", "Oxygen"), correct_options=["N", "O"]),
    question("3", "true_false", "Ice floats.", 1, options=options("True", "False"), correct_options=["T"]),
    question("4", "numeric", "Twice twelve?", 2, answer=24),
    question("5", "numeric", "Half of 49?", 1, answer="24.5"),
    question("6", "numeric", "Thrice eight?", 2, answer=[24, "24.0"]),
    question("7", "one_word", "Our planet?", 1, answer="Earth"),
    long_answer,
]


def typed_exam(title: str, reference: str) -> ExamCreate:
    # model_construct leaves the checks to the service, which refuses an empty title.
    return ExamCreate.model_construct(
        title=title, mode="typed", external_ref=reference, open=True, questions=questions
    )


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


def refused(call: Callable[..., object], *args: Any, **named: Any) -> str:
    try:
        call(*args, **named)
    except ApiException as refusal:
        return f"{refusal.status} {refusal.data.error.code}"
    raise SystemExit("not refused")


account = AccountApi(client).account_me()
exam = exams.exams_create(typed_exam("Typed", "life"), idempotency_key="life")
keys = [each.answer for each in QuestionsApi(client).questions_list(exam.id).questions[3:7]]
submitted = submissions.submissions_create(exam.id, answers_of("S-1"))

scanned = exams.exams_create(ExamCreate(title="Scanned", mode="handwritten", open=True, questions=[long_answer]))
with open(copy, "rb") as file:
    pdf = file.read()
to_upload = UploadFile(file_name="copy.pdf", content_type="application/pdf", size_bytes=len(pdf))
upload = uploads.uploads_create(UploadsCreate(files=[to_upload])).uploads[0]
put = urllib3.request("PUT", upload.upload_url, headers=upload.headers, body=pdf)
while (checked := uploads.uploads_get(upload.id)).status == "pending":
    time.sleep(0.1)
uploaded = SubmissionCreate(candidate=CandidateInput(external_id="S-1"), upload_id=upload.id)
copied = submissions.submissions_create(scanned.id, uploaded)

ended = {}
while len(ended) < 2:
    time.sleep(0.2)
    cursor = None
    while True:
        page = submissions.submissions_feed(updated_since=began, limit=1, cursor=cursor)
        ended.update({one.id: one for one in page.data if one.status in ("graded", "failed")})
        cursor = page.next_cursor
        if cursor is None:
            break

result = submissions.submissions_result(submitted.id)
eighth = next(each for each in result.questions if each.label == "8")
poor_exam = ExamsApi(poor).exams_create(typed_exam("Poor", "life"))
read_only = ExamsApi(client_with(read_only_key))
override = MarkOverride(reviewer="t-7", awarded=1.5, reason="Enough.")
refusals = [
    refused(AccountApi(client_with("wrong")).account_me),
    refused(exams.exams_list, cursor="no"),
    refused(read_only.exams_create, typed_exam("Typed", "other")),
    refused(SubmissionsApi(poor).submissions_create, poor_exam.id, answers_of("S-1")),
    refused(exams.exams_get, submitted.id),
    refused(exams.exams_create, typed_exam("Again", "life")),
    refused(exams.exams_create, typed_exam("Other", "other"), idempotency_key="life"),
    refused(exams.exams_create, typed_exam("", "other")),
    refused(submissions.submissions_create, exam.id, answers_of("S-1")),
    refused(submissions.submissions_create, exam.id, uploaded),
    refused(submissions.submissions_create, exam.id, answers_of("S-2")),
]
overridden = submissions.submissions_override(submitted.id, eighth.question_id, override)
exams.exams_finalize(exam.id, Finalize(all_graded=True))
final = submissions.submissions_result(submitted.id)
refusals.append(refused(submissions.submissions_override, submitted.id, eighth.question_id, override))

print(
    json.dumps(
        {
            "institute": account.institute.name,
            "keys": keys,
            "put": put.status,
            "checked": checked.status,
            "copied": ended[copied.id].error.code,
            "objective": [each.awarded for each in result.questions][:7],
            "overridden": overridden.awarded,
            "finalized": final.finalized,
            "refusals": refusals,
        }
    )
)
