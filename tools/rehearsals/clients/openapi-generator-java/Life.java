import com.google.gson.Gson;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AccountApi;
import org.openapitools.client.api.ExamsApi;
import org.openapitools.client.api.QuestionsApi;
import org.openapitools.client.api.SubmissionsApi;
import org.openapitools.client.api.UploadsApi;
import org.openapitools.client.model.AnswerInput;
import org.openapitools.client.model.CandidateInput;
import org.openapitools.client.model.Criterion;
import org.openapitools.client.model.Error;
import org.openapitools.client.model.ExamCreate;
import org.openapitools.client.model.Finalize;
import org.openapitools.client.model.MarkOverride;
import org.openapitools.client.model.OptionInput;
import org.openapitools.client.model.PresignedUpload;
import org.openapitools.client.model.Question;
import org.openapitools.client.model.QuestionInput;
import org.openapitools.client.model.QuestionInput.TypeEnum;
import org.openapitools.client.model.QuestionResult;
import org.openapitools.client.model.Rubric;
import org.openapitools.client.model.Submission;
import org.openapitools.client.model.SubmissionCreate;
import org.openapitools.client.model.SubmissionList;
import org.openapitools.client.model.UploadFile;
import org.openapitools.client.model.UploadsCreate;

/** The life of an exam (../life.ts) with the Java client of OpenAPI Generator. */
public class Life {
  static final QuestionInput LONG_ANSWER = question("8", TypeEnum.LONG_ANSWER, "What does a leaf need?", 2)
      .rubric(new Rubric().criteria(List.of(
          new Criterion().name("Light").marks(2.0).keywords(List.of("light", "sunlight")))));
  static final List<QuestionInput> QUESTIONS = List.of(
      question("1", TypeEnum.MCQ_SINGLE, "A vector?", 1)
          .options(options("Speed", "Velocity")).correctOptions(List.of("V")),
      question("2", TypeEnum.MCQ_MULTI, "Gases?", 2)
          .options(options("Neon", "Iron", "Oxygen")).correctOptions(List.of("N", "O")),
      question("3", TypeEnum.TRUE_FALSE, "Ice floats.", 1)
          .options(options("True", "False")).correctOptions(List.of("T")),
      question("4", TypeEnum.NUMERIC, "Twice twelve?", 2).answer(24),
      question("5", TypeEnum.NUMERIC, "Half of 49?", 1).answer("24.5"),
      question("6", TypeEnum.NUMERIC, "Thrice eight?", 2).answer(List.of(24, "24.0")),
      question("7", TypeEnum.ONE_WORD, "Our planet?", 1).answer("Earth"),
      LONG_ANSWER);

  static QuestionInput question(String label, TypeEnum type, String text, double maxMarks) {
    return new QuestionInput().label(label).type(type).text(text).maxMarks(maxMarks);
  }

  static List<OptionInput> options(String... texts) {
    return Stream.of(texts).map(text -> new OptionInput().label(text.substring(0, 1)).text(text)).toList();
  }

  static ExamCreate typedExam(String title, String reference) {
    return new ExamCreate().title(title).mode(ExamCreate.ModeEnum.TYPED).externalRef(reference).open(true)
        .questions(QUESTIONS);
  }

  static AnswerInput answer(String label, String text) {
    return new AnswerInput().questionLabel(label).text(text);
  }

  static AnswerInput choice(String label, String... options) {
    return new AnswerInput().questionLabel(label).optionLabels(List.of(options));
  }

  static SubmissionCreate answersOf(String candidate) {
    return new SubmissionCreate().candidate(new CandidateInput().externalId(candidate)).answers(List.of(
        choice("1", "V"), choice("2", "N", "O"), choice("3", "T"), answer("4", "24"), answer("5", "24.5"),
        answer("6", "24.0"), answer("7", "earth"), answer("8", "Sunlight.")));
  }

  interface Call {
    Object run() throws ApiException;
  }

  static String refused(Call call) throws Exception {
    try {
      call.run();
    } catch (ApiException refusal) {
      return refusal.getCode() + " " + Error.fromJson(refusal.getResponseBody()).getError().getCode();
    }
    throw new IllegalStateException("not refused");
  }

  public static void main(String[] given) throws Exception {
    ApiClient client = clientWith(given[0], given[1]);
    ApiClient readOnly = clientWith(given[0], given[2]);
    ApiClient poor = clientWith(given[0], given[3]);
    ExamsApi exams = new ExamsApi(client);
    SubmissionsApi submissions = new SubmissionsApi(client);
    UploadsApi uploads = new UploadsApi(client);
    OffsetDateTime began = OffsetDateTime.now();
    Map<String, Object> life = new LinkedHashMap<>();

    life.put("institute", new AccountApi(client).accountMe().getInstitute().getName());
    UUID exam = exams.examsCreate(typedExam("Typed", "life"), "life").getId();
    life.put("keys", new QuestionsApi(client).questionsList(exam, null).getQuestions().subList(3, 7).stream()
        .map(Question::getAnswer).toList());
    UUID submitted = submissions.submissionsCreate(exam, answersOf("S-1"), null).getId();

    ExamCreate handwritten = new ExamCreate().title("Scanned").mode(ExamCreate.ModeEnum.HANDWRITTEN).open(true)
        .questions(List.of(LONG_ANSWER));
    UUID scanned = exams.examsCreate(handwritten, null).getId();
    byte[] pdf = Files.readAllBytes(Path.of(given[4]));
    UploadFile file = new UploadFile().fileName("copy.pdf").contentType(UploadFile.ContentTypeEnum.APPLICATION_PDF)
        .sizeBytes(pdf.length);
    PresignedUpload upload = uploads.uploadsCreate(new UploadsCreate().files(List.of(file)), null).getUploads().get(0);
    HttpRequest.Builder put = HttpRequest.newBuilder(URI.create(upload.getUploadUrl()))
        .PUT(HttpRequest.BodyPublishers.ofByteArray(pdf));
    // HttpClient sends Content-Length by itself and refuses to be given it.
    upload.getHeaders().forEach((name, value) -> {
      if (!name.equalsIgnoreCase("content-length")) put.header(name, value);
    });
    life.put("put", HttpClient.newHttpClient().send(put.build(), BodyHandlers.discarding()).statusCode());
    String checked;
    while ((checked = uploads.uploadsGet(upload.getId()).getStatus()).equals("pending")) Thread.sleep(100);
    life.put("checked", checked);
    SubmissionCreate uploaded = new SubmissionCreate().candidate(new CandidateInput().externalId("S-1"))
        .uploadId(upload.getId());
    UUID copied = submissions.submissionsCreate(scanned, uploaded, null).getId();

    Map<UUID, Submission> ended = new HashMap<>();
    while (ended.size() < 2) {
      Thread.sleep(200);
      String cursor = null;
      do {
        SubmissionList page = submissions.submissionsFeed(1, cursor, began);
        for (Submission one : page.getData())
          if (List.of("graded", "failed").contains(one.getStatus())) ended.put(one.getId(), one);
        cursor = page.getNextCursor();
      } while (cursor != null);
    }
    life.put("copied", ended.get(copied).getError().getCode());
    List<QuestionResult> questions = submissions.submissionsResult(submitted, null).getQuestions();
    life.put("objective", questions.subList(0, 7).stream().map(QuestionResult::getAwarded).toList());
    UUID eighth = questions.stream().filter(each -> each.getLabel().equals("8")).findFirst().get().getQuestionId();

    UUID poorExam = new ExamsApi(poor).examsCreate(typedExam("Poor", "life"), null).getId();
    MarkOverride override = new MarkOverride().reviewer("t-7").awarded(1.5).reason("Enough.");
    List<String> refusals = new ArrayList<>(List.of(
        refused(() -> new AccountApi(clientWith(given[0], "wrong")).accountMe()),
        refused(() -> exams.examsList(null, "no", null)),
        refused(() -> new ExamsApi(readOnly).examsCreate(typedExam("Typed", "other"), null)),
        refused(() -> new SubmissionsApi(poor).submissionsCreate(poorExam, answersOf("S-1"), null)),
        refused(() -> exams.examsGet(submitted)),
        refused(() -> exams.examsCreate(typedExam("Again", "life"), null)),
        refused(() -> exams.examsCreate(typedExam("Other", "other"), "life")),
        refused(() -> exams.examsCreate(typedExam("", "other"), null)),
        refused(() -> submissions.submissionsCreate(exam, answersOf("S-1"), null)),
        refused(() -> submissions.submissionsCreate(exam, uploaded, null)),
        refused(() -> submissions.submissionsCreate(exam, answersOf("S-2"), null))));
    life.put("overridden", submissions.submissionsOverride(submitted, eighth, override).getAwarded());
    exams.examsFinalize(exam, new Finalize().allGraded(true), null);
    life.put("finalized", submissions.submissionsResult(submitted, null).getFinalized());
    refusals.add(refused(() -> submissions.submissionsOverride(submitted, eighth, override)));
    life.put("refusals", refusals);
    System.out.println(new Gson().toJson(life));
  }

  static ApiClient clientWith(String base, String key) {
    ApiClient client = new ApiClient().setBasePath(base);
    client.setApiKey(key);
    return client;
  }
}
