-- AlterTable
ALTER TABLE "rubric_versions" DROP CONSTRAINT "rubric_versions_pkey",
ADD COLUMN     "text_sha256" TEXT NOT NULL DEFAULT '',
ADD CONSTRAINT "rubric_versions_pkey" PRIMARY KEY ("question_id", "version", "source", "text_sha256");

-- CreateTable
CREATE TABLE "rubric_generations" (
    "institute_id" UUID NOT NULL,
    "question_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "text_sha256" TEXT NOT NULL,
    "run_id" UUID,
    "fence" INTEGER,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rubric_generations_pkey" PRIMARY KEY ("question_id","version","text_sha256")
);

-- AddForeignKey
ALTER TABLE "rubric_generations" ADD CONSTRAINT "rubric_generations_question_id_fkey" FOREIGN KEY ("question_id") REFERENCES "questions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Only what was generated was made from a text.
alter table rubric_versions add constraint rubric_versions_made_from
  check ((source = 'generated') = (text_sha256 <> ''));

alter table rubric_generations add constraint rubric_generations_holder
  check ((run_id is null) = (fence is null));

alter table rubric_generations enable row level security;
alter table rubric_generations force row level security;
create policy one_institute on rubric_generations
  using (institute_id = nullif(current_setting('app.institute', true), '')::uuid);
