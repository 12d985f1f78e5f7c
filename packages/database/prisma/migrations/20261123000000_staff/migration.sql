-- CreateEnum
CREATE TYPE "StaffRole" AS ENUM ('admin', 'examiner');

-- CreateEnum
CREATE TYPE "StaffLinkPurpose" AS ENUM ('invitation', 'password_reset');

-- CreateEnum
CREATE TYPE "StaffEvent" AS ENUM ('invited', 'joined', 'role_changed', 'disabled', 'enabled', 'reset_link_made', 'password_changed', 'session_ended');

-- CreateTable
CREATE TABLE "staff" (
    "id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "email" VARCHAR(254) NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "role" "StaffRole" NOT NULL,
    "password_hash" TEXT,
    "disabled_at" TIMESTAMPTZ(3),
    "last_sign_in_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "staff_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "staff_sessions" (
    "id" UUID NOT NULL,
    "token_hash" VARCHAR(64) NOT NULL,
    "staff_id" UUID NOT NULL,
    "user_agent" VARCHAR(200) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "staff_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "staff_links" (
    "token_hash" VARCHAR(64) NOT NULL,
    "staff_id" UUID NOT NULL,
    "purpose" "StaffLinkPurpose" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "staff_links_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "staff_identities" (
    "issuer" VARCHAR(500) NOT NULL,
    "subject" VARCHAR(255) NOT NULL,
    "staff_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "staff_identities_pkey" PRIMARY KEY ("issuer","subject")
);

-- CreateTable
CREATE TABLE "sign_in_attempts" (
    "key" VARCHAR(64) NOT NULL,
    "attempts" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_attempts_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "staff_events" (
    "id" BIGSERIAL NOT NULL,
    "institute_id" UUID NOT NULL,
    "staff_id" UUID NOT NULL,
    "actor_id" UUID,
    "event" "StaffEvent" NOT NULL,
    "details" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "staff_events_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "staff_email_key" ON "staff"("email");

-- CreateIndex
CREATE INDEX "staff_institute_id_id_idx" ON "staff"("institute_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "staff_sessions_token_hash_key" ON "staff_sessions"("token_hash");

-- CreateIndex
CREATE INDEX "staff_sessions_staff_id_id_idx" ON "staff_sessions"("staff_id", "id");

-- CreateIndex
CREATE INDEX "staff_sessions_expires_at_idx" ON "staff_sessions"("expires_at");

-- CreateIndex
CREATE INDEX "staff_links_staff_id_idx" ON "staff_links"("staff_id");

-- CreateIndex
CREATE INDEX "staff_links_expires_at_idx" ON "staff_links"("expires_at");

-- CreateIndex
CREATE INDEX "staff_identities_staff_id_idx" ON "staff_identities"("staff_id");

-- CreateIndex
CREATE INDEX "sign_in_attempts_expires_at_idx" ON "sign_in_attempts"("expires_at");

-- CreateIndex
CREATE INDEX "staff_events_institute_id_id_idx" ON "staff_events"("institute_id", "id");

-- AddForeignKey
ALTER TABLE "staff" ADD CONSTRAINT "staff_institute_id_fkey" FOREIGN KEY ("institute_id") REFERENCES "institutes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "staff_sessions" ADD CONSTRAINT "staff_sessions_staff_id_fkey" FOREIGN KEY ("staff_id") REFERENCES "staff"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "staff_links" ADD CONSTRAINT "staff_links_staff_id_fkey" FOREIGN KEY ("staff_id") REFERENCES "staff"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "staff_identities" ADD CONSTRAINT "staff_identities_staff_id_fkey" FOREIGN KEY ("staff_id") REFERENCES "staff"("id") ON DELETE CASCADE ON UPDATE CASCADE;

alter table staff add constraint staff_email_folded check (email = lower(email));
create trigger append_only before update or delete on staff_events for each row execute function refuse_change();
