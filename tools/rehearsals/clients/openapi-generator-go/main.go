// The life of an exam (../life.ts) with the Go client of OpenAPI Generator.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"life/evaluation"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// got is the answer of a call. It ends the program if the call was refused.
func got[T any](answer T, _ *http.Response, err error) T {
	var refusal *evaluation.GenericOpenAPIError
	if errors.As(err, &refusal) {
		panic(string(refusal.Body()))
	}
	return must(answer, err)
}

// refused is the status and code of a call that must be refused.
func refused[T any](_ T, response *http.Response, err error) string {
	var refusal *evaluation.GenericOpenAPIError
	if !errors.As(err, &refusal) {
		panic("not refused")
	}
	typed, ok := refusal.Model().(evaluation.Error)
	if !ok {
		panic(err)
	}
	return fmt.Sprintf("%d %s", response.StatusCode, typed.Error.Code)
}

func clientWith(base, key string) (*evaluation.APIClient, context.Context) {
	configuration := evaluation.NewConfiguration()
	configuration.Servers = evaluation.ServerConfigurations{{URL: base}}
	keys := map[string]evaluation.APIKey{"ApiKey": {Key: key}}
	return evaluation.NewAPIClient(configuration), context.WithValue(context.Background(), evaluation.ContextAPIKeys, keys)
}

func options(texts ...string) []evaluation.OptionInput {
	var all []evaluation.OptionInput
	for _, text := range texts {
		all = append(all, *evaluation.NewOptionInput(text[:1], text))
	}
	return all
}

func choiceQuestion(label, kind, text string, maxMarks float64, correct []string, texts ...string) evaluation.QuestionInput {
	question := *evaluation.NewQuestionInput(label, kind, text, maxMarks)
	question.Options, question.CorrectOptions = options(texts...), correct
	return question
}

func keyQuestion(label, kind, text string, maxMarks float64, key any) evaluation.QuestionInput {
	question := *evaluation.NewQuestionInput(label, kind, text, maxMarks)
	question.Answer = key
	return question
}

func longAnswer() evaluation.QuestionInput {
	question := *evaluation.NewQuestionInput("8", "long_answer", "What does a leaf need?", 2)
	light := *evaluation.NewCriterion("Light", 2)
	light.Keywords = []string{"light", "sunlight"}
	question.SetRubric(*evaluation.NewRubric([]evaluation.Criterion{light}))
	return question
}

func typedExam(title, reference string) evaluation.ExamCreate {
	exam := *evaluation.NewExamCreate(title, "typed")
	exam.SetExternalRef(reference)
	exam.SetOpen(true)
	exam.Questions = []evaluation.QuestionInput{
		choiceQuestion("1", "mcq_single", "A vector?", 1, []string{"V"}, "Speed", "Velocity"),
		choiceQuestion("2", "mcq_multi", "Gases?", 2, []string{"N", "O"}, "Neon", "Iron", "Oxygen"),
		choiceQuestion("3", "true_false", "Ice floats.", 1, []string{"T"}, "True", "False"),
		keyQuestion("4", "numeric", "Twice twelve?", 2, 24),
		keyQuestion("5", "numeric", "Half of 49?", 1, "24.5"),
		keyQuestion("6", "numeric", "Thrice eight?", 2, []any{24, "24.0"}),
		keyQuestion("7", "one_word", "Our planet?", 1, "Earth"),
		longAnswer(),
	}
	return exam
}

func answersOf(candidate string) evaluation.SubmissionCreate {
	submission := *evaluation.NewSubmissionCreate()
	submission.SetCandidate(*evaluation.NewCandidateInput(candidate))
	for label, choice := range map[string][]string{"1": {"V"}, "2": {"N", "O"}, "3": {"T"}} {
		answer := evaluation.AnswerInput{OptionLabels: choice}
		answer.SetQuestionLabel(label)
		submission.Answers = append(submission.Answers, answer)
	}
	for label, text := range map[string]string{"4": "24", "5": "24.5", "6": "24.0", "7": "earth", "8": "Sunlight."} {
		var answer evaluation.AnswerInput
		answer.SetQuestionLabel(label)
		answer.SetText(text)
		submission.Answers = append(submission.Answers, answer)
	}
	return submission
}

func main() {
	base, key, readOnlyKey, poorKey, copyPath := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	client, ctx := clientWith(base, key)
	exams, submissions, uploads := client.ExamsAPI, client.SubmissionsAPI, client.UploadsAPI
	_, wrong := clientWith(base, "wrong")
	_, readOnly := clientWith(base, readOnlyKey)
	_, poor := clientWith(base, poorKey)
	began := time.Now().In(time.FixedZone("IST", 5*3600+1800))

	account := got(client.AccountAPI.AccountMe(ctx).Execute())
	exam := got(exams.ExamsCreate(ctx).ExamCreate(typedExam("Typed", "life")).IdempotencyKey("life").Execute())
	var keys []any
	for _, question := range got(client.QuestionsAPI.QuestionsList(ctx, exam.Id).Execute()).Questions[3:7] {
		keys = append(keys, question.Answer)
	}
	submitted := got(submissions.SubmissionsCreate(ctx, exam.Id).SubmissionCreate(answersOf("S-1")).Execute())

	handwritten := *evaluation.NewExamCreate("Scanned", "handwritten")
	handwritten.SetOpen(true)
	handwritten.Questions = []evaluation.QuestionInput{longAnswer()}
	scanned := got(exams.ExamsCreate(ctx).ExamCreate(handwritten).Execute())
	pdf := must(os.ReadFile(copyPath))
	file := *evaluation.NewUploadFile("copy.pdf", "application/pdf", int32(len(pdf)))
	toUpload := *evaluation.NewUploadsCreate([]evaluation.UploadFile{file})
	upload := got(uploads.UploadsCreate(ctx).UploadsCreate(toUpload).Execute()).Uploads[0]
	request := must(http.NewRequest(http.MethodPut, upload.UploadUrl, bytes.NewReader(pdf)))
	for name, value := range upload.Headers {
		request.Header.Set(name, value)
	}
	put := must(http.DefaultClient.Do(request))
	put.Body.Close()
	checked := got(uploads.UploadsGet(ctx, upload.Id).Execute())
	for checked.Status == "pending" {
		time.Sleep(100 * time.Millisecond)
		checked = got(uploads.UploadsGet(ctx, upload.Id).Execute())
	}
	uploaded := *evaluation.NewSubmissionCreate()
	uploaded.SetCandidate(*evaluation.NewCandidateInput("S-1"))
	uploaded.SetUploadId(upload.Id)
	copied := got(submissions.SubmissionsCreate(ctx, scanned.Id).SubmissionCreate(uploaded).Execute())

	ended := map[string]evaluation.Submission{}
	for len(ended) < 2 {
		time.Sleep(200 * time.Millisecond)
		pages := submissions.SubmissionsFeed(ctx).UpdatedSince(began).Limit(1)
		for more := true; more; {
			page := got(pages.Execute())
			for _, one := range page.Data {
				if one.Status == "graded" || one.Status == "failed" {
					ended[one.Id] = one
				}
			}
			more = page.NextCursor.Get() != nil
			pages = pages.Cursor(page.GetNextCursor())
		}
	}
	failed := ended[copied.Id]
	gradingError := failed.GetError()

	result := got(submissions.SubmissionsResult(ctx, submitted.Id).Execute())
	var objective []float64
	for _, question := range result.Questions[:7] {
		objective = append(objective, question.GetAwarded())
	}
	eighth := result.Questions[7].QuestionId
	poorExam := got(exams.ExamsCreate(poor).ExamCreate(typedExam("Poor", "life")).Execute())
	override := *evaluation.NewMarkOverride("t-7", 1.5)
	override.SetReason("Enough.")
	refusals := []string{
		refused(client.AccountAPI.AccountMe(wrong).Execute()),
		refused(exams.ExamsList(ctx).Cursor("no").Execute()),
		refused(exams.ExamsCreate(readOnly).ExamCreate(typedExam("Typed", "other")).Execute()),
		refused(submissions.SubmissionsCreate(poor, poorExam.Id).SubmissionCreate(answersOf("S-1")).Execute()),
		refused(exams.ExamsGet(ctx, submitted.Id).Execute()),
		refused(exams.ExamsCreate(ctx).ExamCreate(typedExam("Again", "life")).Execute()),
		refused(exams.ExamsCreate(ctx).ExamCreate(typedExam("Other", "other")).IdempotencyKey("life").Execute()),
		refused(exams.ExamsCreate(ctx).ExamCreate(typedExam("", "other")).Execute()),
		refused(submissions.SubmissionsCreate(ctx, exam.Id).SubmissionCreate(answersOf("S-1")).Execute()),
		refused(submissions.SubmissionsCreate(ctx, exam.Id).SubmissionCreate(uploaded).Execute()),
		refused(submissions.SubmissionsCreate(ctx, exam.Id).SubmissionCreate(answersOf("S-2")).Execute()),
	}
	overridden := got(submissions.SubmissionsOverride(ctx, submitted.Id, eighth).MarkOverride(override).Execute())
	allGraded := *evaluation.NewFinalize()
	allGraded.SetAllGraded(true)
	got(exams.ExamsFinalize(ctx, exam.Id).Finalize(allGraded).Execute())
	final := got(submissions.SubmissionsResult(ctx, submitted.Id).Execute())
	again := submissions.SubmissionsOverride(ctx, submitted.Id, eighth).MarkOverride(override)
	refusals = append(refusals, refused(again.Execute()))

	life := map[string]any{
		"institute": account.Institute.Name, "keys": keys, "put": put.StatusCode, "checked": checked.Status,
		"copied": gradingError.Code, "objective": objective, "overridden": overridden.GetAwarded(),
		"finalized": final.Finalized, "refusals": refusals,
	}
	fmt.Println(string(must(json.Marshal(life))))
}
