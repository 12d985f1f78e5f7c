// The life of an exam (../life.ts) with the Go client of oapi-codegen.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	api "life/evaluation"
)

var ctx = context.Background()

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func with[T any](value T) *T { return &value }

type response interface{ StatusCode() int }

// refused is the status and code of a refusal. `refusal` is the typed body for the status that the caller expects.
func refused(answer response, refusal *api.Error) string {
	if refusal == nil {
		panic(fmt.Sprintf("%d is another status", answer.StatusCode()))
	}
	return fmt.Sprintf("%d %s", answer.StatusCode(), refusal.Error.Code)
}

func clientWith(base, key string) *api.ClientWithResponses {
	addKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", key)
		return nil
	}
	return must(api.NewClientWithResponses(base, api.WithRequestEditorFn(addKey)))
}

func options(texts ...string) *[]api.OptionInput {
	var all []api.OptionInput
	for _, text := range texts {
		all = append(all, api.OptionInput{Label: text[:1], Text: text})
	}
	return &all
}

var longAnswer = api.QuestionInput{
	Label: "8", Type: api.LongAnswer, Text: "What does a leaf need?", MaxMarks: 2,
	Rubric: &api.Rubric{Criteria: []api.Criterion{{Name: "Light", Marks: 2, Keywords: &[]string{"light", "sunlight"}}}},
}

var questions = []api.QuestionInput{
	{Label: "1", Type: api.McqSingle, Text: "A vector?", MaxMarks: 1, Options: options("Speed", "Velocity"),
		CorrectOptions: &[]string{"V"}},
	{Label: "2", Type: api.McqMulti, Text: "Gases?", MaxMarks: 2, Options: options("Neon", "Iron", "Oxygen"),
		CorrectOptions: &[]string{"N", "O"}},
	{Label: "3", Type: api.TrueFalse, Text: "Ice floats.", MaxMarks: 1, Options: options("True", "False"),
		CorrectOptions: &[]string{"T"}},
	{Label: "4", Type: api.Numeric, Text: "Twice twelve?", MaxMarks: 2, Answer: with[api.AnswerKeyInput](24)},
	{Label: "5", Type: api.Numeric, Text: "Half of 49?", MaxMarks: 1, Answer: with[api.AnswerKeyInput]("24.5")},
	{Label: "6", Type: api.Numeric, Text: "Thrice eight?", MaxMarks: 2, Answer: with[api.AnswerKeyInput]([]any{24, "24.0"})},
	{Label: "7", Type: api.OneWord, Text: "Our planet?", MaxMarks: 1, Answer: with[api.AnswerKeyInput]("Earth")},
	longAnswer,
}

func typedExam(title, reference string) api.ExamCreate {
	return api.ExamCreate{
		Title: title, Mode: api.ExamCreateModeTyped, ExternalRef: &reference, Open: with(true), Questions: &questions,
	}
}

func answersOf(candidate string) api.SubmissionCreate {
	return api.SubmissionCreate{
		Candidate: &api.CandidateInput{ExternalId: candidate},
		Answers: &[]api.AnswerInput{
			{QuestionLabel: with("1"), OptionLabels: &[]string{"V"}},
			{QuestionLabel: with("2"), OptionLabels: &[]string{"N", "O"}},
			{QuestionLabel: with("3"), OptionLabels: &[]string{"T"}},
			{QuestionLabel: with("4"), Text: with("24")},
			{QuestionLabel: with("5"), Text: with("24.5")},
			{QuestionLabel: with("6"), Text: with("24.0")},
			{QuestionLabel: with("7"), Text: with("earth")},
			{QuestionLabel: with("8"), Text: with("Sunlight.")},
		},
	}
}

func create(client *api.ClientWithResponses, exam api.ExamCreate, key *string) *api.ExamsCreateResponse {
	return must(client.ExamsCreateWithResponse(ctx, &api.ExamsCreateParams{IdempotencyKey: key}, exam))
}

func submit(client *api.ClientWithResponses, exam *api.Exam, body api.SubmissionCreate) *api.SubmissionsCreateResponse {
	return must(client.SubmissionsCreateWithResponse(ctx, exam.Id, nil, body))
}

func main() {
	base, readOnly, poor := os.Args[1], clientWith(os.Args[1], os.Args[3]), clientWith(os.Args[1], os.Args[4])
	client := clientWith(base, os.Args[2])
	began := time.Now().In(time.FixedZone("IST", 5*3600+1800))

	account := must(client.AccountMeWithResponse(ctx)).JSON200
	exam := create(client, typedExam("Typed", "life"), with("life")).JSON201
	var keys []any
	for _, question := range must(client.QuestionsListWithResponse(ctx, exam.Id, nil)).JSON200.Questions[3:7] {
		keys = append(keys, *question.Answer)
	}
	submitted := submit(client, exam, answersOf("S-1")).JSON202

	scanned := create(client, api.ExamCreate{
		Title: "Scanned", Mode: api.ExamCreateModeHandwritten, Open: with(true),
		Questions: &[]api.QuestionInput{longAnswer},
	}, nil).JSON201
	pdf := must(os.ReadFile(os.Args[5]))
	file := api.UploadFile{FileName: "copy.pdf", ContentType: api.Applicationpdf, SizeBytes: int32(len(pdf))}
	toUpload := api.UploadsCreate{Files: []api.UploadFile{file}}
	upload := must(client.UploadsCreateWithResponse(ctx, nil, toUpload)).JSON201.Uploads[0]
	request := must(http.NewRequest(http.MethodPut, upload.UploadUrl, bytes.NewReader(pdf)))
	for name, value := range upload.Headers {
		request.Header.Set(name, value)
	}
	put := must(http.DefaultClient.Do(request))
	put.Body.Close()
	checked := must(client.UploadsGetWithResponse(ctx, upload.Id)).JSON200.Status
	for checked == "pending" {
		time.Sleep(100 * time.Millisecond)
		checked = must(client.UploadsGetWithResponse(ctx, upload.Id)).JSON200.Status
	}
	uploaded := api.SubmissionCreate{Candidate: &api.CandidateInput{ExternalId: "S-1"}, UploadId: &upload.Id}
	copied := submit(client, scanned, uploaded).JSON202

	ended := map[string]api.Submission{}
	for len(ended) < 2 {
		time.Sleep(200 * time.Millisecond)
		page := &api.SubmissionsFeedParams{UpdatedSince: &began, Limit: with(int32(1))}
		for more := true; more; {
			answer := must(client.SubmissionsFeedWithResponse(ctx, page)).JSON200
			for _, one := range answer.Data {
				if one.Status == "graded" || one.Status == "failed" {
					ended[one.Id.String()] = one
				}
			}
			page.Cursor, more = answer.NextCursor, answer.NextCursor != nil
		}
	}

	result := must(client.SubmissionsResultWithResponse(ctx, submitted.Id, nil)).JSON200
	var objective []float64
	for _, question := range result.Questions[:7] {
		objective = append(objective, *question.Awarded)
	}
	eighth := result.Questions[7].QuestionId
	override := api.MarkOverride{Reviewer: "t-7", Awarded: 1.5, Reason: with("Enough.")}

	wrongKey := must(clientWith(base, "wrong").AccountMeWithResponse(ctx))
	noCursor := must(client.ExamsListWithResponse(ctx, &api.ExamsListParams{Cursor: with("no")}))
	noScope := create(readOnly, typedExam("Typed", "other"), nil)
	noCredits := submit(poor, create(poor, typedExam("Poor", "life"), nil).JSON201, answersOf("S-1"))
	noExam := must(client.ExamsGetWithResponse(ctx, submitted.Id))
	exists := create(client, typedExam("Again", "life"), nil)
	reused := create(client, typedExam("Other", "other"), with("life"))
	noTitle := create(client, typedExam("", "other"), nil)
	twice := submit(client, exam, answersOf("S-1"))
	mismatch := submit(client, exam, uploaded)
	third := submit(client, exam, answersOf("S-2"))
	overridden := must(client.SubmissionsOverrideWithResponse(ctx, submitted.Id, eighth, override)).JSON200
	finalized := must(client.ExamsFinalizeWithResponse(ctx, exam.Id, nil, api.Finalize{
		AllGraded: with(api.FinalizeAllGradedTrue),
	}))
	if finalized.JSON200 == nil {
		panic(string(finalized.Body))
	}
	final := must(client.SubmissionsResultWithResponse(ctx, submitted.Id, nil)).JSON200
	tooLate := must(client.SubmissionsOverrideWithResponse(ctx, submitted.Id, eighth, override))

	life := map[string]any{
		"institute": account.Institute.Name, "keys": keys, "put": put.StatusCode, "checked": checked,
		"copied": ended[copied.Id.String()].Error.Code, "objective": objective, "overridden": overridden.Awarded,
		"finalized": final.Finalized, "refusals": []string{
			refused(wrongKey, wrongKey.JSON401),
			refused(noCursor, noCursor.JSON400),
			refused(noScope, noScope.JSON403),
			refused(noCredits, noCredits.JSON402),
			refused(noExam, noExam.JSON404),
			refused(exists, exists.JSON409),
			refused(reused, reused.JSON422),
			refused(noTitle, noTitle.JSON422),
			refused(twice, twice.JSON409),
			refused(mismatch, mismatch.JSON422),
			refused(third, third.JSON429),
			refused(tooLate, tooLate.JSON409),
		},
	}
	fmt.Println(string(must(json.Marshal(life))))
}
